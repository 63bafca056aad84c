// SPDX-License-Identifier: Apache-2.0
//
// Kernels are made in children: a schedule that the compiler crashes on, hangs on or eats all memory for costs that kernel, and
// says so. Each child serves many requests (tuning/build_protocol.h) and is replaced now and then, and where one died. There are
// as many as cores.
#pragma once

#include "base/child_process.h"
#include "tuning/kernel_maker.h"

#include <chrono>
#include <filesystem>
#include <mutex>

namespace lathe::tuning {

struct BuilderOptions {
    std::filesystem::path program; // empty: builderProgram()
    std::vector<std::string> arguments{"build-worker"};
    int count = 0; // 0: one a core
    std::chrono::milliseconds wall{10'000};
    int64_t cpuSeconds = 8; // both for one kernel; four times as much for one that is known
    int64_t bytes = int64_t{1} << 30;
    int builds = 200; // of one child
    std::function<bool()> cancelled = {};
};

/// $LATHE_BUILDER, or `lathe` beside this program; empty where that is no program.
std::filesystem::path builderProgram();

class KernelBuilders final : public KernelMaker {
public:
    KernelBuilders(const driver::Options& options, BuilderOptions builders);
    ~KernelBuilders() override;

    /// Fails where a builder cannot be started, or is none.
    Result<std::vector<MadeKernel>> make(const tune::Task& task, std::span<const WantedKernel> wanted) override;

private:
    struct Builder;
    Result<MadeKernel> makeOne(const tune::Task& task, const WantedKernel& wanted);
    Result<std::optional<MadeKernel>> tryOne(Builder& builder, const tune::Task& task, const WantedKernel& wanted);
    Result<void> start(Builder& builder);
    Result<MadeKernel> afterDeath(Builder& builder, bool& fromOutside) const;
    std::unique_ptr<Builder> take();
    void giveBack(std::unique_ptr<Builder> builder);

    std::string optionsText_;
    BuilderOptions builders_;
    std::string taskText_, taskOf_; // the computation of a task, by its workload
    std::mutex mutex_;
    std::vector<std::unique_ptr<Builder>> idle_;
};

} // namespace lathe::tuning
