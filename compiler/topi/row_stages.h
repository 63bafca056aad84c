// SPDX-License-Identifier: Apache-2.0
//
// Stages that are computed of one row after the other (softmax, normalisations): each reads what the one before made of the
// row, so what lies between them has the memory of a row.
#pragma once

#include "base/target.h"
#include "schedule/attempt.h"

namespace lathe::topi {

/// The loop over rows, or over groups of them. Each stage of a row waits for the one before, down to the last lane; of short
/// rows another row's steps fill the gaps. A group that leaves rows over would need all stages twice.
schedule::LoopRef rowsTogether(schedule::Schedule& schedule, const schedule::BlockRef& last, schedule::LoopRef row);

/// Computes the blocks, producers first, for each iteration of `row`, a loop of the last one: partial results of what is
/// reduced along the row, vectors along it, memory of a row for what lies between.
void computeStages(schedule::Schedule& schedule, const std::vector<schedule::BlockRef>& blocks, schedule::LoopRef row,
                   const Target& target, std::vector<schedule::Refusal>& refusals);

} // namespace lathe::topi
