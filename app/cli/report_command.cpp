// SPDX-License-Identifier: Apache-2.0
//
// `lathe report`: a model compiled, run and written down in one page. What fails on the way stands in the page too.
#include "app/cli/common_options.h"
#include "app/cli/prepare.h"
#include "artifact/artifact.h"
#include "base/guarded.h"
#include "inspect/machine_peaks.h"
#include "report/report.h"

#include <fmt/format.h>

namespace lathe::cli {
namespace {

Result<inspect::Profile> run(const ReportArgs& args, const Common& common, const driver::Artifact& artifact,
                             const driver::InputFiles& files, const driver::Shapes& asked,
                             const report::Report& report) {
    LATHE_TRY(device::RunnerOptions where, runnerOptions(args.run, common));
    device::RunnerClient runner(std::move(where));
    LATHE_TRY(const device::RunnerModel loaded, runner.load(artifact.path));
    LATHE_TRY(const inspect::Tensors given, inspect::readInputs(loaded.inputs, files));
    LATHE_TRY(const driver::Shapes shapes, inspect::setInputs(runner, loaded, given, asked, args.run.seed));
    noteOpenSizes(inspect::sizesTakenAsOne(loaded.inputs, given, asked), common);
    noteDrawnInputs(inspect::drawnInputs(loaded.inputs, given), common);
    inspect::Measuring measuring = inspect::measuringOfRun;
    measuring.timeline = measuring.counters = false; // a report shows neither
    return inspect::profile(runner, loaded, *report.trace, shapes, measuring, makeProgress(common));
}

/// The sizes of inputs, as far as files and options say them. Fails where they do not fit the model.
Result<driver::Shapes> sizesGiven(const driver::Trace& trace, const driver::InputFiles& files,
                                  const driver::Shapes& asked) {
    const std::vector<device::RunnerValue> inputs = inspect::inputsOf(trace.passes.front().after->main());
    LATHE_TRY(const inspect::Tensors given, inspect::readInputs(inputs, files));
    const driver::Shapes declared = inspect::asDeclared(trace.graph.get(), asked);
    LATHE_CHECKED(inspect::inputShapes(inputs, given, declared));
    LATHE_TRY(const driver::Shapes wished, inspect::byInput(inputs, declared));
    driver::Shapes ofFiles;
    for (const auto& [name, tensor] : given)
        ofFiles.emplace_back(name, tensor.shape);
    return driver::shapesOfRun(wished, ofFiles);
}

} // namespace

void addReportOptions(CLI::App& app, ReportArgs& args, Common& common) {
    addRunning(app, args.run, common, "the model");
    app.add_option("-o,--output", args.out, "the page")->required();
    CLI::Option* noRun = app.add_flag("--no-run", args.noRun, "compile it only");
    for (const char* ofRun : {"--seed", "--memory", "--timeout"})
        noRun->excludes(app.get_option(ofRun));
}

int reportCommand(const ReportArgs& args, const Common& common) {
    auto options = args.noRun ? makeOptions(common) : makeRunOptions(common);
    auto decisions = makeDecisions(common);
    const auto files = inputFiles(args.run.inputs);
    if (!options || !decisions || !files)
        return report({!options ? options.error() : !decisions ? decisions.error() : files.error()}, common);
    if (const auto other = keepsFiles(args.out, filesOf(args.run, common), common.tunedFrom); !other)
        return report({other.error()}, common);
    if (artifact::partsOf(args.run.model))
        return report({error(ErrorKind::Usage, fmt::format("'{}' is an artifact", args.run.model),
                             "name the model that it was made of")},
                      common);
    const MemoryFile memory("lathe-model");
    const auto trace = std::make_shared<driver::Trace>();
    driver::Options compiled = *options;
    leaveSizesToTheRun(compiled, *files);
    if (const auto near = addNearRecords(*decisions, args.run.model, compiled, common); !near)
        return report({near.error()}, common);
    const auto artifact =
        driver::compileFile(args.run.model, memory.path(), *decisions, compiled, *trace, makeProgress(common));
    report::Report page{.trace = trace,
                        .model = args.run.model,
                        .options = compiled,
                        .decisions = *std::move(decisions),
                        .compileSeconds = artifact ? artifact->seconds : 0,
                        .profile = {},
                        .peaks = {},
                        .problems = {}};
    if (artifact && !args.noRun) {
        auto profile = guarded([&] {
            return run(args, common, *artifact, *files, inspect::asDeclared(trace->graph.get(), options->shapes), page);
        });
        if (profile) {
            page.peaks = inspect::machinePeaks(common.threads, !common.noCache);
            page.profile = *std::move(profile);
        } else {
            page.problems.push_back(inFile(profile.error(), args.run.model));
        }
    }
    if (artifact && args.noRun) { // a run says so itself
        auto sizes = sizesGiven(*trace, *files, options->shapes);
        if (sizes)
            page.shapes = *std::move(sizes);
        else
            page.problems.push_back(inFile(sizes.error(), args.run.model));
    }
    const auto written = guarded([&] { return report::writeReport(page, args.out, makeProgress(common)); });
    if (!written)
        page.problems.push_back(written.error());
    std::vector<Diagnostic> all = trace->diagnostics;
    all.insert(all.end(), page.problems.begin(), page.problems.end());
    const int code = report(all, common);
    return artifact && page.problems.empty() ? 0 : code;
}

} // namespace lathe::cli
