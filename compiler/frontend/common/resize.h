// SPDX-License-Identifier: Apache-2.0
//
// The sizes of what is resized: given, or by scales. Dims may be symbolic.
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

/// x along `axis` to `out` elements, each the nearest, where both corners are aligned and half a pixel is added: no
/// mode of Resize is that.
Var nearestOfBoth(Builder& b, Var x, int64_t axis, const Expr& out);

} // namespace lathe::frontend
