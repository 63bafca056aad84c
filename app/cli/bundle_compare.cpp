// SPDX-License-Identifier: Apache-2.0
//
// `lathe bundle info`, `diff` and `reproduce`: what a bundle is, and how another of it differs, also one that is made
// again.
#include "app/cli/bundle_steps.h"
#include "app/cli/interrupts.h"
#include "app/cli/print_line.h"
#include "base/json.h"
#include "deploy/bundle_diff.h"
#include "deploy/check_bundle.h"

#include <fmt/format.h>

namespace lathe::cli {
namespace {

/// What differs, and that nothing does: 1 or 0.
int printChanges(const deploy::Manifest& before, const deploy::Manifest& after, const Common& common) {
    const auto changes = deploy::diffBundles(before, after);
    for (const deploy::BundleChange& change : changes) {
        if (common.json)
            fmt::print("{}\n", dump({{"what", change.what},
                                     {"name", change.name},
                                     {"before", change.before},
                                     {"after", change.after}}));
        else
            printLine("{}{}{}: {} -> {}", change.what, change.name.empty() ? "" : " ", change.name,
                      change.before.empty() ? "none" : change.before, change.after.empty() ? "none" : change.after);
    }
    if (common.json)
        fmt::print("{}\n", dump({{"equal", changes.empty()}, {"changes", changes.size()}}));
    else if (!common.quiet)
        printLine("{}", changes.empty() ? "the same bundle" : "different");
    return changes.empty() ? 0 : 1;
}

} // namespace

int describeBundle(const BundleArgs& args, const Common& common) {
    const Interrupts interrupts;
    const auto bundle = deploy::OpenBundle::open(args.bundles.front(), {.report = {}, .cancelled = Interrupts::asked});
    if (!bundle)
        return prevented(bundle.error(), common);
    const deploy::Manifest& manifest = bundle->manifest();
    if (common.json) {
        fmt::print("{}\n", dump(parseJson(deploy::toJson(manifest)).value())); // on one line
        return 0;
    }
    printLine("{} {}, made by Lathe {} of {}, licence {}", manifest.name, manifest.version, manifest.latheVersion,
              manifest.model.file, manifest.model.licence);
    for (const driver::PluginId& plugin : manifest.plugins)
        printLine("with plugin {} {}", plugin.id, plugin.version);
    for (const deploy::ManifestVariant& variant : manifest.variants)
        printLine("for {}: {} ({})", variant.tag, variant.path, variant.target);
    for (const auto* values : {&manifest.inputs, &manifest.outputs})
        for (const deploy::ManifestValue& value : *values) {
            std::vector<std::string> dims;
            for (const deploy::ManifestDim& dim : value.dims)
                dims.push_back(deploy::toString(dim));
            printLine("{} {}: {}[{}]", values == &manifest.inputs ? "input" : "output", value.name, value.dtype,
                      fmt::join(dims, ","));
        }
    for (const auto& [name, range] : manifest.symbols)
        printLine("size {}: from {} {}, usually {}", name, range.least,
                  range.most ? fmt::format("to {}", *range.most) : std::string("on"), range.usual);
    uint64_t bytes = 0;
    for (const deploy::ManifestFile& file : manifest.files) {
        printLine("{:>12}  {}", file.bytes, file.path);
        bytes += file.bytes;
    }
    printLine("{:>12}  in all; id {}", bytes, manifest.bundleId);
    return 0;
}

int diffBundles(const BundleArgs& args, const Common& common) {
    const Interrupts interrupts;
    const driver::Progress progress{.report = {}, .cancelled = Interrupts::asked};
    const auto before = deploy::OpenBundle::open(args.bundles[0], progress);
    const auto after = deploy::OpenBundle::open(args.bundles[1], progress);
    if (!before || !after)
        return prevented((before ? after : before).error(), common);
    return printChanges(before->manifest(), after->manifest(), common);
}

int reproduceBundle(const BundleArgs& args, const Common& common) {
    const Interrupts interrupts;
    const driver::Progress progress = progressOf(common);
    const auto bundle = deploy::OpenBundle::open(args.bundles[0], progress);
    if (!bundle)
        return reported(bundle.error(), common);
    const auto plugins = pluginsOf(common);
    if (!plugins)
        return reported(plugins.error(), common);
    const deploy::Origin origin{args.bundles[1], args.golden, args.runtimeDir, driver::extensionsOf(*plugins)};
    std::vector<Diagnostic> diagnostics;
    const auto again = deploy::planAgain(*bundle, origin, diagnostics, progress);
    if (progress.report)
        printStderr("\r\033[K");
    report(diagnostics, common);
    if (!again)
        return reported(again.error(), common);
    return printChanges(bundle->manifest(), again->manifest, common);
}

} // namespace lathe::cli
