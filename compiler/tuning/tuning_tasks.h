// SPDX-License-Identifier: Apache-2.0
//
// What of a compiled model is tuned: tasks for its kernels, at the sizes that they are to be fast at.
#pragma once

#include "inspect/machine_peaks.h"
#include "inspect/sweep.h"
#include "tune/spaces.h"
#include "tune/study.h"
#include "tuning/whole_model.h"

#include <string_view>

namespace lathe::tuning {

struct TuneOptions;

/// Of the profile that says which kernels are the most expensive.
inline constexpr inspect::Measuring measuringOfTasks{.warmUp = 1,
                                                     .leastRuns = 3,
                                                     .mostRuns = 20,
                                                     .atLeast = std::chrono::milliseconds(200),
                                                     .timeline = false,
                                                     .counters = false};

/// The tasks of a compiled model: its kernels that are scheduled and called, the most expensive first by `profile` (a run of
/// it; perhaps without rows). Kernels over sizes that are left open are to be fast where the model's inputs have the shapes of
/// the samples, the largest first; those of which these do not say the sizes, or too many, are not among the tasks: `leftOut`
/// has their names.
std::vector<tune::Task> tuningTasks(const driver::Trace& trace, const inspect::Profile& profile,
                                    const inspect::MachinePeaks& peaks, int threads,
                                    const std::vector<driver::Shapes>& samples, std::vector<std::string>& leftOut);

/// Without those that are decided already, and those that the options leave out.
void keepWanted(std::vector<tune::Task>& tasks, const TuneOptions& options);

/// What candidates run on, by the target and by what was measured.
MachineModel tuningMachine(const Target& target, const inspect::MachinePeaks& peaks, int threads);

/// Of a model's sizes, and of a kernel's: each is timed.
inline constexpr size_t mostSamples = 4;

/// TuneOptions::sizes, as parseSweep reads them, in any order and perhaps several times.
Result<inspect::SweepQuestion> parseTunedSizes(std::string_view text);

/// Shapes of the loaded model's inputs at each of options.sizes.
Result<std::vector<driver::Shapes>> samplesOf(const WholeModel& model, const TuneOptions& options);

} // namespace lathe::tuning
