// SPDX-License-Identifier: Apache-2.0
#include "tuning/kernel_pairs.h"

#include "tune/paired.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lathe::tuning {
namespace {

constexpr std::array blocksOfStage = {9, 6, 10}; // 9, 15, 25 in all
constexpr int children = 3;
constexpr double mostLoss = 0.05; // at one of a task's sizes

/// What was found at several sizes: pairs that were timed at all of them.
tune::PairedTimes asOne(const std::vector<tune::PairedTimes>& found) {
    tune::PairedTimes all;
    std::vector<std::vector<double>> logRatios;
    for (const tune::PairedTimes& each : found) {
        if (each.fault)
            all.fault = each.fault;
        all.disturbed = std::max(all.disturbed, each.disturbed);
        logRatios.push_back(each.logRatios);
    }
    all.logRatios = tune::together(logRatios);
    return all;
}

} // namespace

Result<KernelPairs::Linked> KernelPairs::link(const driver::CompiledKernelPtr& incumbent,
                                              const driver::CompiledKernelPtr& candidate,
                                              const driver::Options& options) {
    const std::array inOrder = {incumbent, candidate}, swapped = {candidate, incumbent};
    LATHE_TRY(KernelsInChild::Linked one, KernelsInChild::link(inOrder, options));
    LATHE_TRY(KernelsInChild::Linked other, KernelsInChild::link(swapped, options));
    return Linked{std::move(one), std::move(other)};
}

/// Pairs in a new child. False: there are none to be had, as the candidate or the clock fails.
Result<bool> KernelPairs::add(const tune::Task& task, const std::vector<int64_t>& sizes, const Linked& both,
                              bool swapped, int count, tune::PairedTimes& found) {
    child_.end(); // another process lies elsewhere
    LATHE_CHECKED(
        child_.load(swapped ? both.swapped : both.inOrder, *task.computation, sizes, KernelsInChild::Inputs::Random));
    child_.expect(0);
    const size_t candidate = swapped ? 0 : 1;
    const auto failed = [&](size_t which, const Diagnostic& problem) -> Result<bool> {
        const std::optional<tune::Verdict> verdict = child_.verdict();
        if (which != candidate || !verdict)
            return Failure(problem);
        found.fault = {*verdict, problem.what};
        return false;
    };
    std::array<TimingRounds::Part, 2> parts;
    for (const size_t which : {1 - candidate, candidate}) {
        const auto seen = child_.glance(which, 1, 1);
        if (!seen)
            return failed(which, seen.error());
        parts[which] = {which, callsOfBlock(seen->us)};
        child_.expect(seen->us);
    }
    for (int i = 0; i < count; ++i) {
        const TimingRounds::Round round = rounds_.round(child_, parts, patience_);
        if (round.outcome == TimingRounds::Round::Outcome::Untimed)
            return false;
        if (round.outcome == TimingRounds::Round::Outcome::Failed)
            return failed(round.failed, round.problem);
        found.disturbed += round.isDisturbed;
        found.logRatios.push_back(std::log(round.us[candidate] / round.us[1 - candidate]));
    }
    return true;
}

Result<tune::PairedTimes> KernelPairs::time(const tune::Task& task, const Linked& both, double leastGain,
                                            const std::function<bool()>& isOver) {
    const std::vector<std::vector<int64_t>> sizes = task.allSizes();
    std::vector<tune::PairedTimes> found(sizes.size()); // at each
    for (const int blocks : blocksOfStage) {
        bool more = true;
        for (int part = 0; part < children; ++part) {
            const int here = blocks * (part + 1) / children - blocks * part / children;
            for (size_t at = 0; at < sizes.size() && more; ++at) {
                LATHE_TRY(more, add(task, sizes[at], both, part % 2 == 1, here, found[at]));
            }
        }
        if (!more || !tune::needsMore(asOne(found).logRatios, leastGain) || isOver())
            break;
    }
    tune::PairedTimes all = asOne(found);
    const bool isFaster = tune::isFaster(all.logRatios, leastGain) == tune::Faster::Yes;
    for (size_t at = 0; at < sizes.size() && sizes.size() > 1 && isFaster && all.loses.empty(); ++at)
        if (const double log = tune::medianInterval(found[at].logRatios).middle; log > std::log1p(mostLoss))
            all.loses =
                fmt::format("{:.0f} % slower at the sizes {}", 100 * std::expm1(log), fmt::join(sizes[at], ", "));
    return all;
}

} // namespace lathe::tuning
