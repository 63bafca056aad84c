// SPDX-License-Identifier: Apache-2.0
//
// A batch: build all, load those that could be built, a glance at each (does it run, is it far slower than the incumbent),
// then blocks by turns for those that are left. A paired test: values first, then blocks of both side by side, in children
// whose artifacts hold the two in either order, so that where code and data happen to lie counts less.
#include "driver/kernel_bench.h"

#include "base/parallel.h"
#include "driver/compare.h"
#include "tune/paired.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace lathe::driver {
namespace {

constexpr double slowBeyond = 1.5; // times the incumbent's, at a glance
constexpr int glances = 3, heatBlocks = 5;
constexpr std::chrono::nanoseconds block{2'000'000};
constexpr size_t mostInArtifact = 8;
constexpr std::array blocksOfStage = {9, 6, 10}; // of a paired test: 9, 15, 25 in all
constexpr int children = 3;
constexpr double mostUnscheduledFlops = 1e9; // a few seconds of plain loops

} // namespace

/// A kernel in the child, and what became of it. The incumbent stands first and has no trial.
struct KernelBench::Contender {
    CompiledKernelPtr kernel;
    tune::Trial* trial = nullptr;
    double least = 0;       // us, at the glance
    std::vector<double> us; // of blocks
};

KernelBench::KernelBench(Options options, RunnerOptions runner)
    : options_(std::move(options)), cancelled_(runner.cancelled), child_(std::move(runner)) {
    options_.cache = false; // most candidates are never seen again
}

/// Without a candidate: the computation as it is written, unscheduled.
Result<CompiledKernelPtr> KernelBench::build(const tune::Task& task, const tune::Candidate* candidate) const {
    Decisions decisions;
    if (candidate)
        decisions.kernels[task.workload].trace = candidate->trace;
    else
        decisions.skipPasses = {"schedule"};
    const std::string name = candidate ? "candidate_" + toString(candidate->program) : "unscheduled";
    LATHE_TRY(CompiledKernelPtr made, compileKernelAlone(task.computation, name, true, decisions, options_));
    if (!made->record.schedule.warnings.empty())
        return Failure(made->record.schedule.warnings.front());
    return made;
}

/// The same of a candidate, once for each task and program.
Result<CompiledKernelPtr> KernelBench::known(const tune::Task& task, const tune::Candidate& candidate) {
    if (const auto found = known_.find(candidate.program); found != known_.end())
        return found->second;
    LATHE_TRY(CompiledKernelPtr made, build(task, &candidate));
    return known_[candidate.program] = std::move(made);
}

void KernelBench::begin(const tune::Task& task) {
    if (std::exchange(task_, task.workload) == task.workload)
        return;
    known_.clear();
    expected_.clear();
    child_.end(); // what it keeps of large operands counts in the limit of its memory
}

Result<std::vector<tune::Trial>> KernelBench::screen(const tune::Task& task, const tune::Candidate* incumbent,
                                                     std::vector<tune::Candidate> candidates) {
    begin(task);
    CompiledKernelPtr before;
    if (incumbent) {
        LATHE_TRY(before, known(task, *incumbent));
    }
    // Of the batch before, what it found best is all that will be asked for again.
    std::erase_if(known_, [&](const auto& each) { return each.second != before; });
    std::vector<Result<CompiledKernelPtr>> built(candidates.size());
    const auto begun = std::chrono::steady_clock::now();
    parallelFor(built.size(), options_.threads, [&](size_t i) {
        if (!(cancelled_ && cancelled_()))
            built[i] = build(task, &candidates[i]);
    });
    buildSeconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    if (cancelled_ && cancelled_())
        return failure(ErrorKind::Cancelled, "tuning was cancelled");
    std::vector<tune::Trial> trials(candidates.size());
    std::vector<Contender> waiting;
    for (size_t i = 0; i < candidates.size(); ++i) {
        trials[i].candidate = std::move(candidates[i]);
        if (built[i]) {
            known_[trials[i].candidate.program] = *built[i];
            waiting.push_back({*built[i], &trials[i], 0, {}});
        } else {
            trials[i].verdict = tune::Verdict::BuildError;
            trials[i].message = built[i].error().what;
        }
    }
    while (!waiting.empty()) {
        const auto count = static_cast<std::ptrdiff_t>(std::min(waiting.size(), mostInArtifact));
        std::vector<Contender> batch;
        if (before)
            batch.push_back({before, nullptr, 0, {}});
        std::move(waiting.begin(), waiting.begin() + count, std::back_inserter(batch));
        waiting.erase(waiting.begin(), waiting.begin() + count);
        LATHE_CHECKED(load(task, batch));
        LATHE_CHECKED(glance(task, batch));
        LATHE_CHECKED(heat(task, batch));
    }
    return trials;
}

