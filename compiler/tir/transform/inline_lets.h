// SPDX-License-Identifier: Apache-2.0
//
// Inline (optional): names that only stand in the way.
//
// A Let of a constant, of another variable, or of index arithmetic without loads gives way to its value, so that the
// simplifier and the passes that look for affine indices see through it; code generation computes a shared value once
// anyway. Lets that read memory or compute data stay: where they stand is when they are read, and once is how often.
#pragma once

#include "tir/ir.h"

namespace lathe::tir {

PrimFuncPtr inlineLets(const PrimFuncPtr& function);

} // namespace lathe::tir
