// SPDX-License-Identifier: Apache-2.0
//
// Tensors by name as torch.save writes them: a zip archive with a pickle that tells of them and a file for each storage.
#pragma once

#include "frontend/common/members.h"
#include "frontend/torch/pickle.h"
#include "frontend/torch/program.h"

#include <map>

namespace lathe::frontend::torch {

struct SavedTensor {
    std::string file; // of its storage, in the archive
    TensorMeta meta;
};

/// Whether a value of a pickle stands for a tensor, also one of integers that stand for real numbers.
bool isSavedTensor(const PickleValue& value);
/// The one that it stands for; folder: of the archive, where its storages lie, "archive/data/".
Result<SavedTensor> savedTensor(const PickleValue& value, const std::string& folder);

/// What is no tensor is left out.
Result<std::map<std::string, SavedTensor>> savedTensors(const Members& archive);

} // namespace lathe::frontend::torch
