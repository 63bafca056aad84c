// SPDX-License-Identifier: Apache-2.0
//
// One vectorized loop: its body for all lanes at once.
#pragma once

#include "arith/analysis.h"
#include "tir/ir.h"

namespace lathe::tir {

/// The body with var = min … min + lanes - 1, one vector lane each; null if that cannot be done.
Stmt widen(const Stmt& body, const Var& var, const Expr& min, int lanes, const arith::Facts& facts);

/// No lane reads or writes what another lane writes, for any two of `lanes` consecutive values of var.
bool lanesIndependent(const Stmt& body, const Var& var, int lanes, const arith::Facts& facts);

} // namespace lathe::tir
