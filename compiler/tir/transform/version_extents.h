// SPDX-License-Identifier: Apache-2.0
//
// Step 2 of "partition loops" (partition_loops.h): versions of code for tiles that are full, and for each length of the last one.
// All extents that are known at a place are versioned there together, as far out as their variables allow; of statements that
// have no extent in common each has its own versions.
#pragma once

#include "tir/ir.h"
#include "tir/transform/simplify.h"

namespace lathe::tir {

Stmt versionExtents(const Stmt& body, const Checkpoint& checkpoint);

} // namespace lathe::tir
