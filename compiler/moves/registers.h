// SPDX-License-Identifier: Apache-2.0
//
// Results that are registers while they are summed: who reads them then, how they lie, and how the loops over them run.
#pragma once

#include "schedule/schedule.h"

#include <optional>

namespace lathe::moves {

/// Rows whose accumulators, so many vectors each, fit the registers beside the vectors of one step and a broadcast value.
int64_t accumulatedRows(int64_t vectors, int64_t registers);

/// The block's results become local memory, elements along `column` innermost, so each vector of them is a register. Gives the
/// block whose loops are to be the tiles: `epilogue`, which follows each result, or a copy to where the results were.
schedule::BlockRef accumulate(schedule::Schedule& schedule, const schedule::BlockRef& block,
                              const std::optional<schedule::BlockRef>& epilogue, const arith::Var& column);

/// The innermost loop around the block as vectors, so many loops around that unrolled: every index is a constant.
void inRegisters(schedule::Schedule& schedule, const schedule::BlockRef& block, size_t unrolled);

} // namespace lathe::moves
