// SPDX-License-Identifier: Apache-2.0
//
// What can be learned from trials: how each compares with the others of its task.
#pragma once

#include "tune/candidate.h"
#include "tune/model.h"

#include <optional>
#include <span>

namespace lathe::tune {

/// A trial's time over the default's; infinite for what did not run right. Nothing if it says nothing about the schedule.
std::optional<Interval> relativeTime(const Trial& trial);

/// Of one task, the default's first: those of known features; of very many the newest and the fastest.
std::vector<Sample> samplesOf(std::span<const Trial> trials);

/// By the analytic estimate: higher for what is expected to be faster. Nothing if there is none.
std::optional<double> scoreOfPrior(const Candidate& candidate);

} // namespace lathe::tune
