// SPDX-License-Identifier: Apache-2.0
//
// A kernel's schedule: the default one, the default one with pinned answers, or a trace that was decided, with other
// answers where they are pinned too. What was asked, answered and refused on the way is kept.
#pragma once

#include "base/target.h"
#include "schedule/attempt.h"

#include <optional>

namespace lathe::lower {

/// Why a kernel has the schedule that it has.
enum class ScheduleFrom : uint8_t {
    Default,
    Decided, // its trace or answers were
    Records, // the fastest that was recorded for the same workload, machine, threads and numerics
    // Made from what was recorded of kernels alike (records/near.h): nobody has measured these.
    OtherThreads,
    FixedSizes,
    OtherEpilogue,
    OtherSizes,
};
const char* toString(ScheduleFrom from); // "default", "decided", "records", "records of other threads", …
inline bool isRecorded(ScheduleFrom from) {
    return from >= ScheduleFrom::Records;
}

/// A schedule that records offer; `from` says by which rule.
struct RecordedSchedule {
    schedule::ScheduleTrace trace;
    ScheduleFrom from = ScheduleFrom::Records;
    bool operator==(const RecordedSchedule&) const = default;
};

/// What is decided of one kernel.
struct ScheduleDecisions {
    schedule::Answers answers;
    std::optional<schedule::ScheduleTrace> trace;
    ScheduleFrom from = ScheduleFrom::Decided; // where the trace comes from
    bool empty() const { return answers.empty() && !trace; }
    bool operator==(const ScheduleDecisions&) const = default;
};

struct KernelSchedule {
    schedule::ScheduleTrace trace;
    std::vector<schedule::Question> questions; // all that were asked, also where the answer came to nothing
    std::vector<schedule::Refusal> refusals;
    ScheduleFrom from = ScheduleFrom::Default;
    bool isStale = false;             // what records offered does not replay
    std::vector<Diagnostic> warnings; // a decided trace that does not replay: the kernel has the default schedule
};

struct ScheduledKernel {
    tir::PrimFuncPtr function;
    KernelSchedule schedule;
};

/// The default schedule with its questions answered by the chooser. Fails if an answer is none of the candidates, or makes the
/// schedule illegal.
Result<ScheduledKernel> scheduleAsAnswered(const tir::PrimFuncPtr& computation, const Target& target,
                                           std::shared_ptr<const schedule::Chooser> chooser);

/// Fails if an answer names no question, is none of the candidates, or makes the schedule illegal. A decided trace that
/// does not replay is a warning where no answers were decided with it.
Result<ScheduledKernel> scheduleKernel(const tir::PrimFuncPtr& computation, const Target& target,
                                       const ScheduleDecisions& decisions);

} // namespace lathe::lower
