// SPDX-License-Identifier: Apache-2.0
//
// A kernel's schedule: the default one, the default one with pinned answers, or a trace that was decided, with other
// answers where they are pinned too. What was asked, answered and refused on the way is kept.
#pragma once

#include "base/target.h"
#include "schedule/attempt.h"

#include <optional>

namespace lathe::lower {

/// What is decided of one kernel.
struct ScheduleDecisions {
    schedule::Answers answers;
    std::optional<schedule::ScheduleTrace> trace;
    bool recorded = false; // the trace comes from records: nobody has decided it for this kernel
    bool empty() const { return answers.empty() && !trace; }
    bool operator==(const ScheduleDecisions&) const = default;
};

/// Why a kernel has the schedule that it has.
enum class ScheduleFrom : uint8_t {
    Default,
    Decided, // its trace or answers were
    Records, // the fastest that was recorded for the same workload, machine, threads and numerics
};
const char* toString(ScheduleFrom from); // "default", "decided", "records"

struct KernelSchedule {
    schedule::ScheduleTrace trace;
    std::vector<schedule::Question> questions; // all that were asked, also where the answer came to nothing
    std::vector<schedule::Refusal> refusals;
    ScheduleFrom from = ScheduleFrom::Default;
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
