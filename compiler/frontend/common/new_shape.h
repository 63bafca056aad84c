// SPDX-License-Identifier: Apache-2.0
//
// New shapes as models write them: -1 stands for the dim that the others leave, 0 may stand for the operand's own.
// Elements may be computed while the model runs. And shapes without dims of 1.
#pragma once

#include "frontend/common/emit.h"

namespace lathe::frontend {

enum class ZeroDim {
    Copied, // stands for the operand's dim at the same place
    Kept    // is a dim of 0
};

/// Whether an element of a new shape may turn out to be -1 while the model runs.
bool mayHoldMarker(const Dims& wanted);

/// x with the shape that `wanted` says.
Var inNewShape(Builder& b, Var x, const Dims& wanted, ZeroDim zero);

/// x without these dims, ascending, each of which is to be 1.
Var withoutDims(Builder& b, Var x, const Ints& axes);
/// x without the dims that are 1; those that are not known are not to be.
Var withoutOnes(Builder& b, Var x);

} // namespace lathe::frontend
