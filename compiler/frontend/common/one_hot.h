// SPDX-License-Identifier: Apache-2.0
//
// Indices as the places of ones in rows of zeros.
#pragma once

#include "frontend/common/emit.h"

namespace lathe::frontend {

/// Bools: where along a new dim `axis` of `depth` places that of the index is. An index outside has none.
Var oneHot(Builder& b, Var indices, const Expr& depth, int64_t axis);

/// The same as TensorFlow's operator and TFLite's after it spell it: indices, depth; attribute `axis`. Var{} after a fault.
Var oneHotOf(NodeReader& node);

} // namespace lathe::frontend
