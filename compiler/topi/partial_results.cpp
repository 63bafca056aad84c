// SPDX-License-Identifier: Apache-2.0
#include "topi/partial_results.h"

#include "arith/analysis.h"
#include "topi/access.h"

#include <algorithm>

namespace lathe::topi {

using schedule::BlockRef;
using schedule::LoopRef;
using schedule::Schedule;
using schedule::ScheduleError;

namespace {

/// Of a tile of dot products: eight partial results hide a latency of four cycles at two multiply-adds a cycle, and leave
/// registers for the operands.
constexpr int64_t dotRows = 4, dotColumns = 2;

/// The longest spatial axis that one operand uses and the other does not; -1: none.
int ownAxis(const tir::Block& body, const Access& own, const Access& other) {
    int best = -1;
    int64_t most = 1;
    for (size_t i = 0; i < body.iters.size(); ++i) {
        const tir::IterVar& iter = body.iters[i];
        const int64_t extent = arith::bounds(iter.extent).upper;
        if (iter.kind == tir::IterKind::Spatial && own.uses(iter.var) && !other.uses(iter.var) && extent > most) {
            best = static_cast<int>(i);
            most = extent;
        }
    }
    return best;
}

} // namespace

int64_t extentOf(const Schedule& schedule, LoopRef loop) {
    return arith::bounds(schedule.get(loop).extent).upper;
}

BlockRef partialResults(Schedule& schedule, const BlockRef& block, const Target& target) {
    const tir::Block& body = schedule.get(block);
    const tir::Store* store = onlyStore(body);
    std::vector<LoopRef> loops = schedule.loops(block);
    bool follows = false, fits = store && loops.size() == body.iters.size() && isReduction(body) &&
                                 body.iters.back().kind == tir::IterKind::Reduce;
    int64_t lanes = fits ? target.lanes(std::max<int>(32, store->buffer->dtype.bits)) : 0;
    if (fits)
        for (const Access& read : readsOf(body)) {
            auto stride = read.constantStride(body.iters.back().var);
            fits &= stride && (*stride == 0 || *stride == 1);
            follows |= stride == 1;
        }
    if (!fits || !follows || extentOf(schedule, loops.back()) < 2 * lanes)
        throw schedule::ScheduleError("no vectors along the reduction");
    schedule.rfactor(schedule.split(loops.back(), {-1, lanes})[1], -1);
    return {block.name + "_rf"};
}

void vectorizePartial(Schedule& schedule, const BlockRef& partial) {
    schedule.setScope(partial, 0, tir::Scope::Local);
    const tir::Block& body = schedule.get(partial);
    std::vector<LoopRef> loops = schedule.loops(partial);
    loops.erase(loops.begin(), loops.end() - static_cast<int64_t>(body.iters.size()));
    size_t spatial = 0;
    while (body.iters[spatial].kind == tir::IterKind::Spatial)
        ++spatial;
    LoopRef lane = loops[spatial - 1], first = loops[spatial];
    std::vector<LoopRef> order(loops.begin() + static_cast<int64_t>(spatial), loops.end());
    order.push_back(lane);
    schedule.reorder(order);
    BlockRef init = schedule.decomposeReduction(partial, first);
    schedule.vectorize(lane);
    schedule.vectorize(schedule.loops(init).back());
}

void tileDots(Schedule& s, const BlockRef& block, const Target& target) {
    const tir::Block body = s.get(block);
    const std::optional<Contraction> found = asContraction(body);
    const auto reductions = std::ranges::count(body.iters, tir::IterKind::Reduce, &tir::IterVar::kind);
    if (!found || reductions != 1 || found->a.constantStride(body.iters.back().var) != 1 ||
        found->b.constantStride(body.iters.back().var) != 1)
        throw ScheduleError("no product of rows by rows");
    const int row = ownAxis(body, found->a, found->b), column = ownAxis(body, found->b, found->a);
    if (row < 0 || column < 0)
        throw ScheduleError("one of the operands has a single row");
    const BlockRef partial = partialResults(s, block, target);
    // Tiles outermost; inside a tile its rows, its columns and the lanes that are left to combine.
    std::vector<LoopRef> loops = s.loops(block), outer, tile;
    const LoopRef lane = loops.back();
    for (size_t i = 0; i + 1 < loops.size(); ++i) {
        const bool tiled = static_cast<int>(i) == row || static_cast<int>(i) == column;
        if (!tiled) {
            outer.push_back(loops[i]);
            continue;
        }
        const std::vector<LoopRef> parts = s.split(loops[i], {-1, static_cast<int>(i) == row ? dotRows : dotColumns});
        outer.push_back(parts[0]);
        tile.push_back(parts[1]);
    }
    std::vector<LoopRef> nest = outer;
    nest.insert(nest.end(), tile.begin(), tile.end());
    nest.push_back(lane);
    s.reorder(nest);
    s.computeAt(partial, outer.back());
    s.setScope(partial, 0, tir::Scope::Local);

    std::vector<LoopRef> own = s.loops(partial);
    own.erase(own.begin(), own.begin() + static_cast<int64_t>(outer.size()));
    const LoopRef steps = own.back(), vector = own[own.size() - 2];
    std::vector<LoopRef> inner = {steps};
    inner.insert(inner.end(), own.begin(), own.end() - 1);
    s.reorder(inner);
    const BlockRef partialInit = s.decomposeReduction(partial, steps);
    s.decomposeReduction(block, lane);
    // Partial results are registers only where every index is a constant.
    const auto unrollBelow = [&](const BlockRef& each, size_t last) {
        const std::vector<LoopRef> all = s.loops(each);
        for (size_t i = outer.size(); i + last < all.size(); ++i)
            if (all[i].id != steps.id)
                s.unroll(all[i]);
    };
    s.vectorize(vector);
    s.vectorize(s.loops(partialInit).back());
    unrollBelow(partial, 1);
    unrollBelow(partialInit, 1);
    unrollBelow(block, 0);
    s.parallel(outer.size() == 1 ? outer.front() : s.fuse(outer));
}

} // namespace lathe::topi
