// SPDX-License-Identifier: Apache-2.0
//
// Copies of statements. Every Var is bound once in a function, so code that a pass duplicates needs variables and local
// buffers of its own in each copy.
#pragma once

#include "arith/analysis.h"
#include "tir/ir.h"

namespace lathe::tir {

/// The statement with `map` applied and with fresh loop variables, let variables and buffers where it defines them.
Stmt copyOf(const Stmt& stmt, arith::VarMap map = {});
/// How many statements it has once its unrolled loops of constant extent are unrolled.
int64_t unrolledSize(const Stmt& stmt);
/// Nothing to do: null, or a Seq of nothing.
bool isNothing(const Stmt& stmt);
inline Stmt nothing(int origin) {
    return makeStmt(Seq{}, origin);
}

} // namespace lathe::tir
