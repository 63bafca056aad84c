// SPDX-License-Identifier: Apache-2.0
//
// Tensors in files that are named after values of a model.
#pragma once

#include "inspect/inputs.h"
#include "model/model_graph.h"

#include <span>

namespace lathe::diagnose {

/// Of a model, by name.
struct ModelTensors {
    inspect::Tensors inputs; // of the model
    inspect::Tensors values; // that nodes of the outermost graph give
};

/// Reads .npy, .npz and .pb files, and those of them that lie directly in the folders. A file is named by fileNameOf(value), or
/// is input_N or output_N. Fails if a file cannot be read or is named after nothing of the model, if two hold the same value,
/// or none is there.
Result<ModelTensors> readModelTensors(std::span<const std::filesystem::path> files, const model::ModelGraph& graph);

} // namespace lathe::diagnose
