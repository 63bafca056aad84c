// SPDX-License-Identifier: Apache-2.0
//
// `lathe bundle MODEL`: makes a bundle, or says with --dry-run what would be in it.
#include "app/cli/bundle_steps.h"
#include "app/cli/interrupts.h"
#include "app/cli/prepare.h"
#include "app/cli/print_line.h"
#include "artifact/artifact.h"
#include "base/counted.h"
#include "base/json.h"
#include "deploy/bundle_model.h"

#include <fmt/format.h>

namespace lathe::cli {
namespace {

void printPlan(const deploy::PlannedBundle& bundle, const Common& common) {
    const deploy::BundlePlan& plan = bundle.plan;
    for (const deploy::ManifestFile& file : bundle.manifest.files) {
        if (common.json)
            fmt::print("{}\n", dump({{"path", file.path}, {"bytes", file.bytes}, {"kind", file.kind}}));
        else
            printLine("{:>12}  {}", file.bytes, file.path);
    }
    if (common.json)
        fmt::print("{}\n", dump({{"name", plan.name}, {"bundle_id", plan.bundleId}, {"bytes", plan.bytes}}));
    else
        printLine("{:>12}  in all", plan.bytes);
}

} // namespace

int makeBundle(const BundleArgs& args, const Common& common) {
    if (args.model.empty() || (args.out.empty() && !args.dryRun))
        return report({error(ErrorKind::Usage, "a model and -o are needed", "lathe bundle MODEL -o FOLDER")}, common);
    if (artifact::partsOf(args.model))
        return report({error(ErrorKind::Usage, fmt::format("'{}' is an artifact", args.model),
                             "name the model that it was made of")},
                      common);
    if (const auto file = needsFile(args.model); !file)
        return report({file.error()}, common);
    auto options = bundleOptions(args, common);
    if (!options)
        return reported(options.error(), common);
    const Interrupts interrupts;
    if (!args.dryRun) { // which is known before minutes were spent
        const std::vector<std::string> read = {args.model, args.options,         args.golden,
                                               args.sign,  common.decisionsFile, common.tunedFrom};
        if (const auto free = deploy::mayWrite(args.out, args.force, {read.begin(), read.end()}); !free)
            return reported(free.error(), common);
        if (const auto other = keepsFiles(args.out, read, common.tunedFrom); !other)
            return reported(other.error(), common);
    }
    const auto near = addNearRecords(options->decisions, args.model, options->compile, common);
    if (!near)
        return reported(near.error(), common);
    const driver::Progress progress = progressOf(common);
    std::vector<Diagnostic> diagnostics;
    auto bundle = deploy::planBundle(args.model, *options, diagnostics, progress);
    report(diagnostics, common);
    if (progress.report && !common.progress)
        printStderr("\r\033[K");
    if (!bundle)
        return reported(inFile(bundle.error(), args.model), common);
    if (!args.sign.empty())
        if (const auto done = deploy::signBundle(*bundle, args.sign, progress); !done)
            return reported(done.error(), common);
    for (const std::string& remark : bundle->plan.remarks) {
        Diagnostic note = error(remark);
        note.severity = Severity::Note;
        report({note}, common);
    }
    if (args.dryRun) {
        printPlan(*bundle, common);
        return 0;
    }
    if (const auto written = deploy::writeBundle(*bundle, args.out, args.force, progress); !written)
        return reported(inFile(written.error(), args.out), common);
    const deploy::BundlePlan& plan = bundle->plan;
    if (common.json)
        fmt::print("{}\n", dump({{"bundle", args.out},
                                 {"name", plan.name},
                                 {"tag", plan.tag},
                                 {"bundle_id", plan.bundleId},
                                 {"bytes", plan.bytes}}));
    else if (!common.quiet)
        printLine("{}: {} for {}, {}, {:.1f} MB, {}; id {}", args.out, plan.name, plan.tag,
                  counted(plan.files.size(), "file", "files"), static_cast<double>(plan.bytes) / 1e6,
                  counted(bundle->manifest.golden.size(), "golden case", "golden cases"), plan.bundleId.substr(0, 16));
    return 0;
}

} // namespace lathe::cli
