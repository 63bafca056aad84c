// SPDX-License-Identifier: Apache-2.0
//
// Picking along an axis, each batch by indices of its own.
#pragma once

#include "frontend/common/emit.h"

namespace lathe::frontend {

/// x, of rank 1 at least, along an axis, by indices whose first dims, as many as the attribute batch_dims says, run
/// along with those of x.
Var gatherAlong(NodeReader& node, Builder& b, Var x, Var indices, int64_t axis);

} // namespace lathe::frontend
