// SPDX-License-Identifier: Apache-2.0
//
// Candidates for a kernel, built and timed: the tuner's Bench. They are built here, and run where the runner does.
// Candidates of a batch and their incumbent lie in one artifact and alternate in one child process, on the same buffers. One
// that cannot be built is left out, one that crashes ends the child and is left out of the next; what is timed is always
// beside the incumbent. Nothing is built while something is timed.
#pragma once

#include "tune/study.h"
#include "tuning/kernel_maker.h"
#include "tuning/kernels_in_child.h"
#include "tuning/timing_turns.h"

#include <chrono>
#include <map>

namespace lathe::tuning {

class KernelBench final : public tune::Bench {
public:
    /// Candidates are compiled under `options`, on all cores, by `maker`; by builders (tuning/kernel_builders.h) where that is null, or in
    /// this process if there is no program for them, which is noted. They run on runner.threads. runner.cancelled, which may
    /// be empty, ends what is under way by a Failure of kind Cancelled. What the machine fails at is tried three times.
    KernelBench(driver::Options options, device::RunnerOptions runner, std::unique_ptr<KernelMaker> maker = nullptr);

    Result<std::vector<tune::Trial>> screen(const tune::Task& task, const tune::Candidate* incumbent,
                                            std::vector<tune::Candidate> candidates) override;
    Result<tune::PairedTimes> compare(const tune::Task& task, const tune::Candidate& incumbent,
                                      const tune::Candidate& candidate, double leastGain) override;
    Result<std::optional<tune::Fault>> check(const tune::Task& task, const tune::Candidate& byDefault,
                                             const tune::Candidate& candidate) override;
    double buildSeconds() const override { return buildSeconds_; }
    tune::Timings timings() const override { return rounds_.timings(); }

private:
    struct Contender;
    Result<std::vector<tune::Trial>> screenOnce(const tune::Task& task, const tune::Candidate* incumbent,
                                                const std::vector<tune::Candidate>& candidates);
    Result<tune::PairedTimes> compareOnce(const tune::Task& task, const tune::Candidate& incumbent,
                                          const tune::Candidate& candidate, double leastGain);
    Result<std::optional<tune::Fault>> checkOnce(const tune::Task& task, const tune::Candidate& byDefault,
                                                 const tune::Candidate& candidate);
    template <class Value>
    Result<Value> insist(const std::function<Result<Value>()>& once);

    Result<std::vector<MadeKernel>> make(const tune::Task& task, std::span<const WantedKernel> wanted);
    Result<driver::CompiledKernelPtr> known(const tune::Task& task, const tune::Candidate& candidate);
    void begin(const tune::Task& task);
    Result<void> load(const tune::Task& task, const std::vector<int64_t>& sizes, std::vector<Contender>& contenders);
    Result<void> look(const tune::Task& task, std::vector<Contender>& contenders);
    Result<void> glance(const tune::Task& task, std::vector<Contender>& contenders);
    Result<bool> rounds(const tune::Task& task, std::vector<Contender>& contenders, int& disturbed);
    Result<void> heat(const tune::Task& task, std::vector<Contender>& contenders);
    Result<void> drop(const tune::Task& task, std::vector<Contender>& contenders, size_t which,
                      const Diagnostic& problem);
    /// At which sizes a task's kernels run, and on what.
    struct Setting {
        std::vector<int64_t> sizes;
        KernelsInChild::Inputs inputs = KernelsInChild::Inputs::Random;
        auto operator<=>(const Setting&) const = default;
    };
    Result<const std::vector<model::HostTensor>*> expected(const tune::Task& task, const tune::Candidate& byDefault,
                                                           const Setting& setting);
    Result<std::optional<tune::Fault>> checkAt(const tune::Task& task, const tune::Candidate& byDefault,
                                               const KernelsInChild::Linked& candidate, const Setting& setting);
    Result<std::optional<TimingTurn>> takeTurn();
    tune::Bench::Time timeOfStudy() const;
    bool isCancelled() const { return cancelled_ && cancelled_(); }
    bool wait(double seconds) const;
    void note(const std::string& text) const;

    driver::Options options_;
    std::function<bool()> cancelled_;
    std::unique_ptr<KernelMaker> maker_;
    bool inProcess_ = false; // and that was not noted yet
    bool saidNoLock_ = false;
    KernelsInChild child_;
    TimingTurns turns_;
    TimingRounds rounds_;
    std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
    Patience patience_{[this] { return timeOfStudy(); }};
    /// What is asked for again when the study comes back to a task.
    struct Kept {
        std::map<Hash128, driver::CompiledKernelPtr> kernels; // by program
        std::map<Setting, std::vector<model::HostTensor>> expected;
    };
    std::map<std::string, Kept> kept_; // by workload
    std::string task_;                 // the one at hand
    std::vector<int64_t> sizes_;       // that its contenders are loaded for
    double buildSeconds_ = 0;
};

} // namespace lathe::tuning
