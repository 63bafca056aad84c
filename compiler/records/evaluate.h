// SPDX-License-Identifier: Apache-2.0
//
// What is recorded, used again: to say what the cost model is worth, and to time what was fastest once more.
#pragma once

#include "records/file.h"
#include "tune/held_out.h"
#include "tune/study.h"

namespace lathe::records {

/// Opinions held against all recorded tasks of the setting's machine and threads, as tune/held_out.h does. Each trial's trace is
/// replayed for its features; those that do not fit any more are left out, and counted.
struct Evaluated {
    tune::HeldOut heldOut;
    int64_t trials = 0, unread = 0;
};
Result<Evaluated> evaluate(const File& file, const Setting& setting, const MachineModel& machine);

/// The fastest of a workload beside its default, timed now.
struct TimedAgain {
    Best best;
    std::string problem; // why it cannot be said; empty: it can
    bool wrong = false;  // it computes something else, by what `problem` says
    tune::Interval ratio;
};
/// Of all that are fastest in this setting, each to `take`. A Failure is of the machine.
Result<void> timeAgain(const File& file, const Setting& setting, tune::Bench& bench,
                       const std::function<void(const TimedAgain&)>& take);

} // namespace lathe::records
