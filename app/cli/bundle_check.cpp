// SPDX-License-Identifier: Apache-2.0
//
// `lathe bundle check`: whether a bundle is whole and right here, or on a device.
#include "app/cli/bundle_steps.h"
#include "app/cli/interrupts.h"
#include "app/cli/print_line.h"
#include "base/json.h"
#include "deploy/check_bundle.h"

#include <fmt/format.h>

namespace lathe::cli {
namespace {

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

} // namespace

int checkBundle(const BundleArgs& args, const Common& common) {
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

} // namespace lathe::cli
