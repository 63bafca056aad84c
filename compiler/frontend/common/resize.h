// SPDX-License-Identifier: Apache-2.0
//
// The sizes of what is resized: given, or by scales. Dims may be symbolic, sizes and scales computed while the model runs.
#pragma once

#include "frontend/common/emit.h"
#include "relay/attrs.h"

#include <vector>

namespace lathe::frontend {

/// Sets the sizes of the result: those given for `axes`, the rest as they are. Gives x, of which what is resized must
/// not be empty.
Var setSizes(Builder& b, Var x, const Ints& axes, const Dims& sizes, relay::ResizeAttrs& attrs);

/// Sets scales and the sizes that follow for dims of `shape`: a scale each. False, and a fault, if they do not fit.
bool setScales(Builder& b, const Dims& shape, std::vector<double> scales, relay::ResizeAttrs& attrs);

/// What is resized, and how: what of it is data stands in operands.
struct Resizing {
    Var x;
    relay::ResizeAttrs attrs;
    Var scales, region; // of all dims, float64; absent where the attributes say it
};

/// Sets scales for `axes`, float[axes], and the sizes that follow: dim times scale, rounded down.
void scaleBy(Builder& b, Resizing& resizing, const Ints& axes, Var scales);
/// Sets one scale for all `axes`, so that they keep their proportions, and the sizes that follow, rounded: the greatest
/// scale by which no dim is larger than `sizes` says, int64[axes], or the least by which none is smaller.
void fitInto(Builder& b, Resizing& resizing, const Ints& axes, Var sizes, bool isLarger);
/// Sets the region that is shown: starts, then ends along `axes`, float[2 axes], as shares of these dims.
void cropTo(Builder& b, Resizing& resizing, const Ints& axes, Var region);

Var resized(Builder& b, const Resizing& resizing);

/// x along `axis` to `out` elements, each the nearest, where both corners are aligned and half a pixel is added: no
/// mode of Resize is that.
Var nearestOfBoth(Builder& b, Var x, int64_t axis, const Expr& out);

} // namespace lathe::frontend
