// SPDX-License-Identifier: Apache-2.0
#include "tuning/kernels_in_child.h"

#include "base/guarded.h"
#include "inspect/inputs.h"
#include "lower/bench_entry.h"
#include "tuning/kernel_inputs.h"

#include <algorithm>
#include <cmath>

namespace lathe::tuning {
namespace {

constexpr int64_t memoryBeside = int64_t{512} << 20; // twice the operands
constexpr double blockUs = 2000;
constexpr int64_t leastCalls = 3; // in a block
constexpr int64_t drawn = 65'521; // values; a prime, so that no two rows of a tensor are alike

/// To draw millions of values takes longer than to time them: a large tensor repeats its first ones.
model::HostTensor repeating(DataType dtype, const std::vector<int64_t>& shape, std::mt19937_64& random) {
    model::HostTensor tensor{dtype, shape, {}, {}};
    if (tensor.elements() <= drawn)
        return inspect::randomTensor(dtype, shape, random);
    const model::HostTensor first = inspect::randomTensor(dtype, {drawn}, random);
    tensor.bytes.resize(static_cast<size_t>(tensor.elements() * dtype.bytes()));
    for (size_t at = 0; at < tensor.bytes.size(); at += first.bytes.size())
        std::copy_n(first.bytes.begin(), std::min(first.bytes.size(), tensor.bytes.size() - at),
                    tensor.bytes.begin() + static_cast<std::ptrdiff_t>(at));
    return tensor;
}

model::HostTensor smallWhole(DataType dtype, const std::vector<int64_t>& shape, std::mt19937_64& random) {
    if (dtype != types::Float32)
        return inspect::randomTensor(dtype, shape, random);
    model::HostTensor tensor{dtype, shape, {}, {}};
    std::vector<float> values(static_cast<size_t>(tensor.elements()));
    for (float& value : values)
        value = static_cast<float>(static_cast<int>(random() % 5) - 2);
    const auto bytes = std::as_bytes(std::span(values));
    tensor.bytes.assign(bytes.begin(), bytes.end());
    return tensor;
}

} // namespace

int64_t callsFor(double us, double inAll, int64_t least) {
    return std::max(least, static_cast<int64_t>(std::ceil(inAll / std::max(us, 0.01))));
}

int64_t callsOfBlock(double us) {
    return callsFor(us, blockUs, leastCalls);
}

Result<KernelsInChild::Linked> KernelsInChild::link(std::span<const driver::CompiledKernelPtr> kernels,
                                                    const driver::Options& options) {
    Linked linked;
    linked.name = kernels.front()->kernel.name;
    LATHE_CHECKED(guarded([&] { return driver::writeKernelArtifact(kernels, options, linked.file.path()); }));
    return linked;
}

Result<void> KernelsInChild::load(const Linked& kernels, const tir::PrimFunc& computation,
                                  const std::vector<int64_t>& sizes, Inputs inputs) {
    name_ = kernels.name;
    sizes_ = sizes;
    LATHE_TRY(const int64_t bytes, operandBytes(computation, sizes));
    device::RunnerOptions loading = runner_.options();
    loading.timeout = options_.timeout;
    loading.pinned = true;
    loading.seed = 0; // kernels that draw are compared by what they draw
    loading.guard = loading.guard == device::Guard::End ? device::Guard::Start : device::Guard::End;
    loading.processBytes = 2 * bytes + memoryBeside;
    runner_.setOptions(loading);
    LATHE_CHECKED(runner_.load(kernels.file.path()));
    return setKernelInputs(runner_, computation, sizes,
                           [&, index = size_t{0}](DataType dtype, const std::vector<int64_t>& shape) mutable {
                               return input(inputs, index++, dtype, shape);
                           });
}

const model::HostTensor& KernelsInChild::input(Inputs inputs, size_t index, DataType dtype,
                                               const std::vector<int64_t>& shape) {
    std::vector<model::HostTensor>& kept = inputs_[inputs];
    kept.resize(std::max(kept.size(), index + 1));
    model::HostTensor& tensor = kept[index];
    if (tensor.dtype != dtype || tensor.shape != shape || tensor.bytes.empty()) {
        std::mt19937_64 random(index);
        tensor = inputs == Inputs::SmallWhole ? smallWhole(dtype, shape, random) : repeating(dtype, shape, random);
    }
    return tensor;
}

Result<Timed::Block> KernelsInChild::time(size_t which, int64_t calls, int warmUps, int blocks) {
    device::RunnerBench plan;
    plan.kernel = name_;
    plan.which = static_cast<int64_t>(which);
    plan.sizes = sizes_;
    plan.warmUps = warmUps;
    plan.calls = std::max<int64_t>(calls, 1);
    plan.samples = blocks;
    limitTo(warmUps + plan.calls * blocks);
    LATHE_TRY(const device::RunnerBenchTimes times, runner_.bench(plan));
    const device::RunnerBenchTimes::Sample& least =
        *std::ranges::min_element(times.samples, {}, &device::RunnerBenchTimes::Sample::ns);
    return Block{least.ns / 1e3, least.lost, least.switches};
}

Result<Timed::Block> KernelsInChild::glance(size_t which, int64_t calls, int blocks) {
    return time(which, calls, 1, blocks);
}

Result<Timed::Block> KernelsInChild::block(size_t which, int64_t calls) {
    return time(which, calls, 0, 1);
}

Result<std::vector<model::HostTensor>> KernelsInChild::outputs(size_t which) {
    std::vector<int64_t> plan{static_cast<int64_t>(which), 1};
    plan.insert(plan.end(), sizes_.begin(), sizes_.end());
    model::HostTensor tensor{types::Int64, {std::ssize(plan)}, {}, {}};
    const auto bytes = std::as_bytes(std::span(plan));
    tensor.bytes.assign(bytes.begin(), bytes.end());
    LATHE_CHECKED(runner_.setInput(std::string(lower::benchPlanInput), tensor));
    limitTo(1);
    LATHE_CHECKED(runner_.run());
    limitToAnything();
    return runner_.outputs();
}

void KernelsInChild::limitTo(int64_t calls) {
    if (expectedUs_ <= 0)
        return limitToAnything();
    device::RunnerOptions options = runner_.options();
    const auto all = std::chrono::duration<double, std::micro>(expectedUs_) * 10 * static_cast<double>(calls);
    options.timeout = std::chrono::duration_cast<std::chrono::milliseconds>(all) + std::chrono::seconds(1);
    if (options.ssh) // a connection that stalls is lost before a kernel is to blame
        options.timeout += options.ssh->silence;
    runner_.setOptions(options);
}

void KernelsInChild::limitToAnything() {
    device::RunnerOptions options = runner_.options();
    options.timeout = options_.timeout;
    runner_.setOptions(options);
}

std::optional<tune::Verdict> KernelsInChild::verdict() const {
    const auto& cancelled = runner_.options().cancelled;
    if (cancelled && cancelled()) // by keys that may have reached the child as well
        return std::nullopt;
    switch (runner_.outcome()) {
    case device::RunnerOutcome::Refused:
        return runner_.lackedMemory() ? tune::Verdict::RunMemory : tune::Verdict::RunError;
    case device::RunnerOutcome::Crashed:
        return tune::Verdict::Crashed;
    case device::RunnerOutcome::Overwrote:
        return tune::Verdict::Wrong;
    case device::RunnerOutcome::OutOfMemory:
        return tune::Verdict::RunMemory;
    case device::RunnerOutcome::Timeout:
        return tune::Verdict::RunTimeout;
    case device::RunnerOutcome::Good:
    case device::RunnerOutcome::Cancelled:
    case device::RunnerOutcome::Unavailable:
    case device::RunnerOutcome::Lost:
        break;
    }
    return std::nullopt;
}

} // namespace lathe::tuning
