// SPDX-License-Identifier: Apache-2.0
#include "driver/passes.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <utility>

namespace lathe::driver {
namespace {

constexpr bool required = true, optional = false, exactOverReals = true;

constexpr Pass graphPasses[] = {
    {"import", Stage::Import, required},
    {"inline functions", Stage::Relay, required},
    {"simplify inference", Stage::Relay, optional},
    {"dead code", Stage::Relay, optional},
    {"fold constants", Stage::Relay, optional},
    {"common subexpressions", Stage::Relay, optional},
    {"sink transposes", Stage::Relay, optional},
    {"simplify arithmetic", Stage::Relay, optional},
    {"fold scale", Stage::Relay, optional, exactOverReals},
    {"canonical forms", Stage::Relay, required},
    {"choose variants", Stage::Relay, optional, exactOverReals},
    {"choose layouts", Stage::Relay, optional},
    {"fold constants again", Stage::Relay, optional},
    {"dead code again", Stage::Relay, optional},
    {"fuse", Stage::Relay, optional},
    {"primitive functions", Stage::Relay, required},
    {"make kernels", Stage::Lower, required},
};

constexpr Pass codePasses[] = {
    {"generate code", Stage::Codegen, required}, {"make entry", Stage::Lower, required},
    {"compile entry", Stage::Codegen, required}, {"link", Stage::Codegen, required},
    {"write", Stage::Codegen, required},
};

std::vector<Pass> allPasses() {
    std::vector<Pass> all(std::begin(graphPasses), std::end(graphPasses));
    for (const lower::KernelPass& pass : lower::pipelineOf(lower::CodeKind::Native))
        all.push_back({pass.name, Stage::Tir, pass.required});
    all.insert(all.end(), std::begin(codePasses), std::end(codePasses));
    return all;
}

} // namespace

lower::CodeKind codeKindOf(const Options& options) {
    return options.form == Form::CSource ? lower::CodeKind::CSource : lower::CodeKind::Native;
}

std::span<const Pass> pipeline() {
    static const std::vector<Pass> all = allPasses();
    return all;
}

namespace {

constexpr std::pair<GraphPlace, std::string_view> graphPlaces[] = {{GraphPlace::Imported, "inline functions"},
                                                                   {GraphPlace::Simplified, "fold scale"},
                                                                   {GraphPlace::Canonical, "canonical forms"},
                                                                   {GraphPlace::Fused, "fuse"}};

/// Those of plugins that stand behind one of Lathe's own.
void addBehind(std::string_view pass, const Extensions& extensions, std::vector<Pass>& all) {
    for (const auto& [place, behind] : graphPlaces)
        for (const PassRow& row : extensions.passes)
            if (behind == pass && row.place == place)
                all.push_back({row.name, Stage::Relay, optional, row.exactOverReals, pluginOf(row.name)});
    const auto addKernelPasses = [&](lower::KernelPlace place) {
        for (const lower::AddedKernelPass& row : extensions.kernelPasses)
            if (row.place == place)
                all.push_back({row.name, Stage::Tir, optional, false, pluginOf(row.name)});
    };
    if (pass == "make kernels")
        addKernelPasses(lower::KernelPlace::Computation);
    for (const lower::KernelPass& own : lower::pipelineOf(lower::CodeKind::Native))
        if (own.name == pass && own.opens)
            addKernelPasses(*own.opens);
}

} // namespace

std::vector<Pass> pipelineWith(const Extensions* extensions) {
    std::vector<Pass> all;
    for (const Pass& pass : pipeline()) {
        all.push_back(pass);
        if (extensions)
            addBehind(pass.name, *extensions, all);
    }
    return all;
}

int ordinalOf(std::string_view pass, const Extensions* extensions) {
    int ordinal = 0;
    for (const bool isAdded : {false, true})
        for (const Pass& each : pipelineWith(extensions)) {
            if (each.required || each.plugin.empty() == isAdded)
                continue;
            if (each.name == pass)
                return ordinal;
            ++ordinal;
        }
    return ordinal;
}

Result<void> requirePlugins(const Decisions& decisions, const Extensions* extensions) {
    std::set<std::string> off = decisions.skipPasses;
    for (const auto& [workload, passes] : decisions.skipIn)
        off.insert(passes.begin(), passes.end());
    const std::vector<Pass> all = pipelineWith(extensions);
    for (const std::string& pass : off)
        if (!pluginOf(pass).empty() && std::ranges::find(all, pass, &Pass::name) == all.end())
            return failure(
                fmt::format("the pass '{}' is decided to be off, but plugin {} is not there or has none such", pass,
                            pluginOf(pass)),
                "install the plugin, or leave the decision out");
    const auto variants = variantsOf(extensions);
    for (const VariantDecision& decided : decisions.variants)
        if (!pluginOf(decided.variant).empty() &&
            std::ranges::find(variants, decided.variant, &relay::choose::VariantRow::name) == variants.end())
            return failure(
                fmt::format("the variant '{}' is decided for node '{}', but plugin {} is not there or has none "
                            "such",
                            decided.variant, decided.of.node, pluginOf(decided.variant)),
                "install the plugin, or leave the decision out");
    return {};
}

const std::vector<std::string>& optionalPasses() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> found;
        for (const Pass& pass : pipeline())
            if (!pass.required)
                found.emplace_back(pass.name);
        return found;
    }();
    return names;
}

bool isEnabled(const Pass& pass, const Decisions& decisions, const Options& options) {
    if (pass.required)
        return true;
    if (pass.plugin.empty() && pass.stage == Stage::Tir &&
        std::ranges::none_of(lower::pipelineOf(codeKindOf(options)),
                             [&](const auto& of) { return of.name == pass.name; }))
        return false;
    if (decisions.skipPasses.contains(std::string(pass.name)) ||
        (pass.exactOverReals && options.numerics == NumericsLevel::Strict))
        return false;
    return decisions.optionalLimit < 0 || ordinalOf(pass.name, options.extensions.get()) < decisions.optionalLimit;
}

std::vector<PassRecord> plannedPasses(const Decisions& decisions, const Options& options) {
    std::vector<PassRecord> records;
    for (const Pass& pass : pipelineWith(options.extensions.get())) {
        PassRecord& record = records.emplace_back();
        record.name = pass.name;
        record.plugin = pass.plugin;
        record.stage = pass.stage;
        record.required = pass.required;
        record.enabled = isEnabled(pass, decisions, options);
    }
    return records;
}

} // namespace lathe::driver
