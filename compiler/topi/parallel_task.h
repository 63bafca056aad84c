// SPDX-License-Identifier: Apache-2.0
//
// Parallel loops of default schedules, and what they ask of each.
#pragma once

#include "schedule/schedule.h"

#include <vector>

namespace lathe::topi {

/// Element operations below which a parallel loop would be one chunk, to choose from.
inline const std::vector<int64_t> taskGrains = {4096, 16384, 65536, 262144};

/// The loops, which nest, as one: all of them, or as many of the outer ones as "fused" says.
schedule::LoopRef fusedTasks(schedule::Schedule& schedule, const schedule::BlockRef& block,
                             const std::vector<schedule::LoopRef>& loops);

/// Runs the loop in parallel. Asks for its "grain", if that changes the number of chunks.
void parallelTask(schedule::Schedule& schedule, const schedule::BlockRef& block, schedule::LoopRef loop);

} // namespace lathe::topi
