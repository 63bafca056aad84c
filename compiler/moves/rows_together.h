// SPDX-License-Identifier: Apache-2.0
//
// Stages that share leading axes (softmax, normalisations): all of them for some rows before the next rows.
#pragma once

#include "schedule/schedule.h"

namespace lathe::moves {

/// Leading axes that all blocks have, of the same extents and none of them reduced; 0 if the last block is left nothing of its
/// own.
size_t sharedAxes(const schedule::Schedule& schedule, const std::vector<schedule::BlockRef>& blocks);

/// So many outermost loops around the block, as one.
schedule::LoopRef fuseOutermost(schedule::Schedule& schedule, const schedule::BlockRef& block, size_t count);

/// All stages, producers first, within the loop of the last one. That their memory lies near then is for the caller to ask: where
/// it is illegal, the default schedule goes on without, and the rules refuse the answers.
void computeTogether(schedule::Schedule& schedule, const std::vector<schedule::BlockRef>& stages,
                     schedule::LoopRef rows);

} // namespace lathe::moves