Result<void> KernelBench::load(const tune::Task& task, const std::vector<Contender>& contenders) {
    std::vector<CompiledKernelPtr> kernels;
    for (const Contender& contender : contenders)
        kernels.push_back(contender.kernel);
    child_.expect(0, block);
    return child_.load(std::move(kernels), *task.computation, task.sizes, options_, KernelsInChild::Inputs::Random);
}

/// Whether the contender goes on. One that failed gets its verdict and goes; the others are loaded again if it took the child
/// along. A failure of the machine, the incumbent or the user's will is the bench's own.
Result<bool> KernelBench::keep(const tune::Task& task, std::vector<Contender>& contenders, size_t which,
                               const Result<double>& us) {
    if (us)
        return true;
    if (cancelled_ && cancelled_()) // the keys that cancel may have reached the child as well
        return failure(ErrorKind::Cancelled, "tuning was cancelled");
    tune::Trial* trial = contenders[which].trial;
    const std::optional<tune::Verdict> verdict = child_.verdict();
    if (!trial || !verdict)
        return Failure(us.error());
    trial->verdict = *verdict;
    trial->message = us.error().what;
    contenders.erase(contenders.begin() + static_cast<std::ptrdiff_t>(which));
    if (!contenders.empty())
        LATHE_CHECKED(load(task, contenders));
    return false;
}

Result<void> KernelBench::glance(const tune::Task& task, std::vector<Contender>& contenders) {
    for (size_t i = 0; i < contenders.size();) {
        Contender& contender = contenders[i];
        bool kept = true;
        for (int look = 0; look < glances && kept; ++look) {
            const Result<double> us = child_.time(i, {}, look == 0 ? 1 : 0);
            LATHE_TRY(kept, keep(task, contenders, i, us));
            if (kept)
                contender.least = look == 0 ? *us : std::min(contender.least, *us);
        }
        if (!kept)
            continue;
        const double incumbent = contenders.front().trial ? 0 : contenders.front().least;
        child_.expect(incumbent, block);
        if (incumbent > 0 && contender.least > slowBeyond * incumbent) {
            contender.trial->verdict = tune::Verdict::Slow;
            contender.trial->us = contender.least;
        }
        ++i;
    }
    return {};
}

/// Blocks by turns, in an order that is drawn anew each time, of those that are not slow.
Result<void> KernelBench::heat(const tune::Task& task, std::vector<Contender>& contenders) {
    const auto isSlow = [](const Contender& contender) {
        return contender.trial && contender.trial->verdict == tune::Verdict::Slow;
    };
    for (int round = 0; round < heatBlocks; ++round) {
        std::vector<size_t> order(contenders.size());
        std::iota(order.begin(), order.end(), size_t{0});
        std::ranges::shuffle(order, random_);
        for (size_t turn = 0; turn < order.size(); ++turn) {
            const size_t i = order[turn];
            if (isSlow(contenders[i]))
                continue;
            const Result<double> us = child_.time(i, block, 0);
            LATHE_TRY(const bool kept, keep(task, contenders, i, us));
            if (kept) {
                contenders[i].us.push_back(*us);
                continue;
            }
            for (size_t& later : order) // the places behind the one that went
                later -= later > i;
            order[turn] = 0;
        }
    }
    const bool hasIncumbent = !contenders.empty() && !contenders.front().trial;
    for (Contender& contender : contenders) {
        if (!contender.trial || isSlow(contender))
            continue;
        tune::Trial& trial = *contender.trial;
        trial.verdict = tune::Verdict::Measured;
        trial.us = tune::medianInterval(contender.us).middle;
        trial.ratio = {1, 1, 1};
        if (!hasIncumbent)
            continue;
        std::vector<double> ratios;
        for (size_t i = 0; i < std::min(contender.us.size(), contenders.front().us.size()); ++i)
            ratios.push_back(contender.us[i] / contenders.front().us[i]);
        trial.ratio = tune::medianInterval(ratios);
    }
    return {};
}

