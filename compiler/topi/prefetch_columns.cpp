// SPDX-License-Identifier: Apache-2.0
#include "topi/prefetch_columns.h"

#include "arith/analysis.h"
#include "base/cache_lines.h"
#include "base/rounding.h"

#include <algorithm>

namespace lathe::topi {

using schedule::BlockRef;
using schedule::LoopRef;
using schedule::Number;
using schedule::Schedule;

namespace {

/// Bytes ahead, of operands that are too large for the first cache.
constexpr int64_t near = 4096;
const std::vector<int64_t> distances = {near, 16384, 65536};
constexpr int64_t leastPrefetched = 32 * 1024;

int64_t bytesOf(const tir::Buffer& buffer) {
    int64_t bytes = buffer.dtype.bytes();
    for (const arith::Expr& extent : buffer.shape)
        if (const auto known = arith::asInt(extent); !known || __builtin_mul_overflow(bytes, *known, &bytes))
            return 0;
    return bytes;
}

/// The outermost of the innermost loop over tiles and the steps of which no iteration would ask for more than a line, else the
/// innermost. Loops over tiles outside of that become one with it, so nothing else can stand in them.
LoopRef askingLoop(const Schedule& s, const PanelLoops& loops, int64_t bytes) {
    const auto fewest = [&](LoopRef loop) { return std::max<int64_t>(1, arith::bounds(s.get(loop).extent).lower); };
    int64_t lines = bytes / lineBytes; // in one iteration of the loops so far
    for (const std::vector<LoopRef>& outer : {loops.panels, loops.tiles})
        for (const LoopRef loop : outer)
            lines = ceilDiv(lines, fewest(loop));
    if (lines <= 1)
        return loops.tiles.back();
    for (const LoopRef loop : loops.steps) {
        lines = ceilDiv(lines, fewest(loop));
        if (lines <= 1)
            return loop;
    }
    return loops.steps.back();
}

} // namespace

void prefetchColumns(Schedule& schedule, const BlockRef& block, const PanelLoops& loops,
                     std::vector<schedule::Refusal>& refusals) {
    const int64_t bytes = bytesOf(*loops.columns);
    const std::vector<tir::Region>& reads = schedule.get(block).reads;
    const auto found = std::ranges::find(reads, loops.columns, &tir::Region::buffer);
    if (bytes < leastPrefetched || found == reads.end())
        return;
    const auto read = static_cast<int>(found - reads.begin());
    const auto panel = std::ranges::find_if(loops.panels.rbegin(), loops.panels.rend(), [&](LoopRef loop) {
        return !arith::isConst(schedule.get(loop).extent, 1);
    });
    if (!loops.tiles.empty() && panel != loops.panels.rend() && schedule.choose(block, "nextPanel", {0, 1}, 1) == 1)
        attempt(schedule, "next panel", block, refusals,
                [&](Schedule& s) { s.prefetchNext(block, read, *panel, askingLoop(s, loops, bytes)); });
    std::vector<int64_t> fitting = distances;
    std::erase_if(fitting, [&](int64_t distance) { return distance >= bytes; });
    fitting.insert(fitting.begin(), 0);
    if (const Number distance = schedule.choose(block, "prefetch", fitting, loops.single ? near : 0); distance > 0)
        schedule.prefetch(block, read, loops.steps.back(), distance);
}

} // namespace lathe::topi
