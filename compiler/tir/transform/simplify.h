// SPDX-License-Identifier: Apache-2.0
//
// Simplify (optional): what is known at each place is used at that place.
//
// Index arithmetic is simplified with the facts of the loops and branches around: ranges of loop variables, conditions
// that hold. An If whose condition is proved true or false becomes one of its cases; a loop of one iteration becomes its
// body; a loop of none disappears. Schedules produce much of this (splits of exact multiples, predicates that cannot
// fail), and the passes after it look for simple forms.
#pragma once

#include "arith/analysis.h"
#include "tir/ir.h"

#include <functional>

namespace lathe::tir {

/// Asked at each statement that is simplified, which is where passes take long; throws to end the work. May be empty.
using Checkpoint = std::function<void()>;

PrimFuncPtr simplify(const PrimFuncPtr& function, const Checkpoint& checkpoint = {});
/// The same for one statement, with facts from around it.
Stmt simplifyStmt(const Stmt& stmt, const arith::Facts& facts, const Checkpoint& checkpoint = {});

} // namespace lathe::tir
