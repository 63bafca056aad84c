// SPDX-License-Identifier: Apache-2.0
//
// The sliding window of convolutions and pools: padding of each spelling as expressions, so that sizes may be symbolic. Its
// user reads what a format's attributes say into WindowAttributes and answers for what is wrong with them.
#pragma once

#include "frontend/common/emit.h"
#include "relay/attrs.h"

#include <optional>

namespace lathe::frontend {

/// Of kernels, strides and paddings, so that sizes stay far from where they overflow.
inline constexpr int64_t mostExtent = 1 << 30;

enum class Padding {
    Given,
    SameUpper, // as many results as strides begin in the dim; the odd element of padding lies behind it
    SameLower, // and before it
    None
};

/// A window and how it moves: an entry of each a dim; of pads, which count where they are given, two: first those before all
/// dims.
struct WindowAttributes {
    Ints kernel, strides, dilations, pads;
    Padding padding = Padding::Given;
};

/// Whether kernel, strides and dilations are positive and not too large.
bool isInRange(const WindowAttributes& attributes);

/// Whether x has that rank; a fault if not.
bool isOfRank(NodeReader& node, Var x, int rank);

/// The dims of x [N, C, …] that a window moves over.
Dims spatialDims(Builder& b, Var x);

/// What becomes of it over dims of some sizes.
struct Window {
    Ints kernel, strides, dilations;
    Dims before, after;
};

/// attributes: in range, with entries for as many dims.
Window windowOver(const Dims& sizes, const WindowAttributes& attributes);

/// The dims of [M, C, kernel…], which must be known.
std::optional<Ints> kernelOf(Builder& b, Var weights);

/// x: [N, C, …]; weights: [M, C / groups, kernel…]; out: the result's type (Void: the operands').
Var convolution(Builder& b, Var x, Var weights, const Window& window, int64_t groups, DataType out = types::Void);

/// x + bias[c] along dim 1, in x's type; x if bias is absent.
Var addChannelBias(Builder& b, Var x, Var bias);

relay::PoolAttrs poolAttrs(const Window& window);

} // namespace lathe::frontend
