// SPDX-License-Identifier: Apache-2.0
//
// What attributes of TensorFlow's convolutions and pools say of their window.
#pragma once

#include "frontend/common/window.h"
#include "frontend/tensorflow/operands.h"

#include <optional>

namespace lathe::frontend::tensorflow {

/// Whether x has that rank; a fault if not.
bool isOfRank(NodeReader& node, Var x, int rank);

/// Strides, dilations and padding (SAME, VALID, EXPLICIT) for a window of `kernel`; a fault if they are out of range.
std::optional<WindowAttributes> readWindow(NodeReader& node, Ints kernel);

/// The dims of x [N, C, …] that a window moves over.
Dims spatialDims(Builder& b, Var x);

} // namespace lathe::frontend::tensorflow
