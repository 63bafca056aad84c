// SPDX-License-Identifier: Apache-2.0
//
// Default schedules: one function in schedule primitives for each kind of computation, chosen by structure, not by
// operator name. They ask for their numbers and places by name (Schedule::choose), so the same function is the template to
// tune. Of a block's own ordinal in the unscheduled function, "bN":
//   bN.place              0: stored, 1: in its consumers
//   bN.width, bN.rows     a register tile: elements of a row, rows; of an elementwise block: elements of its vectors, and
//                         how many of them lie next to each other where they gather
//   bN.band               tiles of a band of windows, whose operand is computed at once
//   bN.dotRows, .dotColumns   a tile of dot products
//   bN.partials           partial results of a reduction along its contiguous axis
//   bN.flat               1: an elementwise block's loops become one
//   bN.grain              element operations from which on an elementwise block runs in parallel
#pragma once

#include "base/target.h"
#include "schedule/attempt.h"

namespace lathe::topi {

struct Scheduled {
    schedule::Schedule schedule;
    std::vector<schedule::Refusal> refusals; // what was tried on the way and is illegal
};

/// Schedules a fused function's computation: what cannot be applied is left as it is (a Schedule is a value; the argument is
/// not changed). Throws AnswerError if an answer of the chooser's is none, or if what it asks for is illegal.
Scheduled scheduleDefault(const schedule::Schedule& start, const Target& target);

} // namespace lathe::topi
