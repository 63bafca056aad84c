// SPDX-License-Identifier: Apache-2.0
//
// The rules SRS, SSRS, packed and SSRSRS: multi-level tiling, the last level being a tile of results that stays in registers.
#pragma once

#include "tune/rules/sketch.h"

namespace lathe::tune {

/// Whether the block's loops are still those of its axes, and it has a vector axis.
bool canTile(Sketch& sketch, const schedule::BlockRef& block);

/// Whether it has none because of one operand that lies along the reduction, and could be stored as vectors go.
bool canPack(Sketch& sketch, const schedule::BlockRef& block);

/// Computes the reduction in tiles, what follows each result on the tile, and what was placed there with the tiles of a task.
void tileReduction(Sketch& sketch, const schedule::BlockRef& block, Rule rule);

} // namespace lathe::tune