/// What the unscheduled kernel computes, or where that would take too long the task's first incumbent: once for a task.
Result<const std::vector<model::HostTensor>*>
KernelBench::expected(const tune::Task& task, const CompiledKernelPtr& incumbent, KernelsInChild::Inputs inputs) {
    if (const auto found = expected_.find(inputs); found != expected_.end())
        return &found->second;
    CompiledKernelPtr truth = incumbent;
    if (task.flops <= mostUnscheduledFlops) {
        LATHE_TRY(truth, build(task, nullptr));
    }
    child_.expect(0, block);
    LATHE_CHECKED(child_.load({truth}, *task.computation, task.sizes, options_, inputs));
    LATHE_TRY(std::vector<model::HostTensor> outputs, child_.outputs(0));
    return &(expected_[inputs] = std::move(outputs));
}

/// How the candidate's results differ from what is expected; empty if they do not.
Result<std::string> KernelBench::difference(const tune::Task& task, const CompiledKernelPtr& candidate,
                                            const CompiledKernelPtr& incumbent) {
    for (const auto inputs : {KernelsInChild::Inputs::SmallWhole, KernelsInChild::Inputs::Random}) {
        LATHE_TRY(const std::vector<model::HostTensor>* right, expected(task, incumbent, inputs));
        child_.expect(0, block);
        LATHE_CHECKED(child_.load({candidate}, *task.computation, task.sizes, options_, inputs));
        const auto got = child_.outputs(0);
        if (!got)
            return got.error().what;
        for (size_t i = 0; i < right->size(); ++i) {
            CompareRules rules;
            rules.absoluteOfRange = 1e-6; // long sums in another order, where terms cancel
            const Comparison compared = driver::compare((*got)[i], (*right)[i], rules);
            if (!compared.right)
                return fmt::format("output {}: {}", i, compared.message);
        }
    }
    return std::string();
}

Result<tune::Verdicts> KernelBench::compare(const tune::Task& task, const tune::Candidate& incumbent,
                                            const tune::Candidate& candidate, double leastGain) {
    begin(task);
    tune::Verdicts found;
    LATHE_TRY(const CompiledKernelPtr before, known(task, incumbent));
    LATHE_TRY(const CompiledKernelPtr after, known(task, candidate));
    LATHE_TRY(found.message, difference(task, after, before));
    found.wrong = !found.message.empty();
    if (found.wrong)
        return found;
    for (const int blocks : blocksOfStage) {
        for (int part = 0; part < children; ++part) {
            const bool swapped = part % 2 == 1;
            const int here = blocks * (part + 1) / children - blocks * part / children;
            child_.end(); // another process lies elsewhere
            child_.expect(0, block);
            LATHE_CHECKED(child_.load(swapped ? std::vector{after, before} : std::vector{before, after},
                                      *task.computation, task.sizes, options_, KernelsInChild::Inputs::Random));
            for (int i = 0; i < here; ++i) {
                std::array<double, 2> us{}; // before, after
                const auto first = static_cast<size_t>(random_() % 2);
                for (const size_t which : {first, 1 - first}) {
                    LATHE_TRY(us[swapped ? 1 - which : which], child_.time(which, block, i == 0 ? 1 : 0));
                }
                found.logRatios.push_back(std::log(us[1] / us[0]));
            }
        }
        if (tune::isFaster(found.logRatios, leastGain) != tune::Faster::Undecided)
            break;
    }
    return found;
}

} // namespace lathe::driver
