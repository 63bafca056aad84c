// SPDX-License-Identifier: GPL-3.0-or-later
//
// The trials of a task as panels show them, wherever they come from: a study that runs, or one of the records.
#pragma once

#include "base/result.h"
#include "inspect/provenance.h"
#include "views/models/tuning/study_log.h"
#include "views/models/tuning/trial_code.h"
#include "views/models/tuning/trial_set.h"

#include <functional>
#include <memory>

namespace lathe::views::models {

struct TaskTrials {
    std::shared_ptr<TrialSet> trials; // null: there is no task
    TrialKernel kernel;
    /// Of a trial; kept outside of the set, since they are most of what there is.
    std::function<Result<schedule::ScheduleTrace>(int trial)> trace;
};

/// What a kernel of the model is compiled for.
struct TrialContext {
    std::shared_ptr<const inspect::Provenance> provenance; // of a compilation; null: none
    driver::Options options;
    driver::Decisions decisions;
    int threads = 0;                        // that it runs on
    std::shared_ptr<tune::Control> control; // as TrialKernel has it
};

/// A task of the log, with its trials until now. Their traces are the log's, or those of the records that it was read from.
TaskTrials taskTrials(const StudyLog& log, int task, const TrialContext& context);

/// A trial to be shown beside another one. Fails with why its trace is not there.
Result<ShownTrial> shownTrialOf(const TaskTrials& task, int trial);

} // namespace lathe::views::models
