// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic that several formats have, composed of elementwise operators.
#pragma once

#include "frontend/common/emit.h"

namespace lathe::frontend {

/// x / y in whole numbers, rounded down.
Var floorQuotient(Builder& b, Var x, Var y);
/// 1 / sqrt(x).
Var inverseSquareRoot(Builder& b, Var x);
/// The angle of (x, y), float32 or float64: that of their magnitudes, in the first quadrant, then mirrored.
Var angle(Builder& b, Var y, Var x);

} // namespace lathe::frontend
