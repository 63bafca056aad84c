// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/tuning/task_trials.h"

#include "base/guarded.h"
#include "records/file.h"

#include <QPointer>
#include <algorithm>

namespace lathe::views::models {
namespace {

Result<schedule::ScheduleTrace> recordedTrace(const StudyHead& head, const QString& workload, const Hash128& program) {
    return guarded([&]() -> Result<schedule::ScheduleTrace> {
        LATHE_TRY(const records::File file,
                  records::File::open(head.records.toStdString(), records::File::Access::Read));
        LATHE_TRY(const std::string text,
                  file.traceOf(head.id.toStdString(), workload.toStdString(), toString(program)));
        return schedule::parseTrace(text);
    });
}

TrialKernel kernelOf(const StudyTask& task, const TrialContext& context) {
    TrialKernel kernel;
    kernel.workload = task.workload.toStdString();
    kernel.name = task.kernel.toStdString();
    kernel.options = context.options;
    kernel.decisions = context.decisions;
    kernel.machine = machineModel(context.options.target, std::max(1, context.threads));
    kernel.control = context.control;
    if (!context.provenance)
        return kernel;
    for (const driver::KernelRecord& record : context.provenance->trace().kernels)
        if (record.workload == kernel.workload && !record.stages.empty()) {
            kernel.computation = record.stages.front().second;
            kernel.name = record.name;
        }
    return kernel;
}

} // namespace

TaskTrials taskTrials(const StudyLog& log, int task, const TrialContext& context) {
    TaskTrials result;
    result.trials = std::make_shared<TrialSet>();
    for (const int32_t index : log.trialsOf(task))
        result.trials->add(log.trial(index));
    result.kernel = kernelOf(log.tasks()[size_t(task)], context);
    result.trace = [log = QPointer(&log), task](int trial) -> Result<schedule::ScheduleTrace> {
        if (!log || task >= int(log->tasks().size()) || trial >= int(log->trialsOf(task).size()))
            return failure("the study is not open any more", "pick the trial again");
        const tune::Candidate& candidate = log->trial(log->trialsOf(task)[size_t(trial)]).candidate;
        if (!candidate.trace.steps.empty() || log->head().records.isEmpty())
            return candidate.trace;
        return recordedTrace(log->head(), log->tasks()[size_t(task)].workload, candidate.program);
    };
    return result;
}

Result<ShownTrial> shownTrialOf(const TaskTrials& task, int trial) {
    LATHE_TRY(schedule::ScheduleTrace trace, task.trace(trial));
    const bool isBest = trial == task.trials->best();
    return ShownTrial{(isBest ? QStringLiteral("trial %1, the best") : QStringLiteral("trial %1")).arg(trial),
                      std::move(trace), task.trials->answersOf(size_t(trial))};
}

} // namespace lathe::views::models
