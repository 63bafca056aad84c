// SPDX-License-Identifier: Apache-2.0
//
// Default schedules: one function in schedule primitives for each kind of computation, chosen by structure, not by
// operator name. They ask for their numbers and places by name (Schedule::choose), so the same function is the template to
// tune. Of a block's own ordinal in the unscheduled function, "bN":
//   bN.place              0: stored, 1: in its consumers
//   bN.width, bN.rows     a register tile: elements of a row, rows; of an elementwise block: elements of its vectors, and
//                         how many of them lie next to each other where they gather
//   bN.nextRows           rows of a second axis in a tile: those of two rows of an image
//   bN.order              0: panels of columns outside of rows, 1: rows outside
//   bN.rowBlock, .panelBlock   so many tiles of rows, so many panels, pass before the next ones do; 0: all
//   bN.reduceBlock        steps of the reduction for which all tiles of a task pass; 0: all
//   bN.reduceUnroll       steps of it in one
//   bN.nextPanel          1: while tiles pass over one panel, the next is asked for
//   bN.prefetch           bytes that a panel is asked for ahead; 0: not
//   bN.repack             of an operand in rows along the reduction: 0: a task copies the columns that it reads, 1: all are first
//   bN.pack               1: a task copies the columns that it reads
//   bN.epilogue           1: what follows a tile is computed on it
//   bN.band               tiles of a band of windows, whose operand is computed at once
//   bN.taskRows           of the sums of rows between two products: rows that a task takes through all of it
//   bN.dotRows, .dotColumns   a tile of dot products
//   bN.partials           partial results of a reduction along its contiguous axis
//   bN.align              1: rows of its result are a cache line more than whole pages apart
//   bN.flat               1: an elementwise block's loops become one
//   bN.fused              so many of the loops that may run in parallel become one that does
//   bN.grain              the least work of its chunks; of an elementwise block also what it runs in parallel from
// A question is asked only where its answers make a difference.
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
