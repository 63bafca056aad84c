// SPDX-License-Identifier: Apache-2.0
#include "deploy/bundle_options.h"

#include "codegen/target.h"
#include "deploy/bundle_plan.h"
#include "deploy/json_reader.h"
#include "deploy/licence.h"
#include "deploy/plugin_fields.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lathe::deploy {
namespace {

using nlohmann::json;

Failure usage(std::string what, std::string hint = {}) {
    return failure(ErrorKind::Usage, std::move(what), std::move(hint));
}

/// Characters of an SPDX expression, and of a version: they stand in generated files as they are.
bool isPlain(std::string_view text, std::string_view beside) {
    return text.size() <= 200 && std::ranges::all_of(text, [&](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      beside.find(c) != std::string_view::npos;
           });
}

Result<void> readSymbols(const FieldsOf& all, SymbolRanges& symbols) {
    for (const auto& [name, unused] : all.items()) {
        LATHE_TRY(const FieldsOf fields, all.object(name.c_str()));
        SymbolRange& range = symbols[name];
        LATHE_CHECKED(fields.number("min", range.least));
        LATHE_CHECKED(fields.number("default", range.usual));
        if (!fields.isNull("max"))
            LATHE_CHECKED(fields.number("max", range.most.emplace()));
    }
    return {};
}

Result<void> readLimits(const FieldsOf& fields, Limits& limits) {
    LATHE_CHECKED(fields.real("p50_ms", limits.p50Ms));
    LATHE_CHECKED(fields.real("p99_ms", limits.p99Ms));
    LATHE_CHECKED(fields.real("load_ms", limits.loadMs));
    LATHE_CHECKED(fields.number("resident_bytes", limits.residentBytes));
    return fields.number("size_bytes", limits.sizeBytes);
}

Result<void> readField(const FieldsOf& root, const std::string& key, const json& value, BundleOptions& options) {
    if (key == "form") {
        std::string text;
        LATHE_CHECKED(root.text("form", text));
        LATHE_TRY(options.form, parseForm(text));
        return {};
    }
    if (key == "name")
        return root.text("name", options.name);
    if (key == "version")
        return root.text("version", options.version);
    if (key == "license")
        return root.text("license", options.licence);
    if (key == "targets") {
        std::vector<std::string> texts;
        LATHE_CHECKED(root.texts("targets", texts));
        for (const std::string& text : texts) {
            LATHE_TRY(options.targets.emplace_back(), codegen::parseTarget(text));
        }
        return {};
    }
    if (key == "parts") {
        std::vector<std::string> texts;
        LATHE_CHECKED(root.texts("parts", texts));
        options.parts.clear();
        for (const std::string& text : texts) {
            LATHE_TRY(const Part part, parsePart(text));
            options.parts.insert(part);
        }
        return {};
    }
    if (key == "compile") {
        LATHE_TRY(options.compile, driver::parseOptions(dump(value)));
        return {};
    }
    if (key == "cases") {
        int64_t cases = 0;
        LATHE_CHECKED(root.number("cases", cases));
        options.cases = static_cast<int>(std::min<int64_t>(cases, 1000));
        return {};
    }
    if (key == "plugins") {
        LATHE_TRY(options.plugins, readPlugins(root));
        return {};
    }
    LATHE_TRY(const FieldsOf fields, root.object(key.c_str()));
    if (key == "symbols")
        return readSymbols(fields, options.symbols);
    if (key == "limits")
        return readLimits(fields, options.limits);
    if (key == "tolerance") {
        LATHE_CHECKED(fields.real("absolute", options.tolerance.absolute));
        return fields.real("of_range", options.tolerance.ofRange);
    }
    return root.wrong(key, "is no option of a bundle");
}

} // namespace

std::string_view toString(Part part) {
    constexpr std::string_view names[] = {"c", "cpp", "python", "examples", "golden", "sbom", "reproduce"};
    return names[static_cast<size_t>(part)];
}

Result<Part> parsePart(std::string_view text) {
    for (const Part part : allParts)
        if (toString(part) == text)
            return part;
    return usage(fmt::format("'{}' is no part of a bundle", text),
                 "use c, cpp, python, examples, golden, sbom, reproduce");
}

