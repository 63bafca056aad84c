// SPDX-License-Identifier: Apache-2.0
//
// The spaces that can be chosen by name:
//   template   the default schedule's own questions
//   sketch     rules without a template, every answer drawn alike (Ansor's way)
//   rules      the same rules, answers drawn by how promising they are (MetaSchedule's way)
//   all        template and rules together
// In each of them no answers are the default schedule: who looks for another one begins there.
#pragma once

#include "base/target.h"
#include "tune/space.h"

#include <span>
#include <string_view>

namespace lathe::tune {

/// The names that makeSpace takes, the default first.
std::span<const std::string_view> spaceNames();

/// `templates` is the template space of the target; schedules are for so many threads. Fails for a name that is none of
/// spaceNames().
Result<Space> makeSpace(std::string_view name, Space templates, const Target& target, int threads);

} // namespace lathe::tune
