// SPDX-License-Identifier: Apache-2.0
#include "deploy/artifact_runner.h"

#include "base/guarded.h"
#include "codegen/target.h"
#include "deploy/model_interface.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <fmt/format.h>

namespace lathe::deploy {
namespace {

using Clock = std::chrono::steady_clock;
using Tensors = std::vector<model::HostTensor>;

constexpr std::chrono::minutes longestRequest{10};

double msOf(const std::vector<int64_t>& ns, std::vector<double>& into) {
    double sum = 0;
    for (const int64_t each : ns)
        sum += into.emplace_back(static_cast<double>(each) / 1e6);
    return sum;
}

std::vector<DataType> typesOf(const std::vector<device::RunnerValue>& values) {
    std::vector<DataType> types;
    for (const device::RunnerValue& value : values)
        types.push_back(value.dtype);
    return types;
}

} // namespace

Result<device::RunnerCommand> commandFor(const OpenBundle& bundle, const ManifestVariant& variant,
                                         const device::Device& device) {
    const auto command = [&]() -> Result<device::RunnerCommand> {
        LATHE_TRY(const Target target, codegen::parseTarget(variant.target));
        return device::runnerCommand(device, target);
    }();
    if (command)
        return command;
    Diagnostic problem = command.error();
    problem.file = (bundle.folder() / variant.path).string();
    problem.kind = ErrorKind::Invalid; // the bundle's fault, not that of an argument
    return Failure(std::move(problem));
}

BundleRunner::BundleRunner(const OpenBundle& bundle, const CheckWish& wish, const driver::Progress& progress)
    : bundle_(bundle), wish_(wish),
      runner_({.threads = wish.threads, .seed = 0, .timeout = longestRequest, .cancelled = progress.cancelled}) {}

template <class T>
Result<T> BundleRunner::unlessCancelled(Result<T> result) const {
    if (!result && runner_.outcome() == device::RunnerOutcome::Cancelled)
        throw Cancelled{};
    return result;
}

bool BundleRunner::isAlive() const {
    return runner_.outcome() == device::RunnerOutcome::Good || runner_.outcome() == device::RunnerOutcome::Refused;
}

Result<device::RunnerModel> BundleRunner::loadOn(int threads) {
    device::RunnerOptions options = runner_.options();
    options.threads = threads;
    runner_.setOptions(std::move(options));
    threads_ = threads;
    return unlessCancelled(runner_.load(file_));
}

/// Where the artifact takes or gives something else than the manifest says, by which the bundle's module and headers call it.
std::string BundleRunner::otherThanSaid(const device::RunnerModel& loaded) const {
    for (const auto& [what, said, found] : {std::tuple{"input", &bundle_.manifest().inputs, &loaded.inputs},
                                            std::tuple{"output", &bundle_.manifest().outputs, &loaded.outputs}}) {
        if (said->size() != found->size())
            return fmt::format("the artifact has {} {}s, the manifest says {}", found->size(), what, said->size());
        const std::vector<ManifestValue> values = manifestValues(*found);
        for (size_t i = 0; i < said->size(); ++i) {
            if ((*said)[i].dims != values[i].dims)
                return fmt::format("the dims of {} {} are others than the manifest says", what, i);
            if ((*said)[i].name != (*found)[i].name || *parseDataType((*said)[i].dtype) != (*found)[i].dtype)
                return fmt::format("{} {} of the artifact is '{}', {}; the manifest says '{}', {}", what, i,
                                   (*found)[i].name, toString((*found)[i].dtype), (*said)[i].name, (*said)[i].dtype);
        }
    }
    return {};
}

Result<data::LoadedArtifact> BundleRunner::load(const std::string& path) {
    const std::vector<ManifestVariant>& variants = bundle_.manifest().variants;
    const auto variant = std::ranges::find(variants, path, &ManifestVariant::path);
    if (variant == variants.end())
        return failure("the manifest has changed since it was read", "check the bundle again");
    auto command = commandFor(bundle_, *variant, wish_.device);
    if (!command) {
        Diagnostic lacking = command.error();
        lacking.kind = ErrorKind::Unsupported; // another variant may be for this device
        return Failure(std::move(lacking));
    }
    device::RunnerOptions options = runner_.options();
    device::useRunner(options, *std::move(command));
    runner_.setOptions(std::move(options));
    file_ = bundle_.folder() / path;
    auto start = Clock::now();
    auto loaded = loadOn(wish_.threads);
    // It may be for the machine of another CPU than the one that is emulated.
    if (!loaded && runner_.outcome() == device::RunnerOutcome::Crashed && wish_.device.isEmulated() &&
        !wish_.device.cpu.empty() && variants.size() > 1) {
        Diagnostic lacking = loaded.error();
        lacking.kind = ErrorKind::Unsupported;
        return Failure(std::move(lacking));
    }
    if (!loaded)
        return Failure(loaded.error());
    if (wish_.device.transport == device::Device::Transport::Ssh) { // all that was sent there
        start = Clock::now();
        if (loaded = loadOn(wish_.threads); !loaded)
            return Failure(loaded.error());
    }
    const double ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    if (const std::string other = otherThanSaid(*loaded); !other.empty())
        return failure(other, "copy the bundle again: its manifest is of another artifact");
    data::LoadedArtifact known{{typesOf(loaded->inputs), typesOf(loaded->outputs)}, {}, ms};
    for (const device::RunnerValue& output : loaded->outputs)
        known.outputs.push_back(output.name);
    return known;
}

Result<void> BundleRunner::set(const Tensors& inputs) {
    for (size_t i = 0; i < inputs.size(); ++i)
        LATHE_CHECKED(unlessCancelled(runner_.setInput(bundle_.manifest().inputs[i].name, inputs[i])));
    return {};
}

/// All are the cores that the runner's process may use.
int BundleRunner::threadsOf(int wished) {
    if (wished > 0)
        return wished;
    if (!cores_) {
        cores_ = 0;
        if (const auto facts = unlessCancelled(runner_.facts()))
            for (const auto& [name, value] : *facts)
                if (name == "cores")
                    std::from_chars(value.data(), value.data() + value.size(), *cores_);
    }
    return *cores_;
}

Result<data::ArtifactRun> BundleRunner::run(const Tensors& inputs, int threads) {
    if (threads != threads_)
        LATHE_CHECKED(loadOn(threads));
    LATHE_CHECKED(set(inputs));
    LATHE_CHECKED(unlessCancelled(runner_.resetStates()));
    LATHE_TRY(const device::RunnerTimes ran, unlessCancelled(runner_.run()));
    LATHE_TRY(Tensors outputs, unlessCancelled(runner_.outputs()));
    return data::ArtifactRun{std::move(outputs), threadsOf(threads), ran.arenaPeak};
}

Result<data::ArtifactTimes> BundleRunner::time(const Tensors& inputs, int threads, int runs) {
    LATHE_CHECKED(unlessCancelled(runner_.leaseDevice(wish_.noted)));
    LATHE_CHECKED(loadOn(threads)); // a context that is not warm
    LATHE_CHECKED(set(inputs));
    LATHE_TRY(device::RunnerTimes ran, unlessCancelled(runner_.run()));
    std::vector<double> first, times;
    double taken = msOf(ran.ns, first);
    const auto timed = [&](int count) -> Result<void> {
        LATHE_TRY(ran, unlessCancelled(runner_.run(count)));
        taken += msOf(ran.ns, times);
        return {};
    };
    if (runs > 0)
        LATHE_CHECKED(timed(std::min(runs, data::fewestTimed)));
    if (const double left = data::longestTimedMs - taken; runs > data::fewestTimed && left > 0) {
        const double each = std::max((taken - first.front()) / data::fewestTimed, 1e-6);
        const double more = std::min(static_cast<double>(runs - data::fewestTimed), std::ceil(left / each));
        LATHE_CHECKED(timed(static_cast<int>(more)));
    }
    return data::ArtifactTimes{data::latencyOf(first.front(), std::move(times)), threadsOf(threads), ran.residentPeak};
}

} // namespace lathe::deploy
