// SPDX-License-Identifier: Apache-2.0
//
// Indices as the places of ones in rows of zeros.
#pragma once

#include "frontend/common/emit.h"

namespace lathe::frontend {

/// Bools: where along a new dim `axis` of `depth` places that of the index is. An index outside has none.
Var oneHot(Builder& b, Var indices, const Expr& depth, int64_t axis);

} // namespace lathe::frontend
