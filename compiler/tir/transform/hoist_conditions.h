// SPDX-License-Identifier: Apache-2.0
//
// Hoist conditions (optional): what does not change in a loop is not asked in the loop.
//
//   for i { if (c) A else B }       ->  if (c) for i A else for i B      where c does not depend on i and reads no memory
//   for i { if (c && d(i)) A }      ->  if (c) for i { if (d(i)) A }
//   let x = e: if (c) A             ->  if (c) { let x = e: A }              where c does not mention x
//   if (c) A; if (c) B              ->  if (c) { A; B }
//
// Guards of split loops depend on outer loops mostly; out of the inner ones they cost nothing, and what remains has the
// form that partitioning looks for.
#pragma once

#include "tir/ir.h"

namespace lathe::tir {

PrimFuncPtr hoistConditions(const PrimFuncPtr& function);
Stmt hoistConditions(const Stmt& stmt);

} // namespace lathe::tir
