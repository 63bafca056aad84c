// SPDX-License-Identifier: Apache-2.0
//
// When the panels of a tile's columns (topi/tile_reduction.h) are asked for, before they are read. A panel that lies in main
// memory is read by the first tile that passes over it, which waits for each line; the others find it in the second cache. So
// while tiles pass over one panel, each of them asks for its share of the next: memory is read evenly, and nobody waits. A
// single tile of rows reads each line once: it asks some lines ahead, if its multiply-adds leave the time for that.
#pragma once

#include "schedule/attempt.h"

namespace lathe::topi {

/// The loops around a tile's multiply-adds, outer to inner.
struct PanelLoops {
    tir::BufferPtr columns;                // the operand, one panel behind the other
    std::vector<schedule::LoopRef> panels; // which panel it is
    std::vector<schedule::LoopRef> tiles;  // several that pass over one before the next; empty: there are none
    std::vector<schedule::LoopRef> steps;  // of the reduction
    bool single = false;                   // one tile passes, which multiplies longer than it loads
};

/// Asks "nextPanel", by default yes where several tiles pass, and "prefetch" for a fixed distance, by default none but for a
/// single tile. A tile does without what is refused.
void prefetchColumns(schedule::Schedule& schedule, const schedule::BlockRef& block, const PanelLoops& loops,
                     std::vector<schedule::Refusal>& refusals);

} // namespace lathe::topi
