// SPDX-License-Identifier: Apache-2.0
//
// Updates that are put into a tensor at places, or joined with what lies there.
#pragma once

#include "frontend/common/emit.h"

namespace lathe::frontend {

/// op: ScatterElements (of `axis`) or ScatterNd. reduction: none, add, mul, max, min. Sums and products of narrow
/// floats are rounded once.
Var scatter(Builder& b, Op op, Var x, Var indices, Var updates, const std::string& reduction, int64_t axis = 0);

/// Updates added up at places, [.., dims], of zeros; operand `shape` holds their shape.
Var scatteredIntoZeros(NodeReader& node, size_t shape, Var indices, Var updates);
/// Values at places of what is `otherwise`, a scalar; operand `shape` holds its shape. Indices: rows of places, a vector those
/// of a tensor of rank 1, a scalar one such place.
Var densified(NodeReader& node, size_t shape, Var indices, Var values, Var otherwise);

} // namespace lathe::frontend
