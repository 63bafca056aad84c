// SPDX-License-Identifier: Apache-2.0
//
// Branch on selects (optional): an element that is chosen by where it stands is chosen by a branch around its store.
//
//   Y[c, i] = f(select(c < n, A[c, i], B[c - n, i]))   ->   if (c < n) Y[c, i] = f(A[c, i])
//                                                           else       Y[c, i] = f(B[c - n, i])
//
// Padding, concatenation and slices put together are written with selects, and with indices that stay within their
// operand wherever the other side is chosen. As branches they are what hoisting and partitioning take out of the loops,
// and within a branch simplification finds that the indices need no limits. So this runs before both.
//
// A condition of several parts becomes nested branches, what outer loops decide outermost. A part that mentions a
// vectorized or unrolled loop is not the same for the whole tile: it gets a branch for tiles where it holds throughout
// and one for those where it holds nowhere, and what is left asks for each element. A store grows with the number of its
// sides, and tiles on a border repeat those that are open there; the budgets stand at the top of the .cpp. What is beyond
// them stays a select. Where limits are symbols little is known of their borders, and the budgets are a sixteenth.
#pragma once

#include "tir/ir.h"
#include "tir/transform/simplify.h"

namespace lathe::tir {

PrimFuncPtr branchOnSelects(const PrimFuncPtr& function, const Checkpoint& checkpoint = {});

} // namespace lathe::tir
