// SPDX-License-Identifier: Apache-2.0
#include "tuning/in_place.h"

#include "inspect/profile_diff.h"
#include "tune/paired.h"
#include "tuning/disturbance.h"
#include "tuning/timing_turns.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace lathe::tuning {
namespace {

constexpr std::array pairsOfStage = {9, 15, 25};
constexpr int pairsOfProcess = 3;
constexpr double longestWait = 600; // seconds, for others who measure
constexpr double pairMs = 100;      // that a model runs in a pair, if one run is not longer

double middleOf(std::vector<double> values) {
    return values.empty() ? 0 : tune::medianInterval(values).middle;
}

RunMs runMs(const inspect::Profile& profile) {
    RunMs run{profile.medianMs, {}};
    for (const inspect::ProfileRow& row : profile.rows)
        run.kernels[row.kernel] += row.ms;
    return run;
}

Result<TimingTurn> takeTurn(TimingTurns& turns) {
    LATHE_TRY(std::optional<TimingTurn> turn, turns.take(longestWait, [](const std::string&) {}));
    if (!turn)
        return failure(fmt::format("others measure on the machine, for over {:.0f} minutes", longestWait / 60),
                       "tune again when they have ended");
    return std::move(*turn);
}

driver::Decisions withSchedules(const driver::Trace& trace, const driver::Decisions& base, const tune::Study& study) {
    driver::Decisions result = base;
    for (const tune::TaskState& state : study.tasks) {
        const std::string& workload = state.task.workload;
        if (state.isTaken() && !base.kernels.contains(workload) &&
            state.trials[state.best].inPlace != tune::InPlace::TakenBack &&
            std::ranges::find(trace.kernels, workload, &driver::KernelRecord::workload) != trace.kernels.end())
            result.kernels[workload].trace = state.trials[state.best].candidate.trace;
    }
    return result;
}

} // namespace

double msOf(const inspect::Profile& profile, const std::string& kernel) {
    double ms = 0;
    for (const inspect::ProfileRow& row : profile.rows)
        if (row.kernel == kernel)
            ms += row.ms;
    return ms;
}

Result<Compared> compareByPairs(const MeasurePair& measure) {
    std::vector<double> first;
    std::vector<double> logRatios;
    std::map<std::string, std::vector<double>> kernels;
    tune::Faster faster = tune::Faster::Undecided;
    int asked = 0;
    for (const int pairs : pairsOfStage) {
        while (std::ssize(logRatios) < pairs && asked < pairsOfStage.back()) {
            LATHE_TRY(const auto pair, measure(asked++));
            if (!isTime(pair[0].model) || !isTime(pair[1].model))
                continue;
            first.push_back(pair[0].model);
            logRatios.push_back(std::log(pair[1].model / pair[0].model));
            for (const auto& [kernel, ms] : pair[0].kernels)
                if (const auto other = pair[1].kernels.find(kernel);
                    other != pair[1].kernels.end() && isTime(ms) && isTime(other->second))
                    kernels[kernel].push_back(other->second / ms);
        }
        faster = tune::isFaster(logRatios, 0);
        if (faster != tune::Faster::Undecided)
            break;
    }
    Compared compared;
    if (std::ssize(logRatios) < pairsOfStage.front()) {
        compared.isDisturbed = true;
        return compared;
    }
    compared.isFaster = faster == tune::Faster::Yes;
    compared.isSlower = faster == tune::Faster::No;
    compared.firstMs = middleOf(std::move(first));
    // By the pairs, which are what the verdict is of: medians of each alone could say the opposite.
    compared.secondMs = compared.firstMs * std::exp(middleOf(logRatios));
    for (auto& [kernel, ratios] : kernels)
        compared.kernels[kernel] = middleOf(std::move(ratios));
    return compared;
}

