// SPDX-License-Identifier: Apache-2.0
//
// Stores that add to what is there: `A[i] = A[i] + x`, likewise with a product, a maximum or a minimum. Their order does
// not matter but for rounding, so lanes of a vector can be combined before they meet memory.
#pragma once

#include "tir/ir.h"

#include <optional>

namespace lathe::tir {

struct Accumulation {
    arith::ExprKind combine{}; // Add, Mul, Max, Min
    Expr value;                // what is combined with the element; it does not read the buffer
};

/// Nothing if the store is none, or is under a mask.
std::optional<Accumulation> asAccumulation(const Store& store);

/// All lanes of a vector as one value.
Expr horizontal(arith::ExprKind combine, const Expr& vector);

} // namespace lathe::tir
