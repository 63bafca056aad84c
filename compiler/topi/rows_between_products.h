// SPDX-License-Identifier: Apache-2.0
//
// The schedule of rows between two products (attention):
//
//   scores = queries x keys (a contraction) -> what is added to them -> stages of a row (softmax) -> sums = rows x values
//
// A task takes some rows of queries through all of it, so that their scores lie in the memory of the task, in a near cache,
// and no kernel waits for another: those of a whole text would be the largest tensor of a model. Both products have their
// register tile. Keys that lie in rows, as queries do, are repacked: all of them first where several tasks read the same
// ones, else by the task.
#pragma once

#include "base/target.h"
#include "schedule/attempt.h"

#include <optional>

namespace lathe::topi {

struct RowsBetweenProducts {
    schedule::BlockRef scores;
    std::optional<schedule::BlockRef> adjusted; // what follows the scores, element by element
    std::vector<schedule::BlockRef> stages;     // of a row, producers first; the last one makes an operand of the sums
    schedule::BlockRef sums;
    size_t shared = 0; // leading axes of all of these, the rows last

    /// Whether the block is to stay one.
    bool contains(const schedule::BlockRef& block) const;
    /// The stages that are no part of others by now.
    std::vector<schedule::BlockRef> stagesLeft(const schedule::Schedule& schedule) const;
};

/// The rows between two products of a function; nothing if it has none.
std::optional<RowsBetweenProducts> findRowsBetweenProducts(const schedule::Schedule& schedule);

/// Schedules what was found and what follows it; a block beside that which was not inlined, such as a mask that is computed,
/// keeps its plain loops. Adds what they do without to the refusals. Throws ScheduleError where that is illegal.
void scheduleRowsBetweenProducts(schedule::Schedule& schedule, const RowsBetweenProducts& found, const Target& target,
                                 std::vector<schedule::Refusal>& refusals);

} // namespace lathe::topi
