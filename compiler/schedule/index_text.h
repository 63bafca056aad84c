// SPDX-License-Identifier: Apache-2.0
//
// Reads index expressions back from a trace: what toString prints of sums, products, quotients and remainders.
#pragma once

#include "arith/expr.h"
#include "base/result.h"
#include "tir/ir.h"

#include <map>

namespace lathe::schedule {

/// The function's scalar parameters in order: s0, s1 … in the text.
std::vector<arith::Var> scalarsOf(const tir::PrimFunc& function);

/// Fails on unknown names, other operators, and nesting above limits::textNesting.
Result<arith::Expr> parseIndex(std::string_view text, const std::map<std::string, arith::Expr>& names);

} // namespace lathe::schedule
