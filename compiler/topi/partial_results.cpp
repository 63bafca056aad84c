// SPDX-License-Identifier: Apache-2.0
#include "topi/partial_results.h"

#include "arith/analysis.h"
#include "moves/partial_results.h"
#include "tir/access.h"
#include "topi/parallel_task.h"

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
const std::vector<int64_t> dotCounts = {1, 2, 3, 4, 6, 8};

/// Of a row summed in several vectors: fewer do not pay for combining them.
constexpr int64_t leastSteps = 8;

/// The longest spatial axis that one operand uses and the other does not; -1: none.
int ownAxis(const tir::Block& body, const tir::AccessPattern& own, const tir::AccessPattern& other) {
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

/// Throws ScheduleError if there are none.
std::vector<int64_t> countsOf(Schedule& schedule, const BlockRef& block, const Target& target) {
    const auto counts = moves::partialCounts(schedule, block, target);
    if (!counts)
        throw ScheduleError(counts.error());
    return *counts;
}

} // namespace

BlockRef partialResults(Schedule& schedule, const BlockRef& block, const Target& target) {
    const std::vector<int64_t> counts = countsOf(schedule, block, target);
    const LoopRef loop = schedule.loops(block).back();
    int64_t preferred = counts.front();
    if (const auto extent = arith::asInt(schedule.get(loop).extent))
        for (const int64_t partials : counts)
            if (*extent >= leastSteps * partials)
                preferred = partials;
    return moves::makePartials(schedule, block, schedule.choose(block, "partials", counts, preferred));
}

void tileDots(Schedule& s, const BlockRef& block, const Target& target) {
    const tir::Block body = s.get(block);
    const std::optional<tir::Contraction> found = asContraction(body);
    const auto reductions = std::ranges::count(body.iters, tir::IterKind::Reduce, &tir::IterVar::kind);
    if (!found || reductions != 1 || found->a.constantStride(body.iters.back().var) != 1 ||
        found->b.constantStride(body.iters.back().var) != 1)
        throw ScheduleError("no product of rows by rows");
    const int row = ownAxis(body, found->a, found->b), column = ownAxis(body, found->b, found->a);
    if (row < 0 || column < 0)
        throw ScheduleError("one of the operands has a single row");
    const BlockRef partial = moves::makePartials(s, block, countsOf(s, block, target).front());
    const schedule::Number rows = s.choose(block, "dotRows", dotCounts, dotRows);
    const schedule::Number columns = s.choose(block, "dotColumns", dotCounts, dotColumns);
    // Tiles outermost; inside a tile its rows, its columns and the lanes that are left to combine.
    std::vector<LoopRef> loops = s.loops(block), outer, tile;
    const LoopRef lane = loops.back();
    for (size_t i = 0; i + 1 < loops.size(); ++i) {
        const bool tiled = static_cast<int>(i) == row || static_cast<int>(i) == column;
        if (!tiled) {
            outer.push_back(loops[i]);
            continue;
        }
        const std::vector<LoopRef> parts = s.split(loops[i], {-1, static_cast<int>(i) == row ? rows : columns});
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
    parallelTask(s, block, fusedTasks(s, block, outer));
}

} // namespace lathe::topi
