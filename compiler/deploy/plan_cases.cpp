// SPDX-License-Identifier: Apache-2.0
//
// Golden cases, by a compilation under strict numerics, and trying what was compiled against them: here, and on the
// device that the bundle is for.
#include "deploy/planner.h"

#include "codegen/target.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>

namespace lathe::deploy {
namespace {

constexpr std::chrono::minutes longestRun{10}; // an emulator takes its time

} // namespace

Result<void> Planner::makeCases() {
    LATHE_TRY(const Compiled strict,
              compile(codegen::baselineTarget(), driver::NumericsLevel::Strict, {}, "golden cases", 0.65, 0.9));
    // What is drawn at random is not compared, but stands in the bundle, which is to be the same each time.
    device::RunnerClient runner({.seed = 0, .timeout = longestRun, .cancelled = progress_.cancelled});
    LATHE_TRY(const device::RunnerModel loaded, runner.load(strict.first->path()));
    LATHE_TRY(options_.symbols, bySymbol(loaded, options_.symbols));
    LATHE_TRY(interface_, interfaceOf(options_.name, options_.version, loaded, options_.symbols));
    if (!has(Part::Golden))
        return {};
    LATHE_TRY(cases_, makeGolden({model_, options_, *strict.second->graph, runner}, interface_, bundle_.plan.remarks));
    for (const MadeCase& made : cases_) {
        manifest_.golden.push_back({made.golden.name, made.source});
        for (PlannedFile& file : filesOf(made, interface_))
            bundle_.plan.files.push_back(std::move(file));
    }
    return {};
}

Result<void> Planner::tryHere() {
    const device::Device& device = options_.device;
    // One of one's own choice: what runs on it is tried there, whatever runs here.
    const bool isNamed = device.transport == device::Device::Transport::Ssh || !device.cpu.empty();
    const bool severalMachines = std::ranges::any_of(options_.targets, [&](const Target& target) {
        return target.architecture != options_.targets.front().architecture;
    });
    std::optional<Diagnostic> refused;
    bool tried = false; // on the device that the bundle is for
    for (size_t i = 0; i < variants_.size(); ++i) {
        const bool here = codegen::checkRunsHere(options_.targets[i]).has_value();
        if (!here && device.isLocal())
            bundle_.plan.remarks.push_back(
                fmt::format("{} cannot run on this machine: it was not tried", manifest_.variants[i].tag));
        if (here)
            LATHE_CHECKED(tryOn({}, i));
        if (device.isLocal() || (here && !isNamed))
            continue;
        const auto there = tryOn(device, i);
        // It runs here, and the CPU that was named may be one of another of these machines.
        const bool isOthers = here && severalMachines;
        if (!there && !(isNamed && (isOthers || there.error().kind == ErrorKind::Unsupported)))
            return there;
        tried |= there.has_value();
        if (there)
            continue;
        refused = there.error();
        bundle_.plan.remarks.push_back(
            fmt::format("{} cannot run on {}: {}", manifest_.variants[i].tag, toString(device), there.error().what));
    }
    if (isNamed && !tried && refused)
        return Failure(*refused);
    return {};
}

Result<void> Planner::tryOn(const device::Device& device, size_t variant) {
    std::vector<std::string> names;
    for (const device::RunnerValue& output : interface_.outputs)
        names.push_back(output.name);
    LATHE_TRY(device::RunnerCommand command, device::runnerCommand(device, options_.targets[variant]));
    device::RunnerOptions runnerOptions{.seed = 0, .timeout = longestRun, .cancelled = progress_.cancelled};
    device::useRunner(runnerOptions, std::move(command));
    device::RunnerClient runner(std::move(runnerOptions));
    LATHE_CHECKED(runner.load(variants_[variant].first->path()));
    for (const auto& [golden, source, result] : cases_) {
        for (size_t k = 0; k < golden.inputs.size(); ++k)
            LATHE_CHECKED(runner.setInput(interface_.inputs[k].name, golden.inputs[k]));
        LATHE_CHECKED(runner.resetStates());
        LATHE_CHECKED(runner.run());
        LATHE_TRY(const auto outputs, runner.outputs());
        const std::vector<std::string> wrong = data::compareCase(golden, outputs, names).wrong;
        if (!wrong.empty())
            return failure(
                fmt::format("{}{}, golden case '{}': {}", manifest_.variants[variant].tag,
                            device.isLocal() ? "" : " on " + toString(device), golden.name, wrong.front()),
                "lathe check MODEL says which value diverges first; --tolerance allows more, and --symbol names "
                "the sizes that the model is meant for");
    }
    return {};
}

} // namespace lathe::deploy
