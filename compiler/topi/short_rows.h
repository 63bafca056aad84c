// SPDX-License-Identifier: Apache-2.0
//
// Reductions along rows that are too short for partial results: a vector of rows, each step of the reduction a statement,
// which code generation reads as whole vectors.
#pragma once

#include "base/target.h"
#include "schedule/schedule.h"
#include "topi/register_tile.h"

namespace lathe::topi {

/// What tileReduction takes for such a block; nothing if it is none.
std::optional<RegisterTile> tileOfShortRows(const tir::Block& body, const Target& target);
/// After tileReduction.
void unrollSteps(schedule::Schedule& schedule, const schedule::BlockRef& block);

} // namespace lathe::topi
