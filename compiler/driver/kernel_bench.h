// SPDX-License-Identifier: Apache-2.0
//
// Candidates for a kernel, built and timed: the tuner's Bench on this machine. Candidates of a batch and their incumbent lie
// in one artifact and alternate in one child process, on the same buffers. One that cannot be built is left out, one that
// crashes ends the child and is left out of the next; what is timed is always beside the incumbent.
#pragma once

#include "driver/kernels_in_child.h"
#include "tune/study.h"

#include <map>
#include <random>

namespace lathe::driver {

class KernelBench final : public tune::Bench {
public:
    /// Candidates are compiled under `options`, on options.threads, and run on runner.threads. runner.cancelled, which may be
    /// empty, ends what is under way by a Failure of kind Cancelled.
    KernelBench(Options options, RunnerOptions runner);

    Result<std::vector<tune::Trial>> screen(const tune::Task& task, const tune::Candidate* incumbent,
                                            std::vector<tune::Candidate> candidates) override;
    Result<tune::Verdicts> compare(const tune::Task& task, const tune::Candidate& incumbent,
                                   const tune::Candidate& candidate, double leastGain) override;
    double buildSeconds() const override { return buildSeconds_; }

private:
    struct Contender;
    Result<CompiledKernelPtr> build(const tune::Task& task, const tune::Candidate* candidate) const;
    Result<CompiledKernelPtr> known(const tune::Task& task, const tune::Candidate& candidate);
    void begin(const tune::Task& task);
    Result<void> load(const tune::Task& task, const std::vector<Contender>& contenders);
    Result<void> glance(const tune::Task& task, std::vector<Contender>& contenders);
    Result<void> heat(const tune::Task& task, std::vector<Contender>& contenders);
    Result<bool> keep(const tune::Task& task, std::vector<Contender>& contenders, size_t which,
                      const Result<double>& us);
    Result<const std::vector<model::HostTensor>*> expected(const tune::Task& task, const CompiledKernelPtr& incumbent,
                                                           KernelsInChild::Inputs inputs);
    Result<std::string> difference(const tune::Task& task, const CompiledKernelPtr& candidate,
                                   const CompiledKernelPtr& incumbent);

    Options options_;
    std::function<bool()> cancelled_;
    KernelsInChild child_;
    std::string task_;                           // of which is known what follows, by its workload
    std::map<Hash128, CompiledKernelPtr> known_; // by program
    std::map<KernelsInChild::Inputs, std::vector<model::HostTensor>> expected_;
    std::mt19937_64 random_{0}; // the order of turns
    double buildSeconds_ = 0;
};

} // namespace lathe::driver
