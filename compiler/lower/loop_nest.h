// SPDX-License-Identifier: Apache-2.0
//
// What a kernel's loops cost, loop by loop, before vectors and registers: the trip count of each, the floating-point operations
// and the bytes of accesses within it, and how much memory one run of it touches, by which one sees what fits which cache. Of a
// PrimFunc as it was scheduled, or written by hand.
#pragma once

#include "arith/expr.h"
#include "tir/ir.h"

#include <optional>
#include <string>
#include <vector>

namespace lathe::lower {

struct LoopCost {
    std::string name;                      // the loop's variable; of a statement what it computes
    std::optional<tir::ForKind> kind;      // absent: a statement
    const tir::StmtNode* stmt = nullptr;   // the statement, or the loop; of the function, which must outlive this
    std::optional<int64_t> trips;          // of one run of the loop
    std::optional<int64_t> runs;           // of the loop's body, or the statement, in a call of the kernel
    std::optional<double> flops, accessed; // in a call, within it; bytes of all loads and stores, also repeated ones
    std::optional<int64_t> touched;        // bytes of different elements in one run of it
    bool runsAtMost = false, workAtMost = false; // runs; flops and accessed: not all conditions can be counted
    std::vector<LoopCost> inside;
};

/// The function itself as the outermost: its trips are 1. What depends on a size that `sizes` does not have is absent.
LoopCost loopCosts(const tir::PrimFunc& function,
                   const std::unordered_map<const arith::ExprNode*, int64_t>& sizes = {});

} // namespace lathe::lower
