// SPDX-License-Identifier: Apache-2.0
//
// Functions of numbers that several formats have and Relay has not, composed of those that it has. They compute in
// their operands' type; what a narrow float should not round on the way goes through inSingle.
#pragma once

#include "frontend/common/emit.h"

#include <vector>

namespace lathe::frontend {

/// x / y in whole numbers, rounded down.
Var floorQuotient(Builder& b, Var x, Var y);
/// 1 / sqrt(x).
Var inverseSquareRoot(Builder& b, Var x);
/// x without its fraction; a whole number as it is.
Var truncated(Builder& b, Var x);

/// log(1 + x) and exp(x) - 1, right near 0 too, where the sum and the difference would have rounded x away.
Var logOfOnePlus(Builder& b, Var x);
Var expMinusOne(Builder& b, Var x);

/// Coefficients by powers of x, that of the highest first; at least one.
Var polynomial(Builder& b, Var x, const std::vector<double>& coefficients);

/// log(base^x + base^y) to that base, given by its natural logarithm: by the larger of both, and what the sum is more.
Var logOfSum(Builder& b, Var x, Var y, double logOfBase = 1);

/// Whether the sign is set, of zeros too. x: float32 or float64.
Var hasSign(Builder& b, Var x);
/// The angle of (x, y).
Var angle(Builder& b, Var y, Var x);
/// The distance of (x, y) from (0, 0). By the larger of both, whose square might overflow.
Var hypotenuse(Builder& b, Var x, Var y);

} // namespace lathe::frontend
