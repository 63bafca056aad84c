// SPDX-License-Identifier: Apache-2.0
//
// The executable rules of the loop IR. `verify` runs in tests and, after each pass, under --verify; `verifyCalls` on the
// entry of every compilation.
#pragma once

#include "tir/ir.h"

#include <string>
#include <unordered_map>

namespace lathe::tir {

enum class Level {
    Blocks,  // as made by te and changed by schedules
    Loops,   // after "lower blocks": no Block
    Lowered, // after "flatten buffers": one index an access, no index-typed load, a place for every buffer
};

/// Every Var defined before use and once (after Level::Blocks, copies of a body may bind the same Var side by side);
/// types agree; block iterations within their domains, where these are constant and unguarded; a block's regions name
/// the buffers that it reads and writes; loads and stores have the buffer's rank; checks that share a number are copies
/// of one; no statement of a kernel without origin; no store to an input. Fails with the first broken rule.
/// Not checked: that accesses stay within their buffers (the interpreter does, for each access that it runs) and that
/// the iterations of a parallel loop are independent (the primitive that makes one does).
Result<void> verify(const PrimFunc& function, Level level);

/// Each kernel call of the entry against the parameters of the kernel of that name: number and types.
Result<void> verifyCalls(const PrimFunc& entry, const std::unordered_map<std::string, PrimFuncPtr>& kernels);

} // namespace lathe::tir
