// SPDX-License-Identifier: Apache-2.0
//
// Loops of a schedule: what every kind of schedule asks of them.
#pragma once

#include "arith/analysis.h"
#include "schedule/schedule.h"

namespace lathe::schedule {

/// The loops as one.
inline LoopRef fused(Schedule& schedule, const std::vector<LoopRef>& loops) {
    return loops.size() == 1 ? loops.front() : schedule.fuse(loops);
}

/// How often a loop runs at most; the largest number if that is not known.
inline int64_t mostIterations(const Schedule& schedule, LoopRef loop) {
    return arith::bounds(schedule.get(loop).extent).upper;
}

} // namespace lathe::schedule
