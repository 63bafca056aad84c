// SPDX-License-Identifier: Apache-2.0
//
// One run in time: when each kernel call began and ended, which threads took part in its parallel regions, and what the first
// thread worked alone between them; what is empty is waiting. Made of the events that the runtime notes where
// they are asked for, after the runs whose times count.
#pragma once

#include "device/runner_client.h"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace lathe::inspect {

struct TimelineBox {
    int call = -1;  // in RunnerModel::calls; -1: outside of all calls
    int chunks = 0; // of a parallel region, that the thread did; 0: a whole call, or a part of it outside of regions
    double beginMs = 0, endMs = 0;

    double ms() const { return endMs - beginMs; }
};

struct Timeline {
    std::vector<TimelineBox> calls; // as they followed one another
    /// By thread, of which the first one makes the calls: what it worked on, one after the other. What is outside of parallel
    /// regions is the first one's: a call without them, and what a call does before, between and after them.
    std::vector<std::vector<TimelineBox>> threads;
    double ms = 0;        // from the begin of the first to the end of the last
    bool complete = true; // false: there was more than could be noted

    /// The part of the run that a thread worked: 0 … 1.
    double busy(size_t thread) const;
};

/// Checks the events, which come from a child process that ran foreign code. `capacity`: of events a thread.
Result<Timeline> timelineOf(const device::RunnerProfile& profile, size_t calls, size_t capacity);

/// Runs a loaded model with its inputs set once more, and notes its events.
Result<Timeline> recordTimeline(device::RunnerClient& runner, const device::RunnerModel& loaded);

/// Of up to five such runs one that takes as long as runs do, from `lowMs` to `highMs`; if there is none, the one nearest to
/// `medianMs`: on a busy machine a single run shows what others did. None is begun after the first once `cancelled`, which may be
/// empty, says so.
Result<Timeline> recordUsualRun(device::RunnerClient& runner, const device::RunnerModel& loaded, double lowMs,
                                double medianMs, double highMs, const std::function<bool()>& cancelled);

/// In the trace event format that browsers and Perfetto show.
std::string toTraceEvents(const Timeline& timeline, const device::RunnerModel& loaded);
/// The same in a file.
Result<void> writeTraceEvents(const std::filesystem::path& path, const Timeline& timeline,
                              const device::RunnerModel& loaded);

} // namespace lathe::inspect
