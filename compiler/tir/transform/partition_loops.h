// SPDX-License-Identifier: Apache-2.0
//
// Partition loops (optional, but what makes tiles fast): the full tiles run without guards, the last ones apart.
//
// A split of n by 6 leaves a guard `6 * i + j < n` that fails only in the last tile. Three steps take it away from
// where the time goes, for constant and symbolic n alike:
//   1. Tighten. `for j in [0, 6) { if (6i + j < n) A }` becomes `for j in [0, min(6, n - 6i)) A`; after hoisting, guards
//      of perfect nests have all become loop bounds.
//   2. Version. Where an unrolled or vectorized loop has an extent that is at most a constant U, the code around it, as
//      far out as the extent's variables allow, is made twice: `if (n - 6i >= 6)` with the extent U, else the tail. In
//      the tail an unrolled extent takes each of its possible values in a chain of branches, so that accumulators stay
//      in registers there as well; a vectorized one stays, and becomes a mask.
//   3. Split. A serial loop whose body is `if (a * i < n) A else B` becomes a loop over A and a loop over B, one whose
//      body is `if (a * i >= n) A else B` a loop over B and a loop over A; so on with what is split again.
// Code grows with the number of versions; budgets bound it.
#pragma once

#include "tir/ir.h"
#include "tir/transform/simplify.h"

namespace lathe::tir {

PrimFuncPtr partitionLoops(const PrimFuncPtr& function, const Checkpoint& checkpoint = {});

} // namespace lathe::tir
