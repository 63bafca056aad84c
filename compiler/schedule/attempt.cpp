// SPDX-License-Identifier: Apache-2.0
#include "schedule/attempt.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lathe::schedule {

bool attempt(Schedule& schedule, const std::string& what, std::vector<Refusal>& refusals,
             const std::function<void(Schedule&)>& fn) {
    Schedule copy = schedule;
    try {
        fn(copy);
    } catch (const ScheduleError& refused) {
        for (size_t i = schedule.decisions().size(); i < copy.decisions().size(); ++i)
            if (const Decision& decision = copy.decisions()[i]; !decision.isPreferred())
                throw AnswerError(fmt::format("{} = {} makes the {} illegal: {}", decision.question.name,
                                              fmt::join(decision.answer, ", "), what, refused.what()));
        refusals.push_back({what, refused.what()});
        return false;
    }
    schedule = std::move(copy);
    return true;
}

bool attempt(Schedule& schedule, const std::string& what, const BlockRef& block, std::vector<Refusal>& refusals,
             const std::function<void(Schedule&)>& fn) {
    return attempt(schedule, fmt::format("{} of b{}", what, schedule.numberOf(block)), refusals, fn);
}

} // namespace lathe::schedule
