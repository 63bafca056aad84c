// SPDX-License-Identifier: Apache-2.0
//
// The gamma function's logarithm, the derivatives of that, and Hurwitz's zeta function, of which they are made. All
// compute in float64, since large parts cancel, and give their operand's type.
#pragma once

#include "frontend/common/emit.h"

namespace lathe::frontend {

/// log |gamma(x)|: infinite at 0, -1, -2, …
Var logGamma(Builder& b, Var x);
/// Its derivative: at zeros an infinity of the other sign, at -1, -2, … NaN.
Var digamma(Builder& b, Var x);
/// The derivative of digamma of that order, from 1.
Var polygamma(Builder& b, int64_t order, Var x);

/// The sum of 1 / (q + k)^s over k = 0, 1, …; infinite at s = 1 and at poles, NaN where it has no sum. Of operands of one
/// type, which broadcast. Right down to q = -100,000.
Var hurwitzZeta(Builder& b, Var s, Var q);

} // namespace lathe::frontend
