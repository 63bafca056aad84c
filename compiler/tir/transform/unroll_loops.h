// SPDX-License-Identifier: Apache-2.0
//
// Unroll (optional): loops that a schedule marked unrolled become their iterations, one after the other.
//
// This is what turns an array of accumulators into registers: with constant indices, LLVM's `sroa` gives each element a
// value of its own. Only loops of constant extent are unrolled, inner ones first, as long as the result stays below
// `unrollLimit` statements; others stay as loops, which code generation compiles as they are.
#pragma once

#include "tir/ir.h"
#include "tir/transform/simplify.h"

namespace lathe::tir {

inline constexpr int64_t unrollLimit = 4096;

PrimFuncPtr unrollLoops(const PrimFuncPtr& function, const Checkpoint& checkpoint = {});

} // namespace lathe::tir
