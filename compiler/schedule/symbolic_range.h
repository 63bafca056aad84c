// SPDX-License-Identifier: Apache-2.0
//
// Symbolic intervals: which box of a buffer, or which part of an iteration domain, is touched while some loops run
// and others stand still. Also the prover behind predicates: what a loop nest guarantees about an index.
#pragma once

#include "arith/analysis.h"
#include "schedule/tree.h"

namespace lathe::schedule {

/// Inclusive on both sides. Conservative: it may be wider than what occurs.
struct SymbolicRange {
    Expr lower;
    Expr upper;
};

/// What loops run over, for analysis: constant facts for the simplifier and symbolic ranges to relax.
struct LoopRanges {
    arith::Facts facts;
    std::unordered_map<const arith::ExprNode*, SymbolicRange> ranges; // in terms of what is outside all of the loops

    LoopRanges() = default;
    /// Outermost first. Loops before `relaxFrom` give facts only; those from there on are relaxed.
    explicit LoopRanges(const std::vector<const tir::For*>& loops, size_t relaxFrom = 0);
    void add(const Var& var, const Expr& min, const Expr& extent, bool relax);
};

/// The values of `expr` while the relaxed loops run; nothing if it cannot be bounded.
std::optional<SymbolicRange> rangeOf(const Expr& expr, const LoopRanges& loops);
/// Smallest known range that contains both.
SymbolicRange unite(const SymbolicRange& a, const SymbolicRange& b, const arith::Facts& facts);
Expr extentOf(const SymbolicRange& range, const arith::Facts& facts);

/// lower <= expr / expr < limit for all values of all loops.
bool provablyAtLeast(const Expr& expr, const Expr& lower, const LoopRanges& loops);
bool provablyBelow(const Expr& expr, const Expr& limit, const LoopRanges& loops);

/// Each conjunct with both sides simplified; what the loops guarantee, or another conjunct implies, is dropped.
Expr simplifyPredicate(const Expr& predicate, const LoopRanges& loops);

/// Statement with `condition` added to the predicates of its blocks, and an If around what is in no block.
Stmt guard(const Stmt& stmt, const Expr& condition);
/// Bindings and predicates of the blocks below, and extents of the loops, simplified under the loops around them.
Stmt simplifyBindings(const Stmt& stmt, const std::vector<const tir::For*>& around);

} // namespace lathe::schedule
