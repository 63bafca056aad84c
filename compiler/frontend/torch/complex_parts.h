// SPDX-License-Identifier: Apache-2.0
//
// Complex numbers as their two parts in a last dim of two, the real one first.
#pragma once

#include "frontend/common/emit.h"

namespace lathe::frontend::torch {

/// A part alone: 0 the real one, 1 the imaginary one.
Var partOf(Builder& b, Var parts, int64_t which);
Var joinParts(Builder& b, Var real, Var imaginary);
/// How far each number is from 0.
Var magnitude(Builder& b, Var parts);

} // namespace lathe::frontend::torch
