// SPDX-License-Identifier: Apache-2.0
//
// Vectorize (optional): a loop that a schedule marked vectorized becomes statements on vectors.
//
//   for v in vectorized [0, 8) { C[i * 8 + v] = A[i * 8 + v] + s }   ->   C[ramp(i * 8, 1, 8)] = A[ramp(i * 8, 1, 8)] + broadcast(s, 8)
//
// Index expressions that are affine in v become ramps; what does not depend on v stays scalar. A branch whose condition
// varies by lane becomes a mask on the stores and loads below it, and a select a mask on the loads of its sides: memory
// that a lane must not touch is not touched, and masked lanes divide by 1. An extent that is bounded by a constant, like
// min(8, n - 8 * i), becomes that many lanes under a mask. Local buffers inside get a place for each lane. More than
// `widestVector` lanes are done in pieces.
//
// A float sum, product, minimum or maximum into one element is combined over the lanes, then with the element
// (tir/accumulation.h).
//
// Never wrong code: what cannot be done so (checks, calls with effects, a bound that varies by lane, one lane reading
// what another wrote, integers that add to one element) leaves the loop as a serial one.
#pragma once

#include "tir/ir.h"
#include "tir/transform/simplify.h"

namespace lathe::tir {

inline constexpr int widestVector = 32;

/// lanes: 32-bit elements of a register. What is longer than one and no power of two is done in pieces that LLVM keeps
/// in registers from one iteration to the next.
PrimFuncPtr vectorizeLoops(const PrimFuncPtr& function, const Checkpoint& checkpoint = {}, int lanes = 16);

} // namespace lathe::tir
