// SPDX-License-Identifier: Apache-2.0
#include "app/cli/prepare.h"

#include "bundle/artifact.h"
#include "driver/device.h"
#include "driver/tensor_files.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

namespace lathe::cli {

driver::Shapes leaveSizesToTheRun(driver::Options& options, const driver::Tensors& given) {
    driver::Shapes asked = std::exchange(options.shapes, {});
    options.shapesAtNeed = driver::shapesOfRun(asked, given);
    return asked;
}

Result<driver::Options> makeRunOptions(const Common& common, const std::string& device) {
    LATHE_TRY(driver::Options options, makeOptions(common));
    LATHE_TRY(const driver::Device where, driver::parseDevice(device));
    LATHE_CHECKED(driver::runnerCommand(where, options.target));
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

void reportWarnings(const driver::Trace& trace, const Common& common) {
    std::vector<Diagnostic> warnings;
    std::ranges::copy_if(trace.diagnostics, std::back_inserter(warnings),
                         [](const Diagnostic& diagnostic) { return diagnostic.severity != Severity::Error; });
    report(warnings, common);
}

Result<void> addSizesOfData(driver::Session& session, const std::string& data, driver::Options& options) {
    if (data.empty())
        return {};
    LATHE_CHECKED(needsFile(session.model().string()));
    driver::Trace read;
    (void)session.open(options, read); // what is wrong with the model, compiling says
    if (read.graph)
        std::ranges::copy(driver::shapesOf(driver::InputChoice{.folder = data}, *read.graph),
                          std::back_inserter(options.shapesAtNeed));
    return {};
}

Result<driver::Artifact> artifactFor(const std::string& model, const driver::Tensors& given, const std::string& data,
                                     const MemoryFile& memory, const Common& common, driver::Trace& trace,
                                     const std::string& device) {
    if (bundle::partsOf(model))
        return driver::Artifact{model, 0};
    LATHE_TRY(driver::Options options, makeRunOptions(common, device));
    leaveSizesToTheRun(options, given);
    LATHE_TRY(driver::Decisions decisions, makeDecisions(common));
    LATHE_CHECKED(addNearRecords(decisions, model, options, common));
    driver::Session session(model);
    LATHE_CHECKED(addSizesOfData(session, data, options));
    auto artifact = session.compile(memory.path(), decisions, options, trace, makeProgress(common));
    reportWarnings(trace, common);
    markStale(trace, common);
    return artifact;
}

Result<driver::RunnerOptions> runnerOptions(const RunArgs& args, const Common& common) {
    driver::RunnerOptions options;
    LATHE_TRY(const driver::Device device, driver::parseDevice(args.device));
    if (!device.isLocal()) {
        LATHE_TRY(const driver::Options compiling, makeOptions(common));
        const auto ofArtifact = bundle::partsOf(args.model) ? driver::targetOfArtifact(args.model) : compiling.target;
        LATHE_TRY(const Target target, ofArtifact);
        LATHE_TRY(driver::RunnerCommand command, driver::runnerCommand(device, target));
        driver::useRunner(options, std::move(command));
    }
    options.threads = common.threads;
    options.seed = args.seed;
    options.timeout = std::chrono::milliseconds(static_cast<int64_t>(args.timeout * 1000));
    options.processBytes = args.memoryMegabytes * (int64_t{1} << 20);
    return options;
}

void noteOpenSizes(const driver::RunnerModel& loaded, const driver::Tensors& given, const driver::Shapes& asked,
                   const Common& common) {
    const auto open = driver::sizesTakenAsOne(loaded.inputs, given, asked);
    if (open.empty())
        return;
    Diagnostic note = error(fmt::format("sizes that nothing gives are 1: {}", fmt::join(open, ", ")),
                            "give them by --shape NAME=1,3,224,224 or --input NAME=FILE");
    note.severity = Severity::Note;
    report({note}, common);
}

Result<void> leaseDevice(driver::RunnerClient& runner, const Common& common) {
    return runner.leaseDevice([&](const std::string& text) {
        Diagnostic note = error(text);
        note.severity = Severity::Note;
        report({note}, common);
    });
}

void noteDrawnInputs(const std::vector<std::string>& names, const Common& common) {
    if (!names.empty())
        report({driver::drawnNote(names, "--input NAME=FILE or --data FOLDER gives others")}, common);
}

Result<driver::InputChoice> chooseInputs(const InputArgs& args) {
    driver::InputChoice choice{.folder = args.data};
    for (const std::string& argument : args.files) {
        const size_t equals = argument.find('=');
        if (equals == std::string::npos || equals == 0 || equals + 1 == argument.size())
            return failure(ErrorKind::Usage, fmt::format("malformed input '{}'", argument), "use NAME=FILE");
        choice.files[argument.substr(0, equals)] = argument.substr(equals + 1);
    }
    return choice;
}

Result<driver::Tensors> readInputs(const std::vector<std::string>& arguments) {
    LATHE_TRY(const driver::InputChoice choice, chooseInputs({arguments, {}}));
    driver::Tensors tensors;
    for (const auto& [name, file] : choice.files) {
        LATHE_TRY(tensors[name], driver::readTensorFile(file));
    }
    return tensors;
}

Result<driver::Tensors> withData(driver::Tensors given, const std::string& data, const driver::RunnerModel& loaded) {
    LATHE_TRY(driver::Tensors others, driver::readInputs(loaded.inputs, {.folder = data}));
    given.merge(std::move(others));
    return given;
}

} // namespace lathe::cli
