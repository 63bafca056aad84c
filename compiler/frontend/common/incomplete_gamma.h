// SPDX-License-Identifier: Apache-2.0
//
// The incomplete gamma and beta functions, as shares of the whole ones. Operands are of one type and broadcast; all
// compute in float64. Their series and continued fractions are run until they no longer change, 10,000 terms at most:
// parameters up to about a million.
#pragma once

#include "frontend/common/emit.h"

namespace lathe::frontend {

/// The share of gamma(a) that its integral has below x (P), or above it (Q). NaN for negative operands and where there is
/// no limit.
Var gammaShareBelow(Builder& b, Var a, Var x);
Var gammaShareAbove(Builder& b, Var a, Var x);

/// The share of beta(p, q) that its integral has below x; NaN unless p and q are positive and x is in 0 … 1.
Var betaShare(Builder& b, Var p, Var q, Var x);

} // namespace lathe::frontend
