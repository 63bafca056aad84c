// SPDX-License-Identifier: Apache-2.0
//
// Bind indices (optional): with symbolic sizes, index arithmetic is done once and has a name.
//
//   for f in n * H parallel                      for f in n * H parallel
//     for k in 9                                   let i = floormod(f, H), base = floordiv(f, H) * H * W + i * 4
//       Y[f…, i3] += X[floordiv(f, H) * H * W …]     for k in 9: let row = k * H * W … Y[base + …] += X[base + row + i3]
//
// Divisions by sizes and products of them stay as they are through simplification, and an access through several loops
// with fused and split axes is a sum of a dozen of them. The passes behind make copies of each access: a full tile, tiles
// of each length that may be left over, every step of an unrolled loop. So what does not change in a loop is computed
// before it, as variables, and what is copied is short.
//
// Named are quotients and remainders that involve symbols, sizes that are chosen between and, of each index, the part that
// a serial or parallel loop decides. Conditions and extents keep their sums, in which passes look for bounds. A function
// without symbols stays as it is: there a constant divisor says more where it stands.
#pragma once

#include "tir/ir.h"

namespace lathe::tir {

PrimFuncPtr bindIndices(const PrimFuncPtr& function);

} // namespace lathe::tir
