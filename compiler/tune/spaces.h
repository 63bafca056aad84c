// SPDX-License-Identifier: Apache-2.0
//
// The spaces that can be chosen by name:
//   template   the default schedule's own questions
//   sketch     rules without a template, every answer drawn alike (Ansor's way)
//   rules      the same rules, answers drawn by how promising they are (MetaSchedule's way)
//   all        template and rules together
// and those that a caller adds, which are rules of its own.
// In each of them no answers are the default schedule: who looks for another one begins there.
#pragma once

#include "base/target.h"
#include "schedule/schedule.h"
#include "tune/space.h"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lathe::tune {

/// A space by rules.
struct SpaceRow {
    std::string name; // of one that a plugin adds: "PLUGIN/SPACE"
    int version = 1;  // as Space has it
    /// Asks the chooser of `start` and applies primitives, for so many threads. Throws ScheduleError or AnswerError where what
    /// was answered cannot be. Called from several threads.
    std::function<schedule::Schedule(const schedule::Schedule& start, const Target& target, int threads)> schedule;
};

/// The names that makeSpace takes, the default first, those that are added last.
std::vector<std::string> spaceNames(std::span<const SpaceRow> added = {});

/// `templates` is the template space of the target; schedules are for so many threads. Fails for a name that is none of
/// spaceNames(added).
Result<Space> makeSpace(std::string_view name, Space templates, const Target& target, int threads,
                        std::span<const SpaceRow> added = {});

} // namespace lathe::tune
