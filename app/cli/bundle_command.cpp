// SPDX-License-Identifier: Apache-2.0
//
// `lathe bundle`: makes bundles, and says what is to be said of them.
#include "app/cli/commands.h"
#include "app/cli/interrupts.h"
#include "app/cli/prepare.h"
#include "app/cli/print_line.h"
#include "artifact/artifact.h"
#include "base/counted.h"
#include "base/json.h"
#include "deploy/bundle_diff.h"
#include "deploy/bundle_model.h"
#include "deploy/check_bundle.h"
#include "deploy/image.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <set>

namespace lathe::cli {
namespace {

namespace fs = std::filesystem;
using deploy::BundleOptions;

Result<BundleOptions> readOptions(const std::string& path) {
    std::error_code failed;
    std::ifstream file;
    if (fs::is_regular_file(path, failed)) // a pipe may never end
        file.open(path, std::ios::binary);
    if (!file.is_open())
        return failure(ErrorKind::Usage, fmt::format("cannot read '{}'", path), "a file of options of a bundle");
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    auto options = deploy::parseBundleOptions(text);
    if (options)
        return options;
    return Failure(inFile(options.error(), path));
}

Result<std::set<deploy::Part>> partsOf(const std::vector<std::string>& names) {
    std::set<deploy::Part> parts;
    for (const std::string& name : names) {
        LATHE_TRY(const deploy::Part part, deploy::parsePart(name));
        parts.insert(part);
    }
    return parts;
}

/// The parts that the arguments choose, of those that the form has.
Result<void> choose(const BundleArgs& args, BundleOptions& options) {
    LATHE_TRY(const std::set<deploy::Part> with, partsOf(args.with));
    LATHE_TRY(const std::set<deploy::Part> without, partsOf(args.without));
    for (const std::set<deploy::Part>& parts : {with, without})
        for (const deploy::Part part : parts)
            LATHE_CHECKED(deploy::checkChoice(options.form, part));
    for (const deploy::Part part : without)
        if (with.contains(part))
            return failure(ErrorKind::Usage, fmt::format("'{}' is both in --with and in --without", toString(part)),
                           "name it in one of them");
    if (!with.empty())
        options.parts = with;
    for (const deploy::Part part : without)
        options.parts.erase(part);
    const std::pair<bool, const char*> ofGolden[] = {
        {args.cases >= 0, "--cases"}, {!args.golden.empty(), "--golden"}, {args.tolerance >= 0, "--tolerance"}};
    for (const auto& [given, option] : ofGolden)
        if (given && !options.parts.contains(deploy::Part::Golden))
            return failure(ErrorKind::Usage,
                           fmt::format("{} is of golden cases, which are left out of this bundle", option),
                           "leave it out too, or have the part golden");
    return {};
}

/// What the arguments say goes before what a file of options says.
Result<BundleOptions> optionsOf(const BundleArgs& args, const Common& common) {
    BundleOptions options;
    if (!args.options.empty()) {
        LATHE_TRY(options, readOptions(args.options));
    }
    LATHE_TRY(options.compile, makeOptions(common, options.compile));
    if (!args.form.empty()) {
        LATHE_TRY(options.form, deploy::parseForm(args.form));
    }
    if (!args.targets.empty())
        options.targets.clear();
    for (const std::string& text : args.targets) {
        LATHE_TRY(options.targets.emplace_back(), codegen::parseTarget(text));
    }
    for (const auto& [given, into] : {std::pair{&args.name, &options.name}, std::pair{&args.version, &options.version},
                                      std::pair{&args.licence, &options.licence}})
        if (!given->empty())
            *into = *given;
    LATHE_CHECKED(choose(args, options));
    std::set<std::string> seen;
    for (const std::string& text : args.symbols) {
        LATHE_TRY(const auto symbol, deploy::parseSymbol(text));
        if (!seen.insert(symbol.first).second)
            return failure(ErrorKind::Usage, fmt::format("--symbol gives '{}' twice", symbol.first), "give it once");
        options.symbols[symbol.first] = symbol.second;
    }
    if (args.cases >= 0)
        options.cases = args.cases;
    if (args.tolerance >= 0)
        options.tolerance = {.absolute = args.tolerance > 0 ? 1e-6 : 0, .ofRange = args.tolerance};
    if (!args.limits.empty()) {
        LATHE_TRY(options.limits, deploy::parseLimits(args.limits));
    }
    LATHE_TRY(options.decisions, makeDecisions(common));
    options.goldenFolder = args.golden;
    options.runtimeFolder = args.runtimeDir;
    LATHE_TRY(options.device, device::parseDevice(args.device));
    LATHE_CHECKED(deploy::validate(options));
    return options;
}

/// A line a step of the work; where standard error is a terminal, the same line.
driver::Progress progressOf(const Common& common) {
    driver::Progress progress = makeProgress(common);
    progress.cancelled = Interrupts::asked;
    return progress;
}

int reported(const Diagnostic& problem, const Common& common) {
    const int code = report({problem}, common);
    return problem.kind == ErrorKind::Cancelled ? Interrupts::code() : code;
}

/// What prevents an answer is 2 or 3, or an interrupt.
int prevented(const Diagnostic& problem, const Common& common) {
    return std::max(2, reported(problem, common));
}

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

int makeBundle(const BundleArgs& args, const Common& common) {
    if (args.model.empty() || (args.out.empty() && !args.dryRun))
        return report({error(ErrorKind::Usage, "a model and -o are needed", "lathe bundle MODEL -o FOLDER")}, common);
    if (artifact::partsOf(args.model))
        return report({error(ErrorKind::Usage, fmt::format("'{}' is an artifact", args.model),
                             "name the model that it was made of")},
                      common);
    if (const auto file = needsFile(args.model); !file)
        return report({file.error()}, common);
    auto options = optionsOf(args, common);
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

/// No more than what was seen: files alone, that it loads or runs, or that it computes what it should.
std::string verdictOf(const deploy::BundleCheck& check, const std::string& where) {
    if (!check.good)
        return "NOT good " + where;
    std::string notRun;
    for (const deploy::VariantCheck& each : check.variants)
        if (each.outcome == deploy::VariantCheck::Outcome::NotRun)
            notRun += (notRun.empty() ? "; not run: " : ", ") + each.tag;
    if (check.cases > 0)
        return "whole, and right " + where + notRun;
    if (check.unknown > 0)
        return fmt::format("whole, and runs {}; nothing is known of its values{}", where, notRun);
    return check.variant.empty() ? "whole" : fmt::format("whole, and loads {}{}", where, notRun);
}

int check(const BundleArgs& args, const Common& common) {
    deploy::CheckWish wish{.repeat = args.repeat,
                           .threads = common.threads,
                           .limits = {},
                           .keys = args.verifyKey,
                           .device = {},
                           .noted = {}};
    if (!args.limits.empty()) {
        const auto limits = deploy::parseLimits(args.limits);
        if (!limits)
            return prevented(limits.error(), common);
        wish.limits = *limits;
    }
    const auto device = device::parseDevice(args.device);
    if (!device)
        return prevented(device.error(), common);
    wish.device = *device;
    wish.noted = [&](const std::string& text) {
        Diagnostic note = error(text);
        note.severity = Severity::Note;
        report({note}, common);
    };
    const Interrupts interrupts;
    driver::Progress progress;
    progress.cancelled = Interrupts::asked;
    const auto bundle = deploy::OpenBundle::open(args.bundles.front(), progress);
    if (std::error_code unknown; !bundle && !std::filesystem::exists(args.bundles.front(), unknown))
        return prevented(bundle.error(), common);
    if (!bundle)
        return reported(bundle.error(), common);
    const auto told = [&](const deploy::CheckStep& step) {
        if (common.json)
            fmt::print("{}\n", dump({{"step", step.name}, {"good", step.good}, {"text", step.text}}));
        else if (!common.quiet)
            printLine("{:<10} {}  {}", step.name, step.good ? "good " : "WRONG", step.text);
    };
    const auto checked = deploy::checkBundle(*bundle, wish, told, progress);
    if (!checked)
        return prevented(checked.error(), common);
    report(checked->problems, common);
    nlohmann::json variants = nlohmann::json::array();
    for (const deploy::VariantCheck& each : checked->variants)
        variants.push_back({{"tag", each.tag}, {"outcome", toString(each.outcome)}, {"why", each.why}});
    if (common.json)
        fmt::print("{}\n", dump({{"good", checked->good},
                                 {"bundle_id", bundle->manifest().bundleId},
                                 {"cases", checked->cases},
                                 {"cases_unknown", checked->unknown},
                                 {"variant", checked->variant},
                                 {"variants", variants},
                                 {"threads", checked->threads},
                                 {"load_ms", checked->loadMs},
                                 {"first_ms", checked->firstMs},
                                 {"p50_ms", checked->p50Ms},
                                 {"p90_ms", checked->p90Ms},
                                 {"p99_ms", checked->p99Ms},
                                 {"resident_bytes", checked->residentBytes},
                                 {"of_range", checked->ofRange}}));
    else if (!common.quiet)
        printLine("{} {}: {}", bundle->manifest().name, bundle->manifest().version,
                  verdictOf(*checked, wish.device.isLocal() ? "here" : "on " + toString(wish.device)));
    return checked->good ? 0 : 1;
}

int info(const BundleArgs& args, const Common& common) {
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

int diff(const BundleArgs& args, const Common& common) {
    const Interrupts interrupts;
    const driver::Progress progress{.report = {}, .cancelled = Interrupts::asked};
    const auto before = deploy::OpenBundle::open(args.bundles[0], progress);
    const auto after = deploy::OpenBundle::open(args.bundles[1], progress);
    if (!before || !after)
        return prevented((before ? after : before).error(), common);
    return printChanges(before->manifest(), after->manifest(), common);
}

int reproduce(const BundleArgs& args, const Common& common) {
    const Interrupts interrupts;
    const driver::Progress progress = progressOf(common);
    const auto bundle = deploy::OpenBundle::open(args.bundles[0], progress);
    if (!bundle)
        return reported(bundle.error(), common);
    std::vector<Diagnostic> diagnostics;
    const auto again =
        deploy::planAgain(*bundle, {args.bundles[1], args.golden, args.runtimeDir}, diagnostics, progress);
    if (progress.report)
        printStderr("\r\033[K");
    report(diagnostics, common);
    if (!again)
        return reported(again.error(), common);
    return printChanges(bundle->manifest(), again->manifest, common);
}

int image(const BundleArgs& args, const Common& common) {
    if (args.out.empty())
        return report({error(ErrorKind::Usage, "-o is needed", "lathe bundle image BUNDLE… -o NAME.tar")}, common);
    if (const auto other = keepsFiles(args.out, args.bundles, {}); !other)
        return reported(other.error(), common);
    const Interrupts interrupts;
    const driver::Progress progress{.report = {}, .cancelled = Interrupts::asked};
    std::vector<deploy::OpenBundle> bundles;
    for (const std::string& path : args.bundles) {
        auto bundle = deploy::OpenBundle::open(path, progress);
        if (!bundle)
            return reported(bundle.error(), common);
        bundles.push_back(std::move(*bundle));
    }
    if (const auto written = deploy::writeImage(bundles, args.out, args.force, progress); !written)
        return reported(inFile(written.error(), args.out), common);
    const deploy::Manifest& first = bundles.front().manifest();
    std::vector<std::string> machines;
    for (const deploy::OpenBundle& bundle : bundles)
        machines.push_back(bundle.manifest().variants.front().machine);
    const uint64_t bytes = std::filesystem::file_size(args.out);
    if (common.json)
        fmt::print("{}\n", dump({{"image", args.out}, {"name", first.name}, {"machines", machines}, {"bytes", bytes}}));
    else if (!common.quiet)
        printLine("{}: {} {} for {}, {:.1f} MB", args.out, first.name, first.version, fmt::join(machines, ", "),
                  static_cast<double>(bytes) / 1e6);
    return 0;
}

} // namespace

int bundleCommand(const BundleArgs& args, const Common& common) {
    switch (args.what) {
    case BundleArgs::Do::Check:
        return check(args, common);
    case BundleArgs::Do::Info:
        return info(args, common);
    case BundleArgs::Do::Diff:
        return diff(args, common);
    case BundleArgs::Do::Reproduce:
        return reproduce(args, common);
    case BundleArgs::Do::Image:
        return image(args, common);
    default:
        return makeBundle(args, common);
    }
}

} // namespace lathe::cli
