// SPDX-License-Identifier: Apache-2.0
//
// Updates that are put into a tensor at places, or joined with what lies there.
#pragma once

#include "frontend/common/emit.h"

namespace lathe::frontend {

/// op: ScatterElements (of `axis`) or ScatterNd. reduction: none, add, mul, max, min. Sums and products of narrow
/// floats are rounded once.
Var scatter(Builder& b, Op op, Var x, Var indices, Var updates, const std::string& reduction, int64_t axis = 0);

} // namespace lathe::frontend
