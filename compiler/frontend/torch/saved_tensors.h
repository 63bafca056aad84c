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

/// The one that a value of a pickle stands for; root: the folder of the archive that data.pkl lies in, "archive/".
Result<SavedTensor> savedTensor(const PickleValue& value, const std::string& root);

/// What is no tensor is left out.
Result<std::map<std::string, SavedTensor>> savedTensors(const Members& archive);

} // namespace lathe::frontend::torch
