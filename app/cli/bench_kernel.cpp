// SPDX-License-Identifier: Apache-2.0
//
// `lathe bench MODEL --kernel NAME`: one kernel of the model, compiled as an artifact of its own and timed alone, with inputs
// at random. So a schedule can be compared with another (--decisions) without the model around it.
#include "app/cli/prepare.h"
#include "app/cli/print_line.h"
#include "base/counted.h"
#include "base/json.h"
#include "driver/kernel_artifact.h"
#include "tuning/kernel_inputs.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lathe::cli {
namespace {

/// Written before each call, the caches of most machines hold nothing else.
constexpr int64_t flushBytes = int64_t{256} << 20;

Result<const driver::KernelRecord*> kernelNamed(const driver::Trace& trace, const std::string& name) {
    std::vector<std::string> names;
    if (const auto found = driver::kernelsNamed(trace, name); !found.empty())
        return found.front();
    for (const driver::KernelRecord& kernel : trace.kernels)
        names.push_back(kernel.name);
    return failure(ErrorKind::Usage, fmt::format("the model has no kernel '{}'", name),
                   fmt::format("its kernels are: {}", fmt::join(names, ", ")));
}

/// The kernel's scalars in their order, from NAME=VALUE.
Result<std::vector<int64_t>> sizesOf(const tir::PrimFunc& computation, const std::vector<std::string>& given) {
    std::vector<int64_t> sizes;
    std::vector<std::string> missing;
    for (const tir::Param& param : computation.params) {
        if (param.buffer)
            continue;
        const std::string prefix = param.scalar->name + "=";
        const auto found =
            std::ranges::find_if(given, [&](const std::string& each) { return each.starts_with(prefix); });
        if (found == given.end()) {
            missing.push_back(param.scalar->name);
            continue;
        }
        const char* end = found->data() + found->size();
        const auto [stop, status] = std::from_chars(found->data() + prefix.size(), end, sizes.emplace_back());
        if (status != std::errc() || stop != end)
            return failure(ErrorKind::Usage, fmt::format("malformed size '{}'", *found), "use NAME=VALUE");
    }
    if (!missing.empty())
        return failure(ErrorKind::Usage, fmt::format("the kernel's sizes depend on {}", fmt::join(missing, ", ")),
                       "give them by --size NAME=VALUE, or fix the model's by --shape");
    return sizes;
}

Result<void> run(const std::string& model, const BenchArgs& args, const Common& common) {
    LATHE_TRY(driver::Options options, makeRunOptions(common, args.device));
    LATHE_TRY(driver::Decisions decisions, makeDecisions(common));
    LATHE_CHECKED(addNearRecords(decisions, model, options, common));
    driver::Trace trace;
    driver::Options withoutCode = options;
    withoutCode.emitCode = false;
    const auto compiled = driver::compileFile(model, {}, decisions, withoutCode, trace, makeProgress(common));
    reportWarnings(trace, common);
    LATHE_CHECKED(compiled);
    LATHE_TRY(const driver::KernelRecord* kernel, kernelNamed(trace, args.kernel));
    const tir::PrimFuncPtr computation = kernel->stages.front().second;
    LATHE_TRY(std::vector<int64_t> sizes, sizesOf(*computation, args.sizes));
    const MemoryFile artifact("lathe-kernel");
    LATHE_TRY(const driver::CompiledKernelPtr alone,
              driver::compileKernelAlone(computation, kernel->name, kernel->schedulable, decisions, options));
    LATHE_CHECKED(driver::writeKernelArtifact(std::span(&alone, 1), options, artifact.path()));
    device::RunnerOptions runnerOptions;
    runnerOptions.threads = options.threads;
    runnerOptions.timeout = std::chrono::minutes(10);
    LATHE_TRY(const device::Device device, device::parseDevice(args.device));
    LATHE_TRY(device::RunnerCommand command, device::runnerCommand(device, options.target));
    device::useRunner(runnerOptions, std::move(command));
    device::RunnerClient runner(runnerOptions);
    LATHE_CHECKED(runner.load(artifact.path()));
    std::mt19937_64 generator(0);
    LATHE_CHECKED(
        tuning::setKernelInputs(runner, *computation, sizes, [&](DataType dtype, const std::vector<int64_t>& shape) {
            return inspect::randomTensor(dtype, shape, generator);
        }));
    device::RunnerBench plan;
    plan.kernel = kernel->name;
    plan.sizes = sizes;
    plan.samples = args.rounds;
    plan.flushBytes = args.cold ? flushBytes : 0;
    LATHE_CHECKED(leaseDevice(runner, common));
    LATHE_TRY(device::RunnerBenchTimes times, runner.bench(plan));
    std::ranges::sort(times.samples, {}, &device::RunnerBenchTimes::Sample::ns);
    const double median = times.samples[times.samples.size() / 2].ns, least = times.samples.front().ns;
    if (common.json)
        fmt::print("{}\n", dump({{"model", model},
                                 {"kernel", kernel->name},
                                 {"workload", kernel->workload},
                                 {"cold", args.cold},
                                 {"median_ns", median},
                                 {"min_ns", least},
                                 {"samples", times.samples.size()},
                                 {"calls", times.calls}}));
    else
        printLine("{:28} median {:10.3f} us  min {:10.3f} us  {} of {}{}", kernel->name, median / 1e3, least / 1e3,
                  counted(times.samples.size(), "sample", "samples"), counted(times.calls, "call", "calls"),
                  args.cold ? ", caches cold" : "");
    return {};
}

} // namespace

int benchKernel(const std::string& model, const BenchArgs& args, const Common& common) {
    const auto done = run(model, args, common);
    return done ? 0 : report({done.error()}, common);
}

} // namespace lathe::cli
