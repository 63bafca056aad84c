// SPDX-License-Identifier: Apache-2.0
//
// When two PrimFuncs are the same. Equal structure, names and origins aside, is what makes two calls share one kernel;
// identity, names and origins included, is what a pass that changed nothing must show: it then gives back the function it
// was given, so that a pointer tells whether anything changed, and a snapshot after each pass costs nothing.
#pragma once

#include "tir/ir.h"

namespace lathe::tir {

/// Structure alike up to names and origins.
bool structurallyEqual(const PrimFunc& a, const PrimFunc& b);
/// Leaves out names and origins. Stable across runs.
Hash128 structuralHash(const PrimFunc& function);

/// Structure, names and origins alike: they print the same text (tir/text.h). What both share is not looked at.
bool identical(const PrimFunc& a, const PrimFunc& b);
/// `before` itself if `after` is identical to it, else `after`.
PrimFuncPtr unlessIdentical(const PrimFuncPtr& before, PrimFuncPtr after);
/// `before` with another body, or `before` itself if that is identical: what most passes give.
PrimFuncPtr withBody(const PrimFuncPtr& before, Stmt body);

} // namespace lathe::tir
