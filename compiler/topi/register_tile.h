// SPDX-License-Identifier: Apache-2.0
//
// The tile of a reduction that stays in registers: some rows of one operand by some vectors of the other. What it is good
// for and how wide it is (contractionTile, slidingTile), and the schedule that makes it (tileReduction).
#pragma once

#include "base/target.h"
#include "schedule/schedule.h"

#include <optional>

namespace lathe::topi {

/// Vectors of `width` elements along one spatial axis, `rows` of another (-1: none) unrolled around them.
struct RegisterTile {
    int vectorAxis = -1, rowAxis = -1;
    int64_t width = 1, rows = 1;
    std::vector<int64_t> widths; // what the width may be; empty: a panel of packed weights has its own
    std::vector<int> before;     // axes outside of all tiles of one panel; the others pass inside
};

/// The tile of a matrix product or convolution; nothing if the block is none or its axes do not fit.
std::optional<RegisterTile> contractionTile(const tir::Block& body, const Target& target);

/// Vectors along the axis in which the result is contiguous, where every read moves by a constant step or not at all:
/// windows that slide (pooling, depthwise convolution), reductions over outer axes.
std::optional<RegisterTile> slidingTile(const tir::Block& body, const Target& target);

/// Computes the reduction in tiles whose results are registers, then what follows on the tile. Asks for "width" and
/// "rows", those of `tile` preferred. Gives the blocks that are scheduled with it. Throws ScheduleError if that is illegal.
std::vector<std::string> tileReduction(schedule::Schedule& schedule, const schedule::BlockRef& block,
                                       const RegisterTile& tile);

} // namespace lathe::topi
