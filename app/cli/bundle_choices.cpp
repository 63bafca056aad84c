// SPDX-License-Identifier: Apache-2.0
//
// What is to be in a bundle: what the arguments say goes before what a file of options says.
#include "app/cli/bundle_steps.h"
#include "app/cli/prepare.h"

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

} // namespace

Result<deploy::BundleOptions> bundleOptions(const BundleArgs& args, const Common& common) {
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

} // namespace lathe::cli
