// SPDX-License-Identifier: Apache-2.0
//
// Norms of vectors, which reductions, distances and matrices have in common.
#pragma once

#include "frontend/torch/call.h"

namespace lathe::frontend::torch {

/// (sum of |x|^p)^(1 / p) over axes; at 0 the count of what is not 0, at infinities the extremes. In x's type.
Var normOf(Builder& b, Var x, double p, const Ints& axes, bool keepDims);

} // namespace lathe::frontend::torch
