// SPDX-License-Identifier: Apache-2.0
//
// Kernels of one computation in a child process, their inputs set, so that any of them can be called: what the tuner times.
// They are given no room to be lucky in: CPUs of their own, a limit of memory and of time, buffers whose end meets a page that
// nobody may touch, and with the next load their start, and inputs that nobody may write.
#pragma once

#include "base/memory_file.h"
#include "driver/kernel_artifact.h"
#include "tune/candidate.h"
#include "tuning/timing_rounds.h"

#include <map>
#include <optional>
#include <vector>

namespace lathe::tuning {

/// How many calls of `us` each take `inAll`; `least` at least.
int64_t callsFor(double us, double inAll, int64_t least);
/// Of a block whose time counts.
int64_t callsOfBlock(double us);

class KernelsInChild final : public Timed {
public:
    /// options.timeout is that of a request whose length nobody knows.
    explicit KernelsInChild(device::RunnerOptions options) : options_(std::move(options)), runner_(options_) {}

    enum class Inputs {
        Random,     // standard normal floats; 0 or 1 elsewhere
        SmallWhole, // floats are whole numbers from -2 to 2, whose sums are exact in any order below 2^24
    };
    /// An artifact of kernels, which can be loaded as often as one likes.
    struct Linked {
        MemoryFile file{"lathe-candidates"};
        std::string name;
    };
    static Result<Linked> link(std::span<const driver::CompiledKernelPtr> kernels, const driver::Options& options);
    /// They are of this computation, at these values of its scalars. The same inputs each time; they are kept, since making
    /// them takes longer than to time a batch.
    Result<void> load(const Linked& kernels, const tir::PrimFunc& computation, const std::vector<int64_t>& sizes,
                      Inputs inputs);

    /// The least of a few blocks, after a call that warms it up.
    Result<Block> glance(size_t which, int64_t calls, int blocks);
    Result<Block> block(size_t which, int64_t calls) override;
    Result<device::RunnerProbe> probe() override { return runner_.probe(); }
    /// What one call of it gives.
    Result<std::vector<model::HostTensor>> outputs(size_t which);

    /// From now on no call may take longer than ten times that, and a second for all of a request, over ssh also
    /// as long as a device may be silent; 0: nobody knows.
    void expect(double us) { expectedUs_ = us; }
    /// Of the last request that failed: what it says about the kernel that was called. Nothing if it says something about the
    /// machine, or the user's will.
    std::optional<tune::Verdict> verdict() const;
    /// The next load has a new process.
    void end() { runner_.stop(); }

private:
    const model::HostTensor& input(Inputs inputs, size_t index, DataType dtype, const std::vector<int64_t>& shape);
    Result<Block> time(size_t which, int64_t calls, int warmUps, int blocks);
    void limitTo(int64_t calls);
    void limitToAnything();

    device::RunnerOptions options_;
    device::RunnerClient runner_;
    double expectedUs_ = 0;
    std::string name_; // of what is loaded
    std::vector<int64_t> sizes_;
    std::map<Inputs, std::vector<model::HostTensor>> inputs_;
};

} // namespace lathe::tuning
