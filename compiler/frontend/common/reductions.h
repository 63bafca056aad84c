// SPDX-License-Identifier: Apache-2.0
//
// What normalizations and reductions of several formats are made of. All compute in their operand's type: narrow floats
// go through inSingle.
#pragma once

#include "frontend/common/emit.h"

namespace lathe::frontend {

/// Over axes, which stay as dims of 1.
struct Moments {
    Var centered, mean, variance;
};
Moments moments(Builder& b, Var x, const Ints& axes);

/// 1 / sqrt(variance + epsilon).
Var inverseRoot(Builder& b, Var variance, double epsilon);

/// (x - mean) * factor + bias, which may be absent: of what is constant exactly the bias, which
/// x * factor + (bias - mean * factor) is not.
Var scaledAndMoved(Builder& b, Var x, Var mean, Var factor, Var bias);

/// log(sum(exp(x))) over axes, ascending.
Var logSumExp(Builder& b, Var x, const Ints& axes, bool keepDims);

} // namespace lathe::frontend
