// SPDX-License-Identifier: Apache-2.0
//
// Computations that come nearer to their result step by step: loops of the model that end when no element changes
// any more.
#pragma once

#include "frontend/common/emit.h"

#include <functional>
#include <vector>

namespace lathe::frontend {

/// Whether a condition holds anywhere: bool[].
Var anywhere(Builder& b, Var condition);

/// step of the values until its last result, a condition of any shape, holds nowhere, but at most so many times. step
/// is told how often it was called before (int64[]), and gives as many values of the same types, and the condition.
/// Gives the last values.
using IterationStep = std::function<std::vector<Var>(Var iteration, const std::vector<Var>& values)>;
std::vector<Var> iterated(Builder& b, const std::vector<Var>& values, int64_t most, const IterationStep& step);

/// step of the values so many times, for steps that have no condition.
std::vector<Var> repeated(Builder& b, const std::vector<Var>& values, Var times, const IterationStep& step);

} // namespace lathe::frontend
