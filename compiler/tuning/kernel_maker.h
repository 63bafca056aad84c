// SPDX-License-Identifier: Apache-2.0
//
// Candidates become kernels: who makes them for the tuner's bench, in this process or in children (tuning/kernel_builders.h).
#pragma once

#include "driver/kernel_artifact.h"
#include "tune/task.h"

#include <functional>
#include <memory>
#include <span>

namespace lathe::tuning {

/// A kernel of a task's computation to be made, under a name of its own.
struct WantedKernel {
    std::string name;
    const schedule::ScheduleTrace* trace = nullptr; // null: as it is written, unscheduled
    bool isKnown = false; // it was compiled before: where it takes too long now, that is the machine's fault
};

/// What became of it.
struct MadeKernel {
    driver::CompiledKernelPtr kernel; // good at the task's sizes; null: none, and why not
    tune::Verdict verdict = tune::Verdict::BuildError;
    std::string message;
};

class KernelMaker {
public:
    virtual ~KernelMaker() = default;
    /// In the order of `wanted`. A Failure says something of the machine, or that it was cancelled.
    virtual Result<std::vector<MadeKernel>> make(const tune::Task& task, std::span<const WantedKernel> wanted) = 0;
};

/// In this process, on options.threads threads: a compiler that crashes, hangs or eats memory takes it along.
std::unique_ptr<KernelMaker> makeKernelsHere(driver::Options options, std::function<bool()> cancelled);

/// One kernel, here and now. Options say whether the cache may have it.
MadeKernel makeKernel(const tir::PrimFuncPtr& computation, const std::string& name,
                      const schedule::ScheduleTrace* trace, const driver::Options& options);

} // namespace lathe::tuning
