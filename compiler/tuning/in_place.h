// SPDX-License-Identifier: Apache-2.0
//
// What tuning found, held against the model without it: kernels that are faster alone may be slower between others, with
// their caches. Both models run by turns, in pairs. What disturbs the machine takes part in a few pairs, and where a process
// happens to lie in memory in those of one process; so there are many pairs, a few processes, and medians over all.
#pragma once

#include "tune/study.h"
#include "tuning/whole_model.h"

#include <array>
#include <functional>
#include <map>

namespace lathe::tuning {

/// Milliseconds of a kernel's calls in one run.
double msOf(const inspect::Profile& profile, const std::string& kernel);

/// Of one run of a model, in milliseconds: the whole, and all calls of each kernel.
struct RunMs {
    double model = 0;
    std::map<std::string, double> kernels;
};

/// What pairs of runs say of two models.
struct Compared {
    bool isDisturbed = false; // too few pairs had times: nothing is known
    bool isFaster = false;    // the second, beyond the noise: tune::isFaster
    bool isSlower = false;
    double firstMs = 0,
           secondMs = 0; // the median of the first, and it times the median over the pairs of second over first
    /// The median over the pairs of second over first; of those that both have, with times.
    std::map<std::string, double> kernels;
};

/// Both once more, side by side; the argument counts the pairs from 0.
using MeasurePair = std::function<Result<std::array<RunMs, 2>>(int)>;

/// Asks for 9 pairs, then for up to 25 until the two models are told apart. A pair without a time of both (isTime) does not
/// count: another is asked for, up to 25 in all.
Result<Compared> compareByPairs(const MeasurePair& measure);

/// The same of two compiled models, each in three processes one after the other; each pair while no other study has its turn
/// there. Whoever compares what was chosen among many has to measure again: the best of many times is the luckiest. Fails too
/// where that turn does not come within minutes.
Result<Compared> compareInPlace(WholeModel& one, WholeModel& other, const driver::Options& options,
                                const device::RunnerOptions& runner, const driver::Progress& progress = {});

/// Of two models that ran by turns, as whoever compares compilations sees it.
struct RunByTurns {
    tune::Interval beforeMs, afterMs; // the medians, and the middle halves of the runs
    bool differs = false;             // inspect::differs
};
/// Not what was chosen by: a run of its own, while no other study has its turn. Fails where that does not come within minutes, or
/// the clock gives no times.
Result<RunByTurns> runByTurns(WholeModel& before, WholeModel& after, const driver::Options& options,
                              const device::RunnerOptions& runner, const driver::Progress& progress = {});

/// `base` with the schedules that held: `before`, which is compiled under it, against the same with the study's schedules of
/// its kernels, but for those that were taken back before. A tuned kernel that is not faster in place than its default is taken
/// back; so are all if what is left of them makes the model slower. Their trials say what came of each. Fails where that cannot
/// be known, as too few pairs had times.
Result<driver::Decisions> holdInPlace(driver::Session& session, WholeModel& before, const driver::Decisions& base,
                                      tune::Study& study, const driver::Options& options,
                                      const device::RunnerOptions& runner, const driver::Progress& progress = {});

} // namespace lathe::tuning
