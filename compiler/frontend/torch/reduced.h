// SPDX-License-Identifier: Apache-2.0
//
// Reductions as PyTorch has them: over tensors of rank 0 too, of which axis 0 and -1 are none.
#pragma once

#include "frontend/torch/call.h"

namespace lathe::frontend::torch {

/// x if there are no axes.
Var reduceOver(Builder& b, const std::string& kind, Var x, const Ints& axes, bool keepDims);

/// How many elements are reduced to one.
Expr countOf(Builder& b, Var x, const Ints& axes);

/// fn of x and an axis of it that "dim" names: of a tensor of rank 0 as of one of rank 1, whose results have rank 0
/// again.
std::vector<Var> alongDim(Call& call, Var x, int64_t dim, const std::function<std::vector<Var>(Var, int64_t)>& fn);

} // namespace lathe::frontend::torch
