// SPDX-License-Identifier: Apache-2.0
//
// Default schedules: one function in schedule primitives for each kind of computation, chosen by structure, not by
// operator name. They ask for their numbers by name (Schedule::choose), so the same function is the template to tune.
#pragma once

#include "base/target.h"
#include "schedule/schedule.h"

namespace lathe::topi {

/// Schedules a fused function's computation. Never fails: what cannot be applied is left as it is.
/// Gives the schedule that was reached (a Schedule is a value; the argument is not changed).
schedule::Schedule scheduleDefault(const schedule::Schedule& start, const Target& target);

} // namespace lathe::topi
