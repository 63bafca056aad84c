// SPDX-License-Identifier: Apache-2.0
//
// A batch: build all, load those that could be built, a glance at each (does it run, is it far slower than the incumbent),
// then rounds of those that are left; then paired tests (tuning/kernel_pairs.h), and the values of what won.
#include "tuning/kernel_bench.h"

#include "data/compare.h"
#include "tune/paired.h"
#include "tuning/kernel_builders.h"
#include "tuning/kernel_pairs.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <thread>

namespace lathe::tuning {
namespace {

constexpr double slowBeyond = 1.5; // times the incumbent's, at a glance
constexpr int glances = 3, heatRounds = 5;
constexpr size_t heated = 8; // the best of a batch; others only if they may be as fast as the incumbent
constexpr double glanceUs = 20;
constexpr double mostUnscheduledFlops = 1e9; // a few seconds of plain loops
constexpr int insistence = 3;                // times
constexpr size_t mostKeptBytes = size_t{256} << 20;

std::string nameOf(const tune::Candidate& candidate) {
    return "candidate_" + toString(candidate.program);
}

/// Whether all are whole numbers that their type holds exactly: sums and products that come to them come to the same in
/// whatever order.
bool areWhole(const model::HostTensor& tensor) {
    if (!tensor.dtype.isFloat())
        return false;
    const double most = tensor.dtype == types::Float64 ? 0x1p53 : tensor.dtype == types::Float32 ? 0x1p24 : 0x1p11;
    return std::ranges::all_of(data::toDoubles(tensor),
                               [&](double value) { return std::abs(value) <= most && value == std::trunc(value); });
}

Diagnostic cancelledProblem() {
    return error(ErrorKind::Cancelled, "tuning was cancelled");
}

} // namespace

/// A kernel in the child, and what became of it. The first is what the others are held against; its trial is null if it is the
/// incumbent.
struct KernelBench::Contender {
    driver::CompiledKernelPtr kernel;
    tune::Trial* trial = nullptr;
    double least = 0; // us, at the last glance
    /// By the sizes of the task: logarithms of the us of blocks.
    std::vector<std::vector<double>> logUs = {};
    bool isSlow = false;
};

KernelBench::KernelBench(driver::Options options, device::RunnerOptions runner, std::unique_ptr<KernelMaker> maker)
    : options_(std::move(options)), cancelled_(runner.cancelled), maker_(std::move(maker)), child_(runner),
      turns_(runner), rounds_(
                          runner.threads, [this](double seconds) { return wait(seconds); },
                          [this](const std::string& text) { note(text); }) {
    options_.cache = false; // most candidates are never seen again
    options_.threads = 0;   // nothing is timed meanwhile
    if (maker_)
        return;
    inProcess_ = builderProgram().empty();
    if (inProcess_) {
        maker_ = makeKernelsHere(options_, cancelled_);
    } else {
        BuilderOptions builders;
        builders.cancelled = cancelled_;
        maker_ = std::make_unique<KernelBuilders>(options_, std::move(builders));
    }
}

/// Outside of a study there is no end.
tune::Bench::Time KernelBench::timeOfStudy() const {
    if (clock)
        return clock();
    return {std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count(),
            std::numeric_limits<double>::infinity()};
}

/// Nothing: it was not this one's turn before the study's end.
Result<std::optional<TimingTurn>> KernelBench::takeTurn() {
    auto turn = turns_.take(timeOfStudy().left, [this](const std::string& text) { note(text); });
    if (turn && *turn && !(*turn)->problem().empty() && !std::exchange(saidNoLock_, true))
        note(
            fmt::format("{}; other tuners on this machine do not wait, and may disturb the times", (*turn)->problem()));
    return turn;
}

bool KernelBench::wait(double seconds) const {
    const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (!isCancelled() && std::chrono::steady_clock::now() < until)
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return !isCancelled();
}

void KernelBench::note(const std::string& text) const {
    if (noted)
        noted(text);
}

/// A failure is the machine's: it may pass.
template <class Value>
Result<Value> KernelBench::insist(const std::function<Result<Value>()>& once) {
    if (std::exchange(inProcess_, false))
        note("there is no program `lathe` beside this one: candidates are compiled in this process, which one that the "
             "compiler crashes on would end");
    for (int time = 1;; ++time) {
        Result<Value> result = once();
        if (result)
            return result;
        if (isCancelled() || result.error().kind == ErrorKind::Cancelled)
            return Failure(cancelledProblem());
        if (time == insistence) {
            Diagnostic problem = result.error();
            problem.what = fmt::format("cannot measure: {} ({} times in a row)", problem.what, insistence);
            return Failure(std::move(problem));
        }
        child_.end();
        note(fmt::format("tries again: {}", result.error().what));
        (void)wait(1);
    }
}

Result<std::vector<MadeKernel>> KernelBench::make(const tune::Task& task, std::span<const WantedKernel> wanted) {
    const auto begun = std::chrono::steady_clock::now();
    auto built = maker_->make(task, wanted);
    buildSeconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    return built;
}

/// What was compiled before, in this study or in one that it goes on with.
Result<driver::CompiledKernelPtr> KernelBench::known(const tune::Task& task, const tune::Candidate& candidate) {
    std::map<Hash128, driver::CompiledKernelPtr>& kernels = kept_[task_].kernels;
    if (const auto found = kernels.find(candidate.program); found != kernels.end())
        return found->second;
    const WantedKernel wanted{nameOf(candidate), &candidate.trace, true};
    LATHE_TRY(const std::vector<MadeKernel> built, make(task, std::span(&wanted, 1)));
    if (!built.front().kernel)
        return failure(fmt::format("the schedule that others of '{}' are held against cannot be compiled again: {}",
                                   task.kernel, built.front().message),
                       "the machine may be too busy, or short of memory");
    return kernels[candidate.program] = built.front().kernel;
}

void KernelBench::begin(const tune::Task& task) {
    if (std::exchange(task_, task.workload) == task.workload)
        return;
    child_.end(); // what it keeps of large operands counts in the limit of its memory
    size_t bytes = 0;
    for (const auto& [workload, kept] : kept_)
        for (const auto& [setting, tensors] : kept.expected)
            for (const model::HostTensor& tensor : tensors)
                bytes += tensor.bytes.size();
    if (bytes > mostKeptBytes)
        for (auto& [workload, kept] : kept_)
            kept.expected.clear();
}

Result<std::vector<tune::Trial>> KernelBench::screen(const tune::Task& task, const tune::Candidate* incumbent,
                                                     std::vector<tune::Candidate> candidates) {
    return insist<std::vector<tune::Trial>>([&] { return screenOnce(task, incumbent, candidates); });
}

Result<tune::PairedTimes> KernelBench::compare(const tune::Task& task, const tune::Candidate& incumbent,
                                               const tune::Candidate& candidate, double leastGain) {
    return insist<tune::PairedTimes>([&] { return compareOnce(task, incumbent, candidate, leastGain); });
}

Result<std::optional<tune::Fault>> KernelBench::check(const tune::Task& task, const tune::Candidate& byDefault,
                                                      const tune::Candidate& candidate) {
    return insist<std::optional<tune::Fault>>([&] { return checkOnce(task, byDefault, candidate); });
}

Result<std::vector<tune::Trial>> KernelBench::screenOnce(const tune::Task& task, const tune::Candidate* incumbent,
                                                         const std::vector<tune::Candidate>& candidates) {
    begin(task);
    driver::CompiledKernelPtr before;
    if (incumbent) {
        LATHE_TRY(before, known(task, *incumbent));
    }
    // Of the batch before, what it found best is all that will be asked for again.
    std::map<Hash128, driver::CompiledKernelPtr>& kernels = kept_[task_].kernels;
    std::erase_if(kernels, [&](const auto& each) { return each.second != before; });
    std::vector<WantedKernel> wanted;
    for (const tune::Candidate& candidate : candidates)
        wanted.push_back({nameOf(candidate), &candidate.trace});
    LATHE_TRY(const std::vector<MadeKernel> built, make(task, wanted));
    std::vector<tune::Trial> trials(candidates.size());
    std::vector<Contender> contenders;
    if (before)
        contenders.push_back({.kernel = before});
    for (size_t i = 0; i < candidates.size(); ++i) {
        trials[i].candidate = candidates[i];
        if (built[i].kernel) {
            kernels[candidates[i].program] = built[i].kernel;
            contenders.push_back({.kernel = built[i].kernel, .trial = &trials[i]});
        } else {
            trials[i].verdict = built[i].verdict;
            trials[i].message = built[i].message;
        }
    }
    const bool hasBase = before || (!candidates.empty() && built.front().kernel);
    if (hasBase && contenders.size() > (before ? 1U : 0U)) {
        LATHE_TRY(const std::optional<TimingTurn> turn, takeTurn());
        if (turn) {
            LATHE_CHECKED(load(task, task.sizes, contenders));
            LATHE_CHECKED(glance(task, contenders));
            LATHE_CHECKED(heat(task, contenders));
        } else {
            for (const Contender& contender : contenders)
                if (contender.trial) {
                    contender.trial->verdict = tune::Verdict::Disturbed;
                    contender.trial->message = "another tuner timed all the while";
                }
        }
    }
    if (!before && !trials.empty() && trials.front().verdict != tune::Verdict::Measured)
        trials.resize(1); // there was nothing to hold the others against
    return trials;
}

/// All of them, in one artifact, in their order. One that cannot be linked gets its verdict and goes.
Result<void> KernelBench::load(const tune::Task& task, const std::vector<int64_t>& sizes,
                               std::vector<Contender>& contenders) {
    sizes_ = sizes;
    std::vector<driver::CompiledKernelPtr> kernels;
    for (const Contender& contender : contenders)
        kernels.push_back(contender.kernel);
    const auto linked = KernelsInChild::link(kernels, options_);
    if (linked)
        return child_.load(*linked, *task.computation, sizes_, KernelsInChild::Inputs::Random);
    if (!KernelsInChild::link({kernels.data(), 1}, options_)) // it is not a candidate's fault
        return Failure(linked.error());
    const auto gone = std::erase_if(contenders, [&](const Contender& contender) {
        const auto alone = KernelsInChild::link({&contender.kernel, 1}, options_);
        if (!alone && contender.trial) {
            contender.trial->verdict = tune::Verdict::BuildError;
            contender.trial->message = alone.error().what;
        }
        return !alone;
    });
    return gone > 0 ? load(task, sizes_, contenders) : Failure(linked.error());
}

/// The contender's block failed: it gets its verdict and goes, the others are loaded again if it took the child along. A
/// failure of the machine, the incumbent or the user's will is the bench's own.
Result<void> KernelBench::drop(const tune::Task& task, std::vector<Contender>& contenders, size_t which,
                               const Diagnostic& problem) {
    const std::optional<tune::Verdict> verdict = child_.verdict();
    if (verdict == tune::Verdict::RunMemory && which < contenders.size()) {
        // Whichever runs, there is room for the largest workspace.
        const auto workspace = [](const Contender& contender) {
            return arith::asInt(contender.kernel->kernel.workspaceBytes).value_or(0);
        };
        const auto from = contenders.begin() + static_cast<std::ptrdiff_t>(which);
        which += static_cast<size_t>(std::ranges::max_element(from, contenders.end(), {}, workspace) - from);
    }
    if (which >= contenders.size() || !contenders[which].trial || !verdict)
        return Failure(problem);
    contenders[which].trial->verdict = *verdict;
    contenders[which].trial->message = problem.what;
    if (which == 0) { // and with it what the others are held against
        contenders.clear();
        return {};
    }
    contenders.erase(contenders.begin() + static_cast<std::ptrdiff_t>(which));
    return load(task, sizes_, contenders);
}

/// The least of a few calls of each that is not known to be slow.
Result<void> KernelBench::look(const tune::Task& task, std::vector<Contender>& contenders) {
    child_.expect(0);
    int64_t calls = 1;
    for (size_t i = 0; i < contenders.size();) {
        if (contenders[i].isSlow) {
            ++i;
            continue;
        }
        const auto seen = child_.glance(i, calls, glances);
        if (!seen) {
            LATHE_CHECKED(drop(task, contenders, i, seen.error()));
            continue;
        }
        Contender& contender = contenders[i];
        contender.least = seen->us;
        if (i == 0 && calls == 1 && seen->us < glanceUs) { // a call alone is too short to be told
            calls = callsFor(seen->us, glanceUs, 1);
            if (calls > 1)
                continue;
        }
        child_.expect(contenders.front().least);
        ++i;
    }
    return {};
}

Result<void> KernelBench::glance(const tune::Task& task, std::vector<Contender>& contenders) {
    LATHE_CHECKED(look(task, contenders));
    // Who is neither among the best nor close to the incumbent is not worth more.
    std::vector<double> times;
    for (const Contender& contender : contenders)
        if (contender.trial)
            times.push_back(contender.least);
    if (times.empty())
        return {};
    std::ranges::sort(times);
    const double base = contenders.front().least;
    const double worth = std::clamp(times[std::min(heated, times.size()) - 1], base, slowBeyond * base);
    for (Contender& contender : contenders) {
        contender.isSlow = contender.least > worth;
        if (!contender.isSlow || !contender.trial)
            continue;
        contender.trial->verdict = tune::Verdict::Slow;
        contender.trial->us = contender.least;
        if (const double ratio = contender.least / base; isTime(ratio))
            contender.trial->ratio = {ratio, ratio, ratio};
    }
    return {};
}

/// Rounds of what is loaded. False: the clock gave no times.
Result<bool> KernelBench::rounds(const tune::Task& task, std::vector<Contender>& contenders, int& disturbed) {
    for (Contender& contender : contenders)
        contender.logUs.emplace_back();
    for (int done = 0; done < heatRounds && !contenders.empty();) {
        std::vector<TimingRounds::Part> parts;
        for (size_t i = 0; i < contenders.size(); ++i)
            if (!contenders[i].isSlow)
                parts.push_back({i, callsOfBlock(contenders[i].least)});
        const TimingRounds::Round round = rounds_.round(child_, parts, patience_);
        switch (round.outcome) {
        case TimingRounds::Round::Outcome::Timed:
            for (size_t part = 0; part < parts.size(); ++part)
                contenders[parts[part].which].logUs.back().push_back(std::log(round.us[part]));
            ++done;
            disturbed += round.isDisturbed;
            break;
        case TimingRounds::Round::Outcome::Untimed:
            return false;
        case TimingRounds::Round::Outcome::Failed:
            LATHE_CHECKED(drop(task, contenders,
                               round.failed < parts.size() ? parts[round.failed].which : contenders.size(),
                               round.problem));
            break;
        }
    }
    return true;
}

Result<void> KernelBench::heat(const tune::Task& task, std::vector<Contender>& contenders) {
    patience_.begin();
    int disturbed = 0;
    LATHE_TRY(bool isTimed, rounds(task, contenders, disturbed));
    for (const std::vector<int64_t>& sizes : task.otherSizes)
        if (isTimed && !contenders.empty()) {
            LATHE_CHECKED(load(task, sizes, contenders));
            LATHE_CHECKED(look(task, contenders));
            LATHE_TRY(isTimed, rounds(task, contenders, disturbed));
        }
    for (Contender& contender : contenders) {
        if (!contender.trial || contender.isSlow)
            continue;
        tune::Trial& trial = *contender.trial;
        if (!isTimed) {
            trial.verdict = tune::Verdict::Disturbed;
            trial.message = "the clock gave no times";
            continue;
        }
        trial.verdict = tune::Verdict::Measured;
        if (disturbed > 0)
            trial.message = fmt::format("the machine was busy in {} of {} timings", disturbed,
                                        static_cast<size_t>(heatRounds) * contender.logUs.size());
        const std::vector<double> us = tune::together(contender.logUs);
        const std::vector<double> base = tune::together(contenders.front().logUs);
        std::vector<double> logRatios;
        for (size_t i = 0; i < us.size(); ++i)
            logRatios.push_back(us[i] - base[i]);
        const tune::Interval ratio = tune::medianInterval(logRatios);
        trial.us = std::exp(tune::medianInterval(us).middle);
        trial.ratio = {std::exp(ratio.low), std::exp(ratio.middle), std::exp(ratio.high)};
    }
    return {};
}

/// What the unscheduled kernel computes, or where that would take too long the task's default: once for a task.
Result<const std::vector<model::HostTensor>*>
KernelBench::expected(const tune::Task& task, const tune::Candidate& byDefault, const Setting& setting) {
    auto& kept = kept_[task_].expected;
    if (const auto found = kept.find(setting); found != kept.end())
        return &found->second;
    driver::CompiledKernelPtr truth;
    if (task.flops <= mostUnscheduledFlops) {
        const WantedKernel wanted{"unscheduled", nullptr};
        LATHE_TRY(const std::vector<MadeKernel> built, make(task, std::span(&wanted, 1)));
        if (!built.front().kernel)
            return failure(built.front().message);
        truth = built.front().kernel;
    } else {
        LATHE_TRY(truth, known(task, byDefault));
    }
    LATHE_TRY(const KernelsInChild::Linked linked, KernelsInChild::link({&truth, 1}, options_));
    LATHE_CHECKED(child_.load(linked, *task.computation, setting.sizes, setting.inputs));
    child_.expect(0);
    LATHE_TRY(std::vector<model::HostTensor> outputs, child_.outputs(0));
    return &(kept[setting] = std::move(outputs));
}

Result<std::optional<tune::Fault>> KernelBench::checkOnce(const tune::Task& task, const tune::Candidate& byDefault,
                                                          const tune::Candidate& candidate) {
    begin(task);
    LATHE_TRY(const driver::CompiledKernelPtr after, known(task, candidate));
    LATHE_TRY(const KernelsInChild::Linked alone, KernelsInChild::link({&after, 1}, options_));
    for (const std::vector<int64_t>& sizes : task.allSizes())
        for (const auto inputs : {KernelsInChild::Inputs::SmallWhole, KernelsInChild::Inputs::Random}) {
            LATHE_TRY(std::optional<tune::Fault> fault, checkAt(task, byDefault, alone, {sizes, inputs}));
            if (fault)
                return fault;
        }
    return std::nullopt;
}

Result<std::optional<tune::Fault>> KernelBench::checkAt(const tune::Task& task, const tune::Candidate& byDefault,
                                                        const KernelsInChild::Linked& candidate,
                                                        const Setting& setting) {
    LATHE_TRY(const std::vector<model::HostTensor>* right, expected(task, byDefault, setting));
    LATHE_CHECKED(child_.load(candidate, *task.computation, setting.sizes, setting.inputs));
    child_.expect(0);
    const auto got = child_.outputs(0);
    if (!got) {
        const std::optional<tune::Verdict> verdict = child_.verdict();
        if (!verdict)
            return Failure(got.error());
        return tune::Fault{*verdict, got.error().what};
    }
    if (got->size() != right->size())
        return failure(fmt::format("the runner gives {} outputs of {}", got->size(), right->size()));
    for (size_t i = 0; i < right->size(); ++i) {
        data::CompareRules rules;
        if (areWhole((*right)[i]))
            rules.relative = rules.absolute = 0;
        else
            rules.absoluteOfRange = 1e-6; // long sums in another order, where terms cancel
        const data::Comparison compared = data::compare((*got)[i], (*right)[i], rules);
        if (!compared.right)
            return tune::Fault{tune::Verdict::Wrong, fmt::format("output {}: {}", i, compared.message)};
    }
    return std::nullopt;
}

Result<tune::PairedTimes> KernelBench::compareOnce(const tune::Task& task, const tune::Candidate& incumbent,
                                                   const tune::Candidate& candidate, double leastGain) {
    begin(task);
    LATHE_TRY(const driver::CompiledKernelPtr before, known(task, incumbent));
    LATHE_TRY(const driver::CompiledKernelPtr after, known(task, candidate));
    LATHE_TRY(const KernelPairs::Linked both, KernelPairs::link(before, after, options_));
    LATHE_TRY(const std::optional<TimingTurn> turn, takeTurn());
    if (!turn)
        return tune::PairedTimes();
    patience_.begin();
    KernelPairs pairs(child_, rounds_, patience_);
    return pairs.time(task, both, leastGain, [this] { return timeOfStudy().left < 0; });
}

} // namespace lathe::tuning
