// SPDX-License-Identifier: Apache-2.0
//
// Schedules made by rules, without a template: for any kernel, block by block, the last first, which rule applies is a
// question (Ansor's sketches: Zheng et al., OSDI 2020, section 4.1); so is each number that is left open then (its random
// annotation, and MetaSchedule's sampling instructions: Shao et al., NeurIPS 2022). Who answers at random draws a schedule,
// who changes an answer moves to a neighbour.
//
// The questions, of a block's own number "bN":
//   bN.place          of what is computed for others alone. 0: stored, 1: in its readers, 2: with the tiles of its reader
//   bN.together       of the last block: 1: all blocks, a few rows (bN.rows) at a time
//   bN.rule           of a reduction: see Rule
//   bN.epilogue       1: what follows on each result is computed on the tile
//   bN.vector         the axis of vectors, where there are several
//   bN.inner<axis>    elements of the tile that stays in registers, along an axis of the block
//   bN.middle<axis>   such tiles in the tile around it; with SSRSRS bN.chunk<axis>: in the part that is reduced at once
//   bN.steps<axis>    of a reduced axis, so many elements at once
//   bN.outermost      the axis whose tiles are the outermost loop
//   bN.partials       partial results of a reduction along its contiguous axis
//   bN.parts          pieces of a reduction that run in parallel
//   bN.unroll         steps of the innermost reduction in a row
//   bN.width, .flat   of an elementwise block: elements of its vectors; 1: its loops become one
//   bN.rows           of a transpose: rows of a tile
//   bN.fused          loops that become the parallel one
#pragma once

#include "base/target.h"
#include "schedule/schedule.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lathe::tune {

/// Answers to bN.rule.
enum class Rule : int64_t {
    Plain,    // its loops as they are, the outer ones parallel
    Srs,      // tiles of results in registers, the whole reduction inside
    Ssrs,     // tiles of such tiles: an outer one is a task
    Packed,   // as Ssrs; a task first stores what its vectors read as they go
    Ssrsrs,   // and the reduction in pieces, of which an outer tile takes one after the other
    Partials, // lanes of partial results along a contiguous reduction, combined at the end
    Parts,    // pieces of the reduction in parallel, combined at the end
};

/// One answer that a question takes. `weight`: how often it is drawn, to others.
struct Option {
    int64_t value = 0;
    double weight = 1;
};

/// A schedule while rules are applied to it.
struct Sketch {
    schedule::Schedule schedule;
    Target target;
    bool isWeighted = false;               // questions have weights; else all answers are drawn alike
    std::map<std::string, int64_t> places; // what was answered to bN.place, by the block's name
    std::vector<std::string> done;         // blocks that are scheduled

    bool isDone(const schedule::BlockRef& block) const;
    /// Asks for a number about a block. What is preferred is the option of the greatest weight, the first of them.
    schedule::Number ask(const schedule::BlockRef& block, std::string_view what, const std::vector<Option>& options,
                         schedule::Question::Kind kind = schedule::Question::Kind::OneOf);
};

/// Schedules the function by rules. Throws ScheduleError where an answer is illegal in this place, and AnswerError where one is
/// none.
schedule::Schedule scheduleByRules(const schedule::Schedule& start, const Target& target, bool isWeighted);

} // namespace lathe::tune
