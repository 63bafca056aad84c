// SPDX-License-Identifier: Apache-2.0
//
// Bytes to a TFLite model. A FlatBuffer is read in place, by offsets that the file names: all of them are checked
// before the first is followed. What indices and sizes in it mean is checked where they are used (graph_reader.h,
// tensors.h).
#pragma once

#include "base/result.h"
#include "model/model_graph.h"

#include <cstddef>
#include <span>

namespace tflite {
struct Model;
}

namespace lathe::frontend::tflite {

/// Whether the bytes carry the identifier of TFLite files.
bool mayBeModel(std::span<const std::byte> bytes);

/// A model whose offsets and alignment are right.
struct OpenModel {
    const ::tflite::Model* model = nullptr; // points into `bytes`
    model::Bytes bytes;                     // all of the file: constants may lie behind the FlatBuffer
};

Result<OpenModel> openModel(const model::Bytes& bytes);

} // namespace lathe::frontend::tflite
