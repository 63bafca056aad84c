// SPDX-License-Identifier: Apache-2.0
//
// When two PrimFuncs are the same program: kernels of equal structure are compiled once.
#pragma once

#include "tir/ir.h"

namespace lathe::tir {

/// Structure alike up to names and origins.
bool structurallyEqual(const PrimFunc& a, const PrimFunc& b);
/// Leaves out names and origins. Stable across runs.
Hash128 structuralHash(const PrimFunc& function);

} // namespace lathe::tir
