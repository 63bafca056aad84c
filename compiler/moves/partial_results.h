// SPDX-License-Identifier: Apache-2.0
//
// Reductions along a contiguous axis: each result has partial results, the lanes of vectors, which are combined at the end.
#pragma once

#include "base/target.h"
#include "schedule/schedule.h"

#include <expected>
#include <string>

namespace lathe::moves {

/// How many partial results a reduction may have: lanes of one, two or four vectors, as far as each is added to at least twice;
/// one vector first. Else why it has none: its reads do not follow the last reduced axis, or that is too short.
std::expected<std::vector<int64_t>, std::string> partialCounts(schedule::Schedule& schedule,
                                                               const schedule::BlockRef& block, const Target& target);

/// Splits the last reduced axis into so many partial results; gives the block that makes them.
schedule::BlockRef makePartials(schedule::Schedule& schedule, const schedule::BlockRef& block,
                                const schedule::Number& partials);

/// Which results of a nest have their sums in registers at once: those of one, the others after it; or those of all loops that
/// the partial results have beside the reduction.
enum class Sums { OfOne, OfAll };

/// After computeAt: partial results are registers, the lanes innermost, around them so many loops over results unrolled.
void vectorizePartials(schedule::Schedule& schedule, const schedule::BlockRef& partial, Sums sums, size_t unrolled = 0);

/// What is left to `block` after makePartials, without an order among the lanes; its initialisation becomes a block of its own.
void vectorizeCombination(schedule::Schedule& schedule, const schedule::BlockRef& block);

} // namespace lathe::moves
