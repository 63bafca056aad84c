// SPDX-License-Identifier: Apache-2.0
#include "tune/rules/annotate.h"

#include "moves/limits.h"
#include "moves/vectors.h"
#include "schedule/schedule_loops.h"
#include "tir/access.h"
#include "tir/transform/parallel_regions.h"
#include "tune/rules/tiles.h"

#include <algorithm>

namespace lathe::tune {

using schedule::BlockRef;
using schedule::LoopRef;

namespace {

/// Asks for the rows of a transpose, the loops as in moves::tileTranspose.
void tileTranspose(Sketch& sketch, const BlockRef& block, size_t axis, std::vector<LoopRef>& loops) {
    schedule::Schedule& s = sketch.schedule;
    const int64_t lanes = std::max<int64_t>(2, tir::lanesOfWidest(s.get(block), sketch.target));
    const std::vector<int64_t> sizes = {lanes, 2 * lanes};
    std::vector<Option> options = tileOptions(iterationsOf(s, loops[axis]), sizes);
    if (options.size() == 1)
        return;
    const schedule::Number rows = sketch.ask(block, "rows", options);
    if (rows != 1)
        moves::tileTranspose(s, loops, axis, rows);
}

/// Vectors along the loop, if it is long enough: gives the loop over them.
LoopRef vectorize(Sketch& sketch, const BlockRef& block, LoopRef inner) {
    schedule::Schedule& s = sketch.schedule;
    const int64_t lanes = std::max<int64_t>(2, tir::lanesOfWidest(s.get(block), sketch.target)),
                  extent = iterationsOf(s, inner);
    if (extent < lanes) {
        if (extent < moves::leastLanes || !arith::asInt(s.get(inner).extent))
            return inner;
        return moves::vectorizeBy(s, inner, extent);
    }
    std::vector<Option> options = {{lanes, 2}};
    for (const int64_t width : {2 * lanes, 4 * lanes})
        if (width <= extent && wasteOf(extent, width) <= mostWaste)
            options.push_back({width, 1});
    const schedule::Number width = options.size() == 1 ? schedule::Number(lanes) : sketch.ask(block, "width", options);
    return moves::vectorizeBy(s, inner, width);
}

} // namespace

int64_t iterationsOf(const schedule::Schedule& schedule, LoopRef loop) {
    return std::clamp<int64_t>(mostIterations(schedule, loop), 1, moves::endlessExtent);
}

LoopRef taskLoop(Sketch& sketch, const BlockRef& block, const std::vector<LoopRef>& loops) {
    // More are only arithmetic on indices.
    std::vector<Option> options;
    for (int64_t iterations = 1; iterations < tir::parallelChunks && options.size() < loops.size();) {
        iterations *= iterationsOf(sketch.schedule, loops[options.size()]);
        options.push_back({static_cast<int64_t>(options.size()) + 1, 1});
    }
    options.back().weight = 4;
    const int64_t count = options.size() == 1 ? 1 : sketch.ask(block, "fused", options).value;
    return fused(sketch.schedule, {loops.begin(), loops.begin() + count});
}

void vectorizeInnermost(Sketch& sketch, const BlockRef& block) {
    const tir::Block& body = sketch.schedule.get(block);
    const std::vector<LoopRef> loops = sketch.schedule.loops(block);
    if (isInjective(body) && !loops.empty() && sketch.schedule.get(loops.back()).kind == tir::ForKind::Serial)
        vectorize(sketch, block, loops.back());
}

void scheduleElementwise(Sketch& sketch, const BlockRef& block) {
    schedule::Schedule& s = sketch.schedule;
    std::vector<LoopRef> loops = s.loops(block);
    if (!isInjective(s.get(block)) || loops.size() != s.get(block).iters.size() || loops.empty())
        return;
    if (loops.size() > 1 && isFlat(s.get(block)) && sketch.ask(block, "flat", {{0, 1}, {1, 2}}) == 1)
        loops = {s.fuse(loops)};
    const std::optional<size_t> gathered = gatheredAlong(s.get(block));
    const size_t axes = loops.size();
    loops.back() = vectorize(sketch, block, loops.back());
    if (gathered && axes == s.get(block).iters.size())
        tileTranspose(sketch, block, *gathered, loops);
    s.parallel(taskLoop(sketch, block, loops));
}

void schedulePlain(Sketch& sketch, const BlockRef& block) {
    std::vector<LoopRef> loops = sketch.schedule.loops(block);
    const std::vector<tir::IterVar>& iters = sketch.schedule.get(block).iters;
    if (loops.size() != iters.size())
        return;
    loops.resize(static_cast<size_t>(
        std::ranges::find_if_not(iters, [](const tir::IterVar& iter) { return iter.kind == tir::IterKind::Spatial; }) -
        iters.begin()));
    if (!loops.empty())
        sketch.schedule.parallel(taskLoop(sketch, block, loops));
}

} // namespace lathe::tune
