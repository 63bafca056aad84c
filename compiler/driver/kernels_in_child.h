// SPDX-License-Identifier: Apache-2.0
//
// Kernels of one computation in a child process, their inputs set, so that any of them can be called: what the tuner times.
// They are given no room to be lucky in: CPUs of their own, a limit of memory and of time, buffers whose end meets a page that
// nobody may touch, and with the next load their start, and inputs that nobody may write.
#pragma once

#include "driver/kernel_artifact.h"
#include "driver/runner_client.h"
#include "tune/candidate.h"

#include <map>
#include <optional>
#include <vector>

namespace lathe::driver {

class KernelsInChild {
public:
    /// options.timeout is that of a request whose length nobody knows.
    explicit KernelsInChild(RunnerOptions options);

    enum class Inputs {
        Random,     // standard normal floats; 0 or 1 elsewhere
        SmallWhole, // floats are whole numbers from -2 to 2, whose sums are exact in any order below 2^24
    };
    /// Loads an artifact of these kernels, of this computation at these values of its scalars. The same inputs each time;
    /// they are kept, since making them takes longer than to time a batch.
    Result<void> load(std::vector<CompiledKernelPtr> kernels, const tir::PrimFunc& computation,
                      const std::vector<int64_t>& sizes, const Options& options, Inputs inputs);
    /// Microseconds of a call of one of them: a mean over as many calls as `least` takes.
    Result<double> time(size_t which, std::chrono::nanoseconds least, int warmUps);
    /// What one call of it gives.
    Result<std::vector<model::HostTensor>> outputs(size_t which);
    /// No request of calls that take so long may take more than ten times that and a second; 0: nobody knows.
    void expect(double us, std::chrono::nanoseconds least);
    /// Of the last request that failed: what it says about the kernel that was called. Nothing if it says something about the
    /// machine, or the user's will.
    std::optional<tune::Verdict> verdict() const;
    /// The next load has a new process.
    void end() { runner_.stop(); }

private:
    const model::HostTensor& input(Inputs inputs, size_t index, DataType dtype, const std::vector<int64_t>& shape);

    RunnerOptions options_;
    RunnerClient runner_;
    std::vector<CompiledKernelPtr> kernels_;
    std::vector<int64_t> sizes_;
    std::map<Inputs, std::vector<model::HostTensor>> inputs_;
};

} // namespace lathe::driver
