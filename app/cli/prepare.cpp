// SPDX-License-Identifier: Apache-2.0
#include "app/cli/prepare.h"

#include "artifact/artifact.h"
#include "data/npz.h"
#include "device/device.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

namespace lathe::cli {

driver::Shapes leaveSizesToTheRun(driver::Options& options, const driver::InputFiles& files) {
    options.inputsAtNeed = files;
    return options.shapesAtNeed = std::exchange(options.shapes, {});
}

Result<driver::Options> makeRunOptions(const Common& common, const std::string& device) {
    LATHE_TRY(driver::Options options, makeOptions(common));
    LATHE_TRY(const device::Device where, device::parseDevice(device));
    LATHE_CHECKED(device::runnerCommand(where, options.target));
    return options;
}

Result<void> needsFile(const std::string& model) {
    std::error_code unknown;
    const auto kind = std::filesystem::status(model, unknown).type();
    if (model != "-" && kind != std::filesystem::file_type::fifo && kind != std::filesystem::file_type::socket)
        return {};
    return failure(ErrorKind::Usage, "a model from standard input can be read once, and is needed several times here",
                   "save it to a file");
}

Result<void> needsNoCompiling(const std::string& artifact, const Common& common) {
    if (common.ofCompiling.empty())
        return {};
    return failure(ErrorKind::Usage,
                   fmt::format("{} does nothing for '{}', an artifact: it is compiled already",
                               common.ofCompiling.front(), artifact),
                   "leave it out, or name the model that the artifact was made of");
}

void reportWarnings(const driver::Trace& trace, const Common& common) {
    std::vector<Diagnostic> warnings;
    std::ranges::copy_if(trace.diagnostics, std::back_inserter(warnings),
                         [](const Diagnostic& diagnostic) { return diagnostic.severity != Severity::Error; });
    report(warnings, common);
}

Result<driver::Artifact> artifactFor(const std::string& model, const driver::InputFiles& files,
                                     const MemoryFile& memory, const Common& common, driver::Trace& trace,
                                     const std::string& device) {
    if (artifact::partsOf(model)) {
        LATHE_CHECKED(needsNoCompiling(model, common));
        return driver::Artifact{model, 0};
    }
    LATHE_TRY(driver::Options options, makeRunOptions(common, device));
    leaveSizesToTheRun(options, files);
    LATHE_TRY(driver::Decisions decisions, makeDecisions(common));
    LATHE_CHECKED(addNearRecords(decisions, model, options, common));
    auto artifact = driver::compileFile(model, memory.path(), decisions, options, trace, makeProgress(common));
    reportWarnings(trace, common);
    markStale(trace, common);
    return artifact;
}

Result<device::RunnerOptions> runnerOptions(const RunArgs& args, const Common& common) {
    device::RunnerOptions options;
    LATHE_TRY(const device::Device device, device::parseDevice(args.device));
    if (!device.isLocal()) {
        LATHE_TRY(const driver::Options compiling, makeOptions(common));
        const auto ofArtifact = artifact::partsOf(args.model) ? device::targetOfArtifact(args.model) : compiling.target;
        LATHE_TRY(const Target target, ofArtifact);
        LATHE_TRY(device::RunnerCommand command, device::runnerCommand(device, target));
        device::useRunner(options, std::move(command));
    }
    options.threads = common.threads;
    options.seed = args.seed;
    options.timeout = std::chrono::milliseconds(static_cast<int64_t>(args.timeout * 1000));
    options.processBytes = args.memoryMegabytes * (int64_t{1} << 20);
    return options;
}

void noteOpenSizes(const std::vector<std::string>& names, const Common& common, const std::string& options) {
    if (names.empty())
        return;
    Diagnostic note = error(fmt::format("sizes that nothing gives are 1: {}", fmt::join(names, ", ")),
                            "give them by --shape NAME=1,3,224,224, " + options);
    note.severity = Severity::Note;
    report({note}, common);
}

Result<void> leaseDevice(device::RunnerClient& runner, const Common& common) {
    return runner.leaseDevice([&](const std::string& text) {
        Diagnostic note = error(text);
        note.severity = Severity::Note;
        report({note}, common);
    });
}

void noteDrawnInputs(const std::vector<std::string>& names, const Common& common, const std::string& options) {
    if (!names.empty())
        report({inspect::drawnNote(names, options + " gives others")}, common);
}

std::optional<std::pair<std::string, std::string>> parseInput(const std::string& text) {
    std::optional<std::pair<std::string, std::string>> first;
    for (size_t equals = text.find('=', 1); equals < text.size() - 1; equals = text.find('=', equals + 1)) {
        std::pair<std::string, std::string> input{text.substr(0, equals), text.substr(equals + 1)};
        std::error_code unknown;
        if (std::filesystem::exists(input.second, unknown))
            return input;
        if (!first)
            first = std::move(input);
    }
    return first;
}

namespace {

/// One of inputs that are named after its arrays; not a file of another name's input.
bool isFileOfInputs(const std::string& argument) {
    std::error_code unknown;
    const auto input = parseInput(argument);
    return argument.ends_with(".npz") && std::filesystem::exists(argument, unknown) &&
           !(input && std::filesystem::exists(input->second, unknown));
}

Result<std::vector<std::pair<std::string, std::string>>> inputsGiven(const std::string& argument) {
    std::vector<std::pair<std::string, std::string>> inputs;
    if (isFileOfInputs(argument)) {
        LATHE_TRY(const std::vector<std::string> names, data::arraysIn(argument));
        for (const std::string& name : names)
            inputs.emplace_back(name, argument);
        return inputs;
    }
    const auto input = parseInput(argument);
    if (!input)
        return failure(ErrorKind::Usage, fmt::format("malformed input '{}'", argument),
                       "use NAME=FILE, or FILE.npz with arrays that are named after inputs");
    const auto& [name, file] = *input;
    LATHE_CHECKED(isFile(file));
    std::error_code unknown;
    if (!std::filesystem::exists(file, unknown)) // known now, not when a large model is compiled
        return Failure(
            inFile(error(unknown ? fmt::format("the file for input '{}' cannot be found: {}", name, unknown.message())
                                 : fmt::format("there is no file for input '{}'", name)),
                   file));
    inputs.push_back(*input);
    return inputs;
}

} // namespace

Result<driver::InputFiles> inputFiles(const InputArgs& args) {
    driver::InputFiles files{.folder = args.data};
    for (const std::string& argument : args.files) {
        LATHE_TRY(const auto inputs, inputsGiven(argument));
        for (const auto& [name, file] : inputs)
            if (!files.byName.emplace(name, file).second)
                return failure(ErrorKind::Usage, fmt::format("input '{}' has two files", name), "give one");
    }
    return files;
}

} // namespace lathe::cli
