// SPDX-License-Identifier: Apache-2.0
//
// Schedules of blocks that compute each element by itself: elementwise work and what only moves elements.
#pragma once

#include "base/target.h"
#include "schedule/attempt.h"

namespace lathe::topi {

/// One flat loop if all reads go along with the store; else vectors along the innermost axes, tiles of them where a transpose
/// reads columns, and loops for the others. Parallel from so many elements. Asks for "flat", "width", "rows" and "grain".
void scheduleElementwise(schedule::Schedule& schedule, const schedule::BlockRef& block, const Target& target,
                         std::vector<schedule::Refusal>& refusals);

/// Vectors along the innermost loop alone, if it is long enough for one; a shorter one of known length is a vector.
void vectorizeInnermost(schedule::Schedule& schedule, const schedule::BlockRef& block, const Target& target,
                        std::vector<schedule::Refusal>& refusals);

} // namespace lathe::topi
