// SPDX-License-Identifier: Apache-2.0
#include "topi/parallel_task.h"

#include "schedule/schedule_loops.h"
#include "tir/transform/parallel_regions.h"

#include <algorithm>

namespace lathe::topi {

using schedule::BlockRef;
using schedule::LoopRef;
using schedule::Schedule;

namespace {

/// Fewer iterations leave threads without work.
constexpr int64_t leastTasks = 4;

} // namespace

LoopRef fusedTasks(Schedule& schedule, const BlockRef& block, const std::vector<LoopRef>& loops) {
    std::vector<int64_t> counts;
    int64_t iterations = 1;
    for (size_t count = 1; count < loops.size(); ++count) {
        const int64_t extent = mostIterations(schedule, loops[count - 1]);
        iterations = std::min(leastTasks, iterations * std::clamp<int64_t>(extent, 1, leastTasks));
        if (extent > 1 && iterations >= leastTasks)
            counts.push_back(static_cast<int64_t>(count));
    }
    while (!counts.empty() && std::all_of(loops.begin() + counts.back(), loops.end(),
                                          [&](LoopRef loop) { return mostIterations(schedule, loop) <= 1; }))
        counts.pop_back(); // what is left of the loops is none
    if (counts.empty())
        return fused(schedule, loops);
    const int64_t count = schedule.choose(block, "fused", counts, static_cast<int64_t>(loops.size()));
    return fused(schedule, {loops.begin(), loops.begin() + count});
}

void parallelTask(Schedule& schedule, const BlockRef& block, LoopRef loop) {
    schedule.parallel(loop);
    std::vector<int64_t> distinct;
    const int64_t usual = tir::chunksOf(schedule.get(loop), tir::parallelGrain).value_or(0);
    for (const int64_t grain : taskGrains)
        if (const auto chunks = tir::chunksOf(schedule.get(loop), grain); !chunks || *chunks != usual)
            distinct.push_back(grain);
    if (!distinct.empty())
        schedule.annotate(loop, "grain", schedule.choose(block, "grain", distinct, tir::parallelGrain));
}

} // namespace lathe::topi
