// SPDX-License-Identifier: Apache-2.0
//
// The paired test of two kernels of a task: blocks of both side by side, at each of the task's sizes, in children whose
// artifacts hold the two in either order, so that where code and data happen to lie counts less.
#pragma once

#include "tune/study.h"
#include "tuning/kernels_in_child.h"

#include <functional>

namespace lathe::tuning {

class KernelPairs {
public:
    struct Linked {
        KernelsInChild::Linked inOrder, swapped; // the incumbent first, the candidate first
    };
    static Result<Linked> link(const driver::CompiledKernelPtr& incumbent, const driver::CompiledKernelPtr& candidate,
                               const driver::Options& options);

    /// All of them outlive this.
    KernelPairs(KernelsInChild& child, TimingRounds& rounds, Patience& patience)
        : child_(child), rounds_(rounds), patience_(patience) {}

    /// Until the two are told apart, there are enough blocks, or `isOver` says so. Fails for what is not the candidate's fault.
    Result<tune::PairedTimes> time(const tune::Task& task, const Linked& both, double leastGain,
                                   const std::function<bool()>& isOver);

private:
    Result<bool> add(const tune::Task& task, const std::vector<int64_t>& sizes, const Linked& both, bool swapped,
                     int count, tune::PairedTimes& found);

    KernelsInChild& child_;
    TimingRounds& rounds_;
    Patience& patience_;
};

} // namespace lathe::tuning