bool hasChoice(BundleForm form, Part part) {
    switch (part) {
    case Part::Golden:
    case Part::Sbom:
    case Part::Reproduce:
        return true;
    case Part::Cpp:
    case Part::Examples:
        return form == BundleForm::Folder || form == BundleForm::Library;
    case Part::C:
    case Part::Python:
        break;
    }
    return form == BundleForm::Folder;
}

Result<void> checkChoice(BundleForm form, Part part) {
    if (hasChoice(form, part))
        return {};
    std::vector<std::string_view> chosen;
    for (const Part each : allParts)
        if (hasChoice(form, each))
            chosen.push_back(toString(each));
    return usage(fmt::format("a bundle of the form {} has no part '{}' to choose", toString(form), toString(part)),
                 fmt::format("it has {}", fmt::join(chosen, ", ")));
}

std::string toJson(const BundleOptions& options) {
    json targets = json::array(), parts = json::array(), symbols = json::object();
    for (const Target& target : options.targets)
        targets.push_back(toString(target));
    for (const Part part : options.parts)
        parts.push_back(toString(part));
    for (const auto& [name, range] : options.symbols)
        symbols[name] = {
            {"min", range.least}, {"max", range.most ? json(*range.most) : json()}, {"default", range.usual}};
    json compile = parseJson(driver::toJson(options.compile)).value();
    for (const char* machine : {"target", "threads", "cache"}) // that say nothing of what is made
        compile.erase(machine);
    json root = {{"form", toString(options.form)},
                 {"name", options.name},
                 {"version", options.version},
                 {"license", options.licence},
                 {"targets", targets},
                 {"parts", parts},
                 {"compile", compile},
                 {"symbols", symbols},
                 {"cases", options.cases},
                 {"tolerance", {{"absolute", options.tolerance.absolute}, {"of_range", options.tolerance.ofRange}}},
                 {"limits",
                  {{"p50_ms", options.limits.p50Ms},
                   {"p99_ms", options.limits.p99Ms},
                   {"load_ms", options.limits.loadMs},
                   {"resident_bytes", options.limits.residentBytes},
                   {"size_bytes", options.limits.sizeBytes}}}};
    if (!options.plugins.empty())
        root["plugins"] = toJson(options.plugins);
    return dump(root, 2) + "\n";
}

Result<BundleOptions> parseBundleOptions(std::string_view text) {
    const std::optional<json> root = parseJson(text);
    if (!root || !root->is_object())
        return usage("the options of a bundle are no JSON object");
    BundleOptions options;
    for (const auto& [key, value] : root->items())
        if (auto read = readField(FieldsOf(*root, ""), key, value, options); !read) {
            Diagnostic problem = std::move(read).error();
            problem.kind = ErrorKind::Usage;
            return Failure(problem);
        }
    LATHE_CHECKED(validate(options));
    return options;
}

Result<void> validate(const BundleOptions& options) {
    if (!options.name.empty() && !isModelName(options.name))
        return usage(fmt::format("'{}' is no name for a model", options.name),
                     "up to 64 of a-z, 0-9 and _, the first no digit, and no name of the runtime's, such as lathe_rt");
    if (options.version.empty() || !isPlain(options.version, ".-+_~"))
        return usage(fmt::format("'{}' is no version", options.version), "such as 1.0.3");
    if (!options.licence.empty() && (!isPlain(options.licence, ".-+() ") || !isLicenceExpression(options.licence)))
        return usage(fmt::format("'{}' is no licence", options.licence),
                     "an SPDX expression such as Apache-2.0, MIT OR BSD-3-Clause, or LicenseRef-NAME");
    for (const auto& [name, range] : options.symbols)
        if (range.least < 0 || range.usual < range.least || (range.most && *range.most < range.usual))
            return usage(fmt::format("the sizes of '{}' are none", name), "NAME=LEAST..MOST:USUAL, such as n=1..64:8");
    if (options.form != BundleForm::CSource && options.compile.weights != codegen::CWeights::Auto)
        return usage("weights of their own are of C source", "leave out compile.weights, or use the form c");
    if (options.cases < 0 || options.cases > 1000)
        return usage("so many golden cases cannot be", "from 0 to 1000");
    return {};
}

} // namespace lathe::deploy
