// SPDX-License-Identifier: Apache-2.0
//
// Reductions along a contiguous axis: a vector of partial results, combined at the end. One result at a time for sums and
// normalisations (partialResults); a tile of dot products for products whose operands both run along the reduction (tileDots).
#pragma once

#include "base/target.h"
#include "schedule/schedule.h"

namespace lathe::topi {

/// Splits a reduction along the contiguous axis into partial results, as many as "partials" says: the lanes of a vector, of
/// long rows those of up to four, since additions to one wait for each other; gives the block that makes them. Throws
/// ScheduleError where the reads do not follow the axis, or it is too short.
schedule::BlockRef partialResults(schedule::Schedule& schedule, const schedule::BlockRef& block, const Target& target);

/// A product a[.., m, k] · b[.., n, k]: some rows of both share their loads, and as many partial results run side by side
/// as hide the latency of a multiply-add. Asks for "dotRows" and "dotColumns". Throws ScheduleError if the block is no such
/// product.
void tileDots(schedule::Schedule& schedule, const schedule::BlockRef& block, const Target& target);

} // namespace lathe::topi
