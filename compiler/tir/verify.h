// SPDX-License-Identifier: Apache-2.0
//
// The executable rules of the loop IR. Runs after each pass in debug builds, in tests and under --verify.
#pragma once

#include "tir/ir.h"

namespace lathe::tir {

enum class Level {
    Blocks,  // as made by te and changed by schedules
    Loops,   // after "lower blocks": no Block
    Lowered, // after "flatten buffers": one index an access, no index-typed load
};

/// Every Var defined before use and once (after Level::Blocks, copies of a body may bind the same Var side by side);
/// types agree; block iterations within their domains; loads and stores have the buffer's rank; no statement of a
/// kernel without origin; no store to an input. Fails with the first broken rule.
Result<void> verify(const PrimFunc& function, Level level);

/// Structure alike up to names and origins.
bool structurallyEqual(const PrimFunc& a, const PrimFunc& b);
/// Leaves out names and origins. Stable across runs.
Hash128 structuralHash(const PrimFunc& function);

} // namespace lathe::tir
