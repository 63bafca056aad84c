// SPDX-License-Identifier: Apache-2.0
//
// Which statement of a kernel is which at its other levels: an origin says the operator, whose padding, initialization and
// hot loop are one. No statement carries a number for it. Passes carry origins and do not look at them, so the kernel is
// scheduled and lowered once more with its statements numbered in their place, and what comes out stands beside the kernel.
#pragma once

#include "driver/trace.h"

#include <unordered_map>

namespace lathe::inspect {

/// Ordinals among the statements of each level, outermost first; -1: unknown, or the statement is of a level above.
struct Statement {
    int lowered = -1, scheduled = -1, computed = -1;

    /// At the lowest level that both know: a statement of a level above is what all those are that were made of it.
    bool isOf(const Statement& other) const;
};

using Statements = std::unordered_map<const tir::StmtNode*, Statement>;

/// Of KernelRecord::stages: the first, "schedule", the last. Empty where a level cannot be told.
struct KernelStatements {
    Statements computation, schedule, lowered;
};

/// Takes as long as to schedule and lower the kernel. Throws what that throws.
KernelStatements statementsOf(const driver::KernelRecord& kernel);

/// Of the function that the first steps of the kernel's schedule make of its computation.
Statements statementsAfter(const driver::KernelRecord& kernel, int steps, const tir::PrimFunc& made);

} // namespace lathe::inspect