Result<Compared> compareInPlace(WholeModel& one, WholeModel& other, const driver::Options& options,
                                const device::RunnerOptions& runner, const driver::Progress& progress) {
    TimingTurns turns(runner);
    inspect::Measuring onePair{.warmUp = 0, .leastRuns = 1, .mostRuns = 1};
    return compareByPairs([&](int number) -> Result<std::array<RunMs, 2>> {
        if (progress.report)
            progress.report("run", static_cast<double>(number) / pairsOfStage.back());
        const bool swapped = number % 2 == 1; // neither is always the first
        const auto measured = [&]() -> Result<std::array<RunMs, 2>> {
            LATHE_TRY(const auto turn, takeTurn(turns));
            const std::vector<inspect::Measured> models{(swapped ? other : one).measured(),
                                                        (swapped ? one : other).measured()};
            LATHE_TRY(const std::vector<inspect::Profile> profiles,
                      inspect::profileByTurns(models, onePair, {{}, progress.cancelled}));
            return std::array{runMs(profiles[swapped ? 1 : 0]), runMs(profiles[swapped ? 0 : 1])};
        };
        if (number % pairsOfProcess == 0) {
            LATHE_CHECKED(one.load(options, runner));
            LATHE_CHECKED(other.load(options, runner));
            onePair.leastRuns = onePair.mostRuns = 1;
            LATHE_TRY(const auto warmUp, measured());
            const double ms = std::max(warmUp[0].model, warmUp[1].model);
            onePair.leastRuns = onePair.mostRuns = std::clamp(static_cast<int>(pairMs / std::max(ms, 1e-3)), 1, 20);
        }
        return measured();
    });
}

Result<RunByTurns> runByTurns(WholeModel& before, WholeModel& after, const driver::Options& options,
                              const device::RunnerOptions& runner, const driver::Progress& progress) {
    TimingTurns turns(runner);
    LATHE_CHECKED(before.load(options, runner));
    LATHE_CHECKED(after.load(options, runner));
    LATHE_TRY(const auto turn, takeTurn(turns));
    const std::vector<inspect::Measured> models{before.measured(), after.measured()};
    inspect::Measuring measuring = inspect::measuringOfRun;
    measuring.timeline = measuring.counters = false;
    LATHE_TRY(const std::vector<inspect::Profile> profiles, inspect::profileByTurns(models, measuring, progress));
    const auto middle = [](const inspect::Profile& profile) {
        return tune::Interval{profile.lowMs, profile.medianMs, profile.highMs};
    };
    if (!isTime(profiles[0].medianMs) || !isTime(profiles[1].medianMs))
        return failure("the clock gave whole runs of the model no times", "tune when the machine has less to do");
    return RunByTurns{middle(profiles[0]), middle(profiles[1]), inspect::differs(profiles[0], profiles[1])};
}

Result<driver::Decisions> holdInPlace(driver::Session& session, WholeModel& before, const driver::Decisions& base,
                                      tune::Study& study, const driver::Options& options,
                                      const device::RunnerOptions& runner, const driver::Progress& progress) {
    for (bool wentBack = false;; wentBack = true) {
        const driver::Decisions decisions = withSchedules(before.trace, base, study);
        if (decisions == base)
            return base;
        LATHE_TRY(const std::unique_ptr<WholeModel> after,
                  wholeModel(session, decisions, options, runner, progress, before.inputs));
        LATHE_TRY(const Compared compared, compareInPlace(before, *after, options, runner, progress));
        if (compared.isDisturbed)
            return failure("what was found could not be held against the model: too few of its whole runs had times",
                           "tune again when the machine has less to do");
        // How many it is said of.
        const auto say = [&](tune::InPlace what, const auto& ofWhich) {
            size_t count = 0;
            for (tune::TaskState& state : study.tasks)
                if (decisions.kernels.contains(state.task.workload) && !base.kernels.contains(state.task.workload) &&
                    ofWhich(state.task.kernel)) {
                    state.trials[state.best].inPlace = what;
                    ++count;
                }
            return count;
        };
        const auto all = [](const std::string&) { return true; };
        const auto notFaster = [&](const std::string& kernel) {
            const auto ratio = compared.kernels.find(kernel);
            return ratio != compared.kernels.end() && ratio->second >= 1;
        };
        // Only once: what is left has won its pairs, and would lose some by luck if it were asked again and again.
        if (!wentBack && say(tune::InPlace::TakenBack, notFaster) > 0)
            continue;
        if (compared.isSlower && say(tune::InPlace::TakenBack, all) > 0)
            continue;
        say(tune::InPlace::Kept, all);
        return decisions;
    }
}

} // namespace lathe::tuning
