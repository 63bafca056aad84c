// SPDX-License-Identifier: Apache-2.0
//
// Trying something that may be illegal: on a copy of the schedule, which is dropped if a primitive refuses. What was
// refused is kept beside the copies, with the reason.
#pragma once

#include "schedule/schedule.h"

namespace lathe::schedule {

struct Refusal {
    std::string tried; // "register tile of b0"
    std::string reason;
    bool operator==(const Refusal&) const = default;
};

/// Runs fn on a copy and takes the copy; if a primitive refuses, adds to `refusals` and gives false. Throws AnswerError if
/// that happens after an answer other than the preferred one was given within fn.
bool attempt(Schedule& schedule, const std::string& what, std::vector<Refusal>& refusals,
             const std::function<void(Schedule&)>& fn);
/// The same on one block, which the refusal names by its ordinal.
bool attempt(Schedule& schedule, const std::string& what, const BlockRef& block, std::vector<Refusal>& refusals,
             const std::function<void(Schedule&)>& fn);

} // namespace lathe::schedule
