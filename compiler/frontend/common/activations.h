// SPDX-License-Identifier: Apache-2.0
//
// Activations that several formats have, composed of elementwise operators: fusion makes one kernel of each. They
// compute in x's type; what a narrow float should not round on the way goes through inSingle.
#pragma once

#include "frontend/common/emit.h"

namespace lathe::frontend {

/// x, and where it is negative `whenNegative`.
Var negativeOr(Builder& b, Var x, Var whenNegative);
/// alpha · x + beta, between 0 and 1.
Var hardSigmoid(Builder& b, Var x, double alpha, double beta);
Var elu(Builder& b, Var x, double alpha);
/// By the error function, or by the hyperbolic tangent that comes near to it.
Var gelu(Builder& b, Var x, bool byTanh);
Var mish(Builder& b, Var x);

} // namespace lathe::frontend
