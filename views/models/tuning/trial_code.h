// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a trial is, beside another one: their traces with the answers, the loops as they were scheduled and as they were
// compiled, the machine code, and what the tuner knew of them before they ran. A trial keeps none of it but its trace: all is
// made again, which takes as long as compiling two kernels.
#pragma once

#include "base/machine_model.h"
#include "driver/decisions.h"
#include "driver/options.h"
#include "schedule/trace.h"
#include "tune/control.h"
#include "views/models/passes/comparison.h"

#include <array>
#include <functional>
#include <memory>

namespace lathe::views::models {

/// A kernel whose trials are looked at.
struct TrialKernel {
    tir::PrimFuncPtr computation; // unscheduled; null: not known
    std::string name, workload;
    std::vector<int64_t> sizes; // values of its scalars
    driver::Options options;
    driver::Decisions decisions;
    MachineModel machine;
    std::shared_ptr<tune::Control>
        control; // of a study, which measures nothing while trials are compiled; null: there is none
};

/// A trial as it is shown: its name, and its trace with the answers of each question.
struct ShownTrial {
    QString name; // "trial 12"
    schedule::ScheduleTrace trace;
    schedule::Answers answers;
};

struct CodeFigures {
    int instructions = 0, loopInstructions = 0, loopStack = 0; // see CodeTexts
    double priorUs = 0;
    std::vector<std::pair<std::string, float>> features; // by name
};

enum class TrialLevel { Trace, Schedule, Loops, Assembly };
inline constexpr int trialLevels = 4;

struct TrialCode {
    QString before, after; // their names
    std::array<Comparison, trialLevels> levels;
    std::array<CodeFigures, 2> figures; // before, after
    QString problem;                    // why something is missing
};

/// Compiles both, once no batch of a study is under way: call it on a worker thread.
TrialCode trialCode(const TrialKernel& kernel, const ShownTrial& before, const ShownTrial& after,
                    const std::function<bool()>& cancelled = {});

/// The trace, a step a line, with what was answered behind each step that refers to an answer.
std::string textOf(const schedule::ScheduleTrace& trace, const schedule::Answers& answers);

} // namespace lathe::views::models
