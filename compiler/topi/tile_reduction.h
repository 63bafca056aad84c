// SPDX-License-Identifier: Apache-2.0
//
// The schedule of a reduction in tiles that stay in registers (topi/register_tile.h): what a tile is, in which order tiles
// pass, which of them are tasks, and what is computed for each.
#pragma once

#include "schedule/attempt.h"
#include "topi/register_tile.h"

namespace lathe::topi {

struct TiledReduction {
    std::vector<std::string> blocks;          // those that are scheduled now
    std::vector<schedule::BlockRef> operands; // computed for each band, without vectors yet
    std::vector<schedule::Refusal> refusals;  // what the tile does without
};

/// One task that computes all tiles, whose loop is parallel already.
struct TileTask {
    std::vector<arith::Expr> extents; // of the block's axes in it
    bool sharesColumns = false;       // others read the same columns
};

/// Computes the reduction in tiles whose results are registers, then what follows on the tile. What is computed for this
/// reduction alone (its padded operand) is computed for each band. Asks what stands in topi/default_schedule.h; what `tile`
/// says is preferred. Without `task` the tiles are tasks. Throws ScheduleError if that is illegal.
TiledReduction tileReduction(schedule::Schedule& schedule, const schedule::BlockRef& block, const RegisterTile& tile,
                             const Target& target, const std::optional<TileTask>& task = {});

} // namespace lathe::topi
