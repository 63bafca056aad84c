// SPDX-License-Identifier: Apache-2.0
//
// What is known inside a loop or a branch, for the simplifier: the one place where passes turn control flow into Facts.
#pragma once

#include "arith/analysis.h"
#include "tir/visit.h"

namespace lathe::tir {

/// min <= var <= min + extent - 1, by the bounds of both. Variables are bound once, so the fact may stay.
void bindLoop(arith::Facts& facts, const For& loop);
/// Facts from a condition known to be true: each conjunct, and ranges of variables compared with constants.
void assume(arith::Facts& facts, const Expr& condition);
/// The condition's opposite; a compare stays a compare.
Expr negation(const Expr& condition);
/// Does it read memory, or call something with effects?
bool readsMemory(const Expr& expr);

/// Rewrites loops from the inside out, each with the facts about the loops around it.
class LoopMutator : public Mutator {
public:
    using Mutator::mutate;
    Stmt mutate(const Stmt& stmt) final;

protected:
    arith::Facts facts_;

    /// In place of `loop`, whose body is rewritten; `stmt` is the loop as a statement.
    virtual Stmt rewritten(const For& loop, const Stmt& stmt) = 0;
};

} // namespace lathe::tir
