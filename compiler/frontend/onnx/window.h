// SPDX-License-Identifier: Apache-2.0
//
// The sliding window of convolutions and pools, shared by float and quantized operators.
#pragma once

#include "frontend/common/emit.h"

namespace lathe::frontend::onnx {

/// How a window moves over its dims: an entry of each a dim, of pads two, first those before all dims.
struct Steps {
    Ints strides, dilations, pads;
};
/// From the node's attributes; an absent list is of ones, of pads of zeros. A fault if one does not fit the dims.
std::optional<Steps> readSteps(NodeReader& node, size_t spatial);

/// Of kernels, strides and paddings, so that sizes stay far from where they overflow.
inline constexpr int64_t mostExtent = 1 << 30;

/// A fault if one is out of bounds, or auto_pad computes the pads and they are given too.
bool padsFit(NodeReader& node, const Ints& pads, const std::string& autoPad);

/// The spatial dims of the weights, which must be known.
std::optional<Ints> kernelOf(NodeReader& node, Builder& b, Var weights);

struct Window {
    Ints kernel, strides, dilations;
    Dims before, after;
};

/// A Conv of x and weights with the node's attributes, without bias.
Var convolution(NodeReader& node, Builder& b, Var x, Var weights);
/// x + bias[c] along dim 1; x if bias is absent.
Var addChannelBias(Builder& b, Var x, Var bias);

/// The window over dims of `sizes`, from the node's attributes; kernel: from the weights, or empty to take
/// kernel_shape.
std::optional<Window> readWindow(NodeReader& node, const Dims& sizes, Ints kernel);

} // namespace lathe::frontend::onnx
