// SPDX-License-Identifier: Apache-2.0
//
// What tuning found, held against the model without it: kernels that are faster alone may be slower between others, with
// their caches.
#pragma once

#include "driver/whole_model.h"
#include "tune/study.h"

#include <functional>

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

/// Whether the second of two is faster, by pairs: `logRatio` measures both side by side once more, and says the logarithm of the
/// second's time over the first's. Asked 9 times, then up to 25 until the two are told apart.
Result<bool> isFasterByPairs(const std::function<Result<double>()>& logRatio);

/// The same of two models. Whoever compares what was chosen among many has to measure again: the best of many times is the
/// luckiest.
Result<bool> isFasterInPlace(const WholeModel& one, const WholeModel& other);

} // namespace lathe::driver
