// SPDX-License-Identifier: Apache-2.0
//
// What the attributes of ONNX's convolutions and pools say of their window, shared by float and quantized operators.
#pragma once

#include "frontend/common/window.h"

namespace lathe::frontend::onnx {

/// How a window moves over its dims: an entry of each a dim, of pads two, first those before all dims.
struct Steps {
    Ints strides, dilations, pads;
};
/// From the node's attributes; an absent list is of ones, of pads of zeros. A fault if one does not fit the dims.
std::optional<Steps> readSteps(NodeReader& node, size_t spatial);

/// A fault if one is out of bounds, or auto_pad computes the pads and they are given too.
bool padsFit(NodeReader& node, const Ints& pads, const std::string& autoPad);

/// A Conv of x and weights with the node's attributes, without bias; out: the result's type (Void: the operands').
Var convolutionOf(NodeReader& node, Builder& b, Var x, Var weights, DataType out = types::Void);

/// The window over dims of `sizes`, from the node's attributes; kernel: from the weights, or empty to take
/// kernel_shape.
std::optional<Window> readWindow(NodeReader& node, const Dims& sizes, Ints kernel);

} // namespace lathe::frontend::onnx
