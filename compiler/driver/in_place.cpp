// SPDX-License-Identifier: Apache-2.0
#include "driver/in_place.h"

#include "tune/paired.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace lathe::driver {
namespace {

constexpr std::array pairsOfStage = {9, 15, 25};
constexpr Measuring onePair{.warmUp = 0,
                            .leastRuns = 3,
                            .mostRuns = 20,
                            .atLeast = std::chrono::milliseconds(100),
                            .timeline = false,
                            .counters = false};

Decisions withSchedules(const Trace& trace, const Decisions& base, const tune::Study& study,
                        const std::vector<std::string>& takenBack) {
    Decisions result = base;
    for (const tune::TaskState& state : study.tasks) {
        const std::string& workload = state.task.workload;
        if (state.isTaken() && !base.kernels.contains(workload) &&
            std::ranges::find(takenBack, workload) == takenBack.end() &&
            std::ranges::find(trace.kernels, workload, &KernelRecord::workload) != trace.kernels.end())
            result.kernels[workload].trace = state.trials[state.best].candidate.trace;
    }
    return result;
}

} // namespace

double msOf(const Profile& profile, const std::string& kernel) {
    double ms = 0;
    for (const ProfileRow& row : profile.rows)
        if (row.kernel == kernel)
            ms += row.ms;
    return ms;
}

Result<Held> holdInPlace(Session& session, const WholeModel& before, const Decisions& base, const tune::Study& study,
                         std::vector<std::string>& takenBack, const Options& options, const RunnerOptions& runner,
                         const Progress& progress) {
    Held held;
    for (bool again = true; again;) {
        again = false;
        held = {withSchedules(before.trace, base, study, takenBack)};
        if (held.decisions == base)
            return held;
        LATHE_TRY(const std::unique_ptr<WholeModel> after,
                  wholeModel(session, held.decisions, options, runner, progress));
        LATHE_TRY(const std::vector<Profile> profiles,
                  profileByTurns({before.measured(), after->measured()}, measuringInPlace, progress));
        held.beforeMs = profiles[0].medianMs;
        held.afterMs = profiles[1].medianMs;
        held.isFaster = profiles[1].highMs < profiles[0].lowMs;
        for (const tune::TaskState& state : study.tasks)
            if (held.decisions.kernels.contains(state.task.workload) && !base.kernels.contains(state.task.workload) &&
                msOf(profiles[1], state.task.kernel) > msOf(profiles[0], state.task.kernel)) {
                takenBack.push_back(state.task.workload);
                again = true;
            }
    }
    return held;
}

Result<bool> isFasterByPairs(const std::function<Result<double>()>& logRatio) {
    std::vector<double> ratios;
    for (const int pairs : pairsOfStage) {
        while (std::ssize(ratios) < pairs) {
            LATHE_TRY(const double ratio, logRatio());
            ratios.push_back(ratio);
        }
        if (const tune::Faster faster = tune::isFaster(ratios, 0); faster != tune::Faster::Undecided)
            return faster == tune::Faster::Yes;
    }
    return false;
}

Result<bool> isFasterInPlace(const WholeModel& one, const WholeModel& other) {
    return isFasterByPairs([&, turn = 0]() mutable -> Result<double> {
        const bool swapped = turn++ % 2 == 1; // neither is always the first
        const std::vector<Measured> models{(swapped ? other : one).measured(), (swapped ? one : other).measured()};
        LATHE_TRY(const std::vector<Profile> profiles, profileByTurns(models, onePair));
        const double ratio = std::log(profiles[1].medianMs / profiles[0].medianMs);
        return swapped ? -ratio : ratio;
    });
}

} // namespace lathe::driver
