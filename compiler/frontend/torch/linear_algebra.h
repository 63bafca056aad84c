// SPDX-License-Identifier: Apache-2.0
//
// Matrices as operands and results of converters: computed in float64, so that what cancels is not lost, and rounded
// once.
#pragma once

#include "frontend/torch/call.h"

namespace lathe::frontend::torch {

/// Floats with at least two dims, in float64; a fault if they are none.
Var matricesOf(Call& call, const char* name);
/// The first argument, whatever the operator calls it.
Var firstMatrices(Call& call);

/// Gives results that were computed of the first argument: floats in its type, others as they are.
void giveLikeFirst(Call& call, std::vector<Var> results);

/// Codes of whether a computation worked, as LAPACK gives them.
Var asInfo(Builder& b, Var code);

} // namespace lathe::frontend::torch
