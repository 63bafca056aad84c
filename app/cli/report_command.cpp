// SPDX-License-Identifier: Apache-2.0
//
// `lathe report`: a model compiled, run and written down in one page. What fails on the way stands in the page too.
#include "app/cli/prepare.h"
#include "artifact/artifact.h"
#include "driver/guarded.h"
#include "driver/machine_peaks.h"
#include "report/report.h"

#include <fmt/format.h>

namespace lathe::cli {
namespace {

Result<driver::Profile> run(const ReportArgs& args, const Common& common, const driver::Artifact& artifact,
                            const driver::InputFiles& files, const driver::Shapes& asked,
                            const report::Report& report) {
    LATHE_TRY(driver::RunnerOptions where, runnerOptions(args.run, common));
    driver::RunnerClient runner(std::move(where));
    LATHE_TRY(const driver::RunnerModel loaded, runner.load(artifact.path));
    LATHE_TRY(const driver::Tensors given, driver::readInputs(loaded.inputs, files));
    LATHE_TRY(const driver::Shapes shapes, driver::setInputs(runner, loaded, given, asked, args.run.seed));
    noteOpenSizes(driver::sizesTakenAsOne(loaded.inputs, given, asked), common);
    noteDrawnInputs(driver::drawnInputs(loaded.inputs, given), common);
    driver::Measuring measuring = driver::measuringOfRun;
    measuring.timeline = measuring.counters = false; // a report shows neither
    return driver::profile(runner, loaded, *report.trace, shapes, measuring, makeProgress(common));
}

} // namespace

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
        auto profile = driver::guarded([&] {
            return run(args, common, *artifact, *files, driver::asDeclared(trace->graph.get(), options->shapes), page);
        });
        if (profile) {
            page.peaks = driver::machinePeaks(common.threads, !common.noCache);
            page.profile = *std::move(profile);
        } else {
            page.problems.push_back(inFile(profile.error(), args.run.model));
        }
    }
    if (artifact && args.noRun) { // a run says so itself
        const auto sizes = [&]() -> Result<driver::Shapes> {
            const std::vector<driver::RunnerValue> inputs = driver::inputsOf(trace->passes.front().after->main());
            LATHE_TRY(const driver::Tensors given, driver::readInputs(inputs, *files));
            return driver::inputShapes(inputs, given, driver::asDeclared(trace->graph.get(), options->shapes));
        }();
        if (!sizes)
            page.problems.push_back(inFile(sizes.error(), args.run.model));
    }
    const auto written = driver::guarded([&] { return report::writeReport(page, args.out, makeProgress(common)); });
    if (!written)
        page.problems.push_back(written.error());
    std::vector<Diagnostic> all = trace->diagnostics;
    all.insert(all.end(), page.problems.begin(), page.problems.end());
    const int code = report(all, common);
    return artifact && page.problems.empty() ? 0 : code;
}

} // namespace lathe::cli
