// SPDX-License-Identifier: Apache-2.0
//
// Comparisons that bound a variable: `6 * i + j < n` says j < n - 6 * i.
#pragma once

#include "arith/analysis.h"
#include "tir/ir.h"

namespace lathe::tir {

/// A condition as a bound of one variable: var < limit (upper) or var >= limit.
struct Bound {
    bool upper = true;
    Expr limit;
};

/// Nothing if the condition is no integer comparison that is affine in the variable, or reads memory.
std::optional<Bound> boundOf(const Expr& condition, const Var& var, const arith::Facts& facts);

} // namespace lathe::tir
