// SPDX-License-Identifier: Apache-2.0
//
// What losses have in common: one an element, then as they are, their mean or their sum.
#pragma once

#include "frontend/torch/call.h"

namespace lathe::frontend::torch {

enum LossReduction : int64_t { AsTheyAre = 0, Mean = 1, Sum = 2 };

Ints everyAxis(Builder& b, Var x);
/// By argument "reduction".
Var reducedLoss(Call& call, Builder& b, Var loss);

} // namespace lathe::frontend::torch
