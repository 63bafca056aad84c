// SPDX-License-Identifier: Apache-2.0
//
// Where candidates come from. A space is a function that asks a Chooser and schedules by its answers; whoever answers walks
// through it. It has a name, under which studies and records go, and a version, which is raised when the same answers give
// other programs.
#pragma once

#include "base/result.h"
#include "tune/candidate.h"

#include <functional>
#include <memory>
#include <string>

namespace lathe::tune {

struct Space {
    std::string name; // "template"
    int version = 1;
    /// A candidate of the unscheduled function, with program, answers, questions and trace. Fails with why the answers
    /// cannot be followed. Called from several threads.
    std::function<Result<Candidate>(const tir::PrimFuncPtr& computation,
                                    const std::shared_ptr<const schedule::Chooser>& chooser)>
        generate;
};

/// The candidate of a schedule that was made: answers from the questions as `chooser` answers them.
Candidate candidateOf(const tir::PrimFuncPtr& scheduled, schedule::ScheduleTrace trace,
                      std::vector<schedule::Question> questions, const schedule::Chooser& chooser);

} // namespace lathe::tune
