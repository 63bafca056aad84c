// SPDX-License-Identifier: Apache-2.0
#include "lower/schedule_kernel.h"

#include "topi/default_schedule.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lathe::lower {
namespace {

using schedule::Schedule;

Result<ScheduledKernel> scheduleByDefault(const tir::PrimFuncPtr& computation, const Target& target,
                                          const schedule::Answers& answers) {
    LATHE_TRY(ScheduledKernel made,
              scheduleAsAnswered(computation, target, std::make_shared<schedule::Pinned>(answers)));
    const std::vector<schedule::Question>& asked = made.schedule.questions;
    for (const auto& [name, answer] : answers)
        if (std::ranges::find(asked, name, &schedule::Question::name) == asked.end()) {
            std::vector<std::string> names;
            for (const schedule::Question& question : asked)
                names.push_back(question.name);
            return failure(fmt::format("the schedule of {} asks nothing by the name '{}'", computation->name, name),
                           names.empty() ? "it asks nothing" : fmt::format("it asks: {}", fmt::join(names, ", ")));
        }
    if (!answers.empty())
        made.schedule.from = ScheduleFrom::Decided;
    return made;
}

/// Nothing, and a warning, if the trace does not fit the computation.
Result<std::optional<ScheduledKernel>> replay(const tir::PrimFuncPtr& computation, const ScheduleDecisions& decisions,
                                              std::vector<Diagnostic>& warnings) {
    Result<schedule::ScheduleTrace> trace = schedule::withAnswers(*decisions.trace, decisions.answers);
    if (!trace) {
        Diagnostic wrong = trace.error();
        wrong.what = fmt::format("schedule of {}: {}", computation->name, wrong.what);
        return Failure(wrong);
    }
    Schedule schedule(computation);
    if (auto replayed = schedule.replay(*trace); !replayed) {
        if (!decisions.answers.empty())
            return failure(fmt::format("schedule of {}: {}", computation->name, replayed.error().what));
        warnings.push_back(error(fmt::format("the schedule that was {} for {} does not replay: {}",
                                             isRecorded(decisions.from) ? "recorded" : "decided", computation->name,
                                             replayed.error().what),
                                 "it has the default schedule"));
        warnings.back().severity = Severity::Warning;
        return std::nullopt;
    }
    std::vector<schedule::Question> questions;
    for (const schedule::Decision& decision : schedule.decisions())
        questions.push_back(decision.question);
    return ScheduledKernel{schedule.function(),
                           {schedule.trace(), std::move(questions), {}, decisions.from, false, {}}};
}

} // namespace

const char* toString(ScheduleFrom from) {
    switch (from) {
    case ScheduleFrom::Default:
        return "default";
    case ScheduleFrom::Decided:
        return "decided";
    case ScheduleFrom::Records:
        return "records";
    case ScheduleFrom::OtherThreads:
        return "records of other threads";
    case ScheduleFrom::FixedSizes:
        return "records of fixed sizes";
    case ScheduleFrom::OtherEpilogue:
        return "records of another epilogue";
    case ScheduleFrom::OtherSizes:
        return "records of other sizes";
    }
    return "";
}

Result<ScheduledKernel> scheduleAsAnswered(const tir::PrimFuncPtr& computation, const Target& target,
                                           std::shared_ptr<const schedule::Chooser> chooser) {
    const auto noting = std::make_shared<schedule::Noting>(std::move(chooser));
    try {
        topi::Scheduled made = topi::scheduleDefault(Schedule(computation, noting), target);
        return ScheduledKernel{
            made.schedule.function(),
            {made.schedule.trace(), noting->asked(), std::move(made.refusals), ScheduleFrom::Default, false, {}}};
    } catch (const schedule::AnswerError& wrong) {
        return failure(fmt::format("schedule of {}: {}", computation->name, wrong.what()));
    }
}

Result<ScheduledKernel> scheduleKernel(const tir::PrimFuncPtr& computation, const Target& target,
                                       const ScheduleDecisions& decisions) {
    if (!decisions.trace)
        return scheduleByDefault(computation, target, decisions.answers);
    std::vector<Diagnostic> warnings;
    LATHE_TRY(std::optional<ScheduledKernel> replayed, replay(computation, decisions, warnings));
    if (replayed)
        return std::move(*replayed);
    LATHE_TRY(ScheduledKernel made, scheduleByDefault(computation, target, {}));
    made.schedule.warnings = std::move(warnings);
    made.schedule.isStale = isRecorded(decisions.from);
    return made;
}

} // namespace lathe::lower
