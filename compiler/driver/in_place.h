// SPDX-License-Identifier: Apache-2.0
//
// What tuning found, held against the model without it: kernels that are faster alone may be slower between others, with
// their caches.
#pragma once

#include "driver/whole_model.h"
#include "tune/study.h"

namespace lathe::driver {

inline constexpr Measuring measuringInPlace{.warmUp = 2,
                                            .leastRuns = 9,
                                            .mostRuns = 60,
                                            .atLeast = std::chrono::seconds(2),
                                            .timeline = false,
                                            .counters = false};

/// Milliseconds of a kernel's calls in one run.
double msOf(const Profile& profile, const std::string& kernel);

struct Held {
    Decisions decisions;              // with the schedules that held
    double beforeMs = 0, afterMs = 0; // of the whole model, by turns; 0: nothing was found, so nothing was measured
    bool isFaster = false;            // beyond the noise
};

/// Both models by turns: `before`, which is compiled under `base`, and the same with the study's schedules of its kernels, but
/// for those of `takenBack`. A tuned kernel that is slower in place than its default is added to these, and what is left is
/// measured again.
Result<Held> holdInPlace(Session& session, const WholeModel& before, const Decisions& base, const tune::Study& study,
                         std::vector<std::string>& takenBack, const Options& options, const RunnerOptions& runner,
                         const Progress& progress = {});

} // namespace lathe::driver
