// SPDX-License-Identifier: Apache-2.0
//
// Vectors of what is computed element by element, and tiles of them where they gather.
#pragma once

#include "schedule/schedule.h"

namespace lathe::moves {

/// A shorter loop is as fast element by element.
inline constexpr int64_t leastLanes = 4;

/// The loop in vectors of so many elements; gives the loop over them.
schedule::LoopRef vectorizeBy(schedule::Schedule& schedule, schedule::LoopRef loop, const schedule::Number& width);

/// Rows of a transpose next to each other: what one vector gathers from lies in the lines that the next ones need, and code
/// generation reads them as vectors where they are statements in sequence. `loops` are one an axis, the last over vectors; that
/// of `axis`, along which the transpose reads neighbours, becomes one over so many rows.
void tileTranspose(schedule::Schedule& schedule, std::vector<schedule::LoopRef>& loops, size_t axis,
                   const schedule::Number& rows);

} // namespace lathe::moves
