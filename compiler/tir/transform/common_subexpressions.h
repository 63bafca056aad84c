// SPDX-License-Identifier: Apache-2.0
//
// Common subexpressions (optional): equal parts of one statement become one node.
//
// Inlining producers into consumers and unrolling write the same address arithmetic, the same load, the same exp several
// times. Nodes of equal structure within a statement's expressions are shared; code generation computes a shared node
// once. Loads may be shared within a statement because it reads everything before it writes.
#pragma once

#include "tir/ir.h"

namespace lathe::tir {

PrimFuncPtr commonSubexpressions(const PrimFuncPtr& function);

} // namespace lathe::tir
