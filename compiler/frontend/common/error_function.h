// SPDX-License-Identifier: Apache-2.0
//
// The error function's complement and inverse, and the normal distribution, which is made of them. All compute in
// float64, since their parts cancel, and give their operand's type.
#pragma once

#include "frontend/common/emit.h"

namespace lathe::frontend {

/// 1 - erf(x), of which nothing would be left where erf(x) comes near to 1.
Var complementOfErf(Builder& b, Var x);
/// The same times exp(x²), which does not vanish.
Var scaledComplementOfErf(Builder& b, Var x);
/// Where erf has come to y: infinities at -1 and 1, NaN beyond.
Var inverseErf(Builder& b, Var y);

/// How much of the normal distribution lies below x, and the logarithm of it.
Var normalShare(Builder& b, Var x);
Var logNormalShare(Builder& b, Var x);
/// Below which x a share of the normal distribution lies; NaN for what is no share.
Var normalQuantile(Builder& b, Var share);

} // namespace lathe::frontend
