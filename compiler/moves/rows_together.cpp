// SPDX-License-Identifier: Apache-2.0
#include "moves/rows_together.h"

#include "schedule/schedule_loops.h"

#include <algorithm>

namespace lathe::moves {

using schedule::BlockRef;
using schedule::LoopRef;
using schedule::Schedule;

size_t sharedAxes(const Schedule& schedule, const std::vector<BlockRef>& blocks) {
    const tir::Block& last = schedule.get(blocks.back());
    size_t shared = last.iters.size();
    for (const BlockRef& block : blocks) {
        const tir::Block& body = schedule.get(block);
        size_t same = 0;
        while (same < std::min(body.iters.size(), last.iters.size()) &&
               body.iters[same].kind == tir::IterKind::Spatial &&
               arith::provablyEqual(body.iters[same].extent, last.iters[same].extent))
            ++same;
        shared = std::min(shared, same);
    }
    return shared < last.iters.size() ? shared : 0;
}

LoopRef fuseOutermost(Schedule& schedule, const BlockRef& block, size_t count) {
    std::vector<LoopRef> loops = schedule.loops(block);
    loops.resize(count);
    return fused(schedule, loops);
}

void computeTogether(Schedule& schedule, const std::vector<BlockRef>& stages, LoopRef rows) {
    for (size_t i = stages.size() - 1; i-- > 0;)
        schedule.computeAt(stages[i], rows);
}

} // namespace lathe::moves
