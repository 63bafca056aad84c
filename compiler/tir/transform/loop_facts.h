// SPDX-License-Identifier: Apache-2.0
//
// What is known inside a loop or a branch, for the simplifier: the one place where passes turn control flow into Facts.
#pragma once

#include "arith/analysis.h"
#include "tir/ir.h"

namespace lathe::tir {

/// min <= var <= min + extent - 1, by the bounds of both. Variables are bound once, so the fact may stay.
void bindLoop(arith::Facts& facts, const For& loop);
/// Facts from a condition known to be true: each conjunct, and ranges of variables compared with constants.
void assume(arith::Facts& facts, const Expr& condition);
/// The condition's conjuncts, in order: `a && (b && c)` gives a, b, c.
std::vector<Expr> conjuncts(const Expr& condition);
Expr conjunction(const std::vector<Expr>& conditions); // null if empty
/// The condition's opposite; a compare stays a compare.
Expr negation(const Expr& condition);
/// Does `var` occur?
bool dependsOn(const Expr& expr, const Expr& var);
/// Does it read memory, or call something with effects?
bool readsMemory(const Expr& expr);

} // namespace lathe::tir
