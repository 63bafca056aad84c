// SPDX-License-Identifier: Apache-2.0
#include "tuning/kernel_builders.h"

#include "base/parallel.h"
#include "tir/text.h"
#include "tuning/build_protocol.h"

#include <csignal>
#include <fmt/format.h>
#include <unistd.h>

namespace lathe::tuning {
namespace {

using Io = ChildProcess::Io;

constexpr size_t longestHello = 256, longestAnswer = size_t{1} << 26;
constexpr std::chrono::seconds toStart{30};
constexpr int attempts = 2; // where somebody else ended the builder
constexpr int patience = 4; // times the limits, with what is known
constexpr const char* anotherBuilder = "lathe is installed beside the workbench; $LATHE_BUILDER names another";

ChildProcess::Deadline in(std::chrono::milliseconds time) {
    return std::chrono::steady_clock::now() + time;
}

Failure cancelled() {
    return failure(ErrorKind::Cancelled, "cancelled");
}

/// The answer has what belongs to the task's sizes; the rest is known here.
driver::CompiledKernelPtr completed(driver::CompiledKernel made, const tir::PrimFuncPtr& computation) {
    auto named = std::make_shared<tir::PrimFunc>(*computation);
    named->name = made.kernel.name;
    for (const tir::Param& param : named->params)
        if (!param.buffer)
            made.kernel.scalars.push_back(param.scalar);
    made.kernel.computation = std::move(named);
    return std::make_shared<const driver::CompiledKernel>(std::move(made));
}

} // namespace

struct KernelBuilders::Builder {
    ChildProcess child;
    std::optional<BuildSetting> setting; // that it was told
    int builds = 0;
};

std::filesystem::path builderProgram() {
    const std::filesystem::path program = programBeside("lathe", "LATHE_BUILDER");
    return access(program.c_str(), X_OK) == 0 ? program : std::filesystem::path();
}

KernelBuilders::KernelBuilders(const driver::Options& options, BuilderOptions builders)
    : optionsText_(toJson(options)), builders_(std::move(builders)) {
    if (builders_.program.empty())
        builders_.program = builderProgram();
}

KernelBuilders::~KernelBuilders() = default;

Result<std::vector<MadeKernel>> KernelBuilders::make(const tune::Task& task, std::span<const WantedKernel> wanted) {
    if (std::exchange(taskOf_, task.workload) != task.workload || taskText_.empty())
        taskText_ = tir::print(*task.computation);
    std::vector<Result<MadeKernel>> built(wanted.size());
    parallelFor(wanted.size(), builders_.count, [&](size_t i) { built[i] = makeOne(task, wanted[i]); });
    std::vector<MadeKernel> all;
    for (Result<MadeKernel>& each : built) {
        if (!each)
            return Failure(each.error());
        all.push_back(std::move(*each));
    }
    return all;
}

Result<MadeKernel> KernelBuilders::makeOne(const tune::Task& task, const WantedKernel& wanted) {
    std::unique_ptr<Builder> builder = take();
    for (int attempt = 1;; ++attempt) {
        if (builders_.cancelled && builders_.cancelled())
            return cancelled();
        LATHE_TRY(std::optional<MadeKernel> built, tryOne(*builder, task, wanted));
        if (!built) {
            bool fromOutside = false;
            Result<MadeKernel> dead = afterDeath(*builder, fromOutside);
            if (fromOutside && attempt < attempts)
                continue;
            LATHE_TRY(built, std::move(dead));
        }
        giveBack(std::move(builder));
        return std::move(*built);
    }
}

/// Nothing if the builder closed its stream.
Result<std::optional<MadeKernel>> KernelBuilders::tryOne(Builder& builder, const tune::Task& task,
                                                         const WantedKernel& wanted) {
    if (builder.builds >= builders_.builds)
        builder.child.kill();
    if (!builder.child.running())
        LATHE_CHECKED(start(builder));
    ++builder.builds;
    BuildRequest request;
    const int times = wanted.isKnown ? patience : 1;
    BuildSetting setting{optionsText_, taskText_, task.allSizes(), times * builders_.cpuSeconds, builders_.bytes};
    if (builder.setting != setting)
        request.setting = builder.setting = std::move(setting);
    request.name = wanted.name;
    if (wanted.trace)
        request.trace = schedule::print(*wanted.trace);
    const std::chrono::milliseconds wall = times * builders_.wall;
    const auto deadline = in(wall);
    std::string message;
    Io io = builder.child.writeMessage(encode(request), deadline);
    if (io == Io::Done)
        io = builder.child.readMessage(message, longestAnswer, deadline);
    if (io == Io::Closed)
        return std::optional<MadeKernel>();
    if (io != Io::Done)
        builder.child.kill();
    if (io == Io::Cancelled)
        return cancelled();
    if (io == Io::TimedOut)
        return std::optional(
            MadeKernel{nullptr, tune::Verdict::BuildTimeout,
                       fmt::format("it was not compiled within {} s", static_cast<double>(wall.count()) / 1000)});
    std::optional<BuildAnswer> answer = decodeAnswer(message);
    if (!answer) {
        builder.child.kill();
        return std::optional(
            MadeKernel{nullptr, tune::Verdict::BuildError, "what the builder sent is not a whole object"});
    }
    if (!answer->kernel)
        return std::optional(MadeKernel{nullptr, tune::Verdict::BuildError, std::move(answer->why)});
    return std::optional(
        MadeKernel{completed(std::move(*answer->kernel), task.computation), tune::Verdict::BuildError, {}});
}

Result<void> KernelBuilders::start(Builder& builder) {
    builder.setting.reset();
    builder.builds = 0;
    builder.child.setCancelled(builders_.cancelled);
    if (const auto started = builder.child.start(builders_.program, builders_.arguments); !started)
        return failure(started.error().what, anotherBuilder);
    std::string hello;
    const Io io = builder.child.readMessage(hello, longestHello, in(toStart));
    if (io == Io::Done && hello == builderHello)
        return {};
    builder.child.kill();
    if (io == Io::Cancelled)
        return cancelled();
    return failure(fmt::format("{} builds no kernels for this program", builders_.program.string()), anotherBuilder);
}

Result<MadeKernel> KernelBuilders::afterDeath(Builder& builder, bool& fromOutside) const {
    const std::string how = builder.child.reap();
    const std::optional<int> signal = builder.child.signal();
    fromOutside = signal == SIGKILL || signal == SIGTERM || signal == SIGINT || signal == SIGHUP;
    if (builder.child.exitCode() == exitLacksMemory)
        return MadeKernel{nullptr, tune::Verdict::BuildMemory,
                          fmt::format("its compilation took more than {} MiB", builders_.bytes >> 20)};
    if (signal == SIGXCPU)
        return MadeKernel{
            nullptr, tune::Verdict::BuildTimeout,
            fmt::format("its compilation took more than {} s of a processor", builder.setting->cpuSeconds)};
    if (signal == SIGKILL) // twice
        return MadeKernel{nullptr, tune::Verdict::BuildMemory,
                          fmt::format("the compiler {}, as the system does when memory runs out", how)};
    if (fromOutside) // likewise; it says nothing of the candidate
        return failure(fmt::format("the compiler {}", how), anotherBuilder);
    return MadeKernel{nullptr, tune::Verdict::BuildError, "the compiler " + how};
}

std::unique_ptr<KernelBuilders::Builder> KernelBuilders::take() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty())
        return std::make_unique<Builder>();
    std::unique_ptr<Builder> builder = std::move(idle_.back());
    idle_.pop_back();
    return builder;
}

void KernelBuilders::giveBack(std::unique_ptr<Builder> builder) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(builder));
}

} // namespace lathe::tuning
