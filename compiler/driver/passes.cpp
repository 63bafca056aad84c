// SPDX-License-Identifier: Apache-2.0
#include "driver/passes.h"

#include <algorithm>

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
    if (pass.stage == Stage::Tir && std::ranges::none_of(lower::pipelineOf(codeKindOf(options)),
                                                         [&](const auto& of) { return of.name == pass.name; }))
        return false;
    if (decisions.skipPasses.contains(std::string(pass.name)) ||
        (pass.exactOverReals && options.numerics == NumericsLevel::Strict))
        return false;
    const std::vector<std::string>& all = optionalPasses();
    return decisions.optionalLimit < 0 || std::ranges::find(all, pass.name) - all.begin() < decisions.optionalLimit;
}

std::vector<PassRecord> plannedPasses(const Decisions& decisions, const Options& options) {
    std::vector<PassRecord> records;
    for (const Pass& pass : pipeline()) {
        PassRecord& record = records.emplace_back();
        record.name = pass.name;
        record.stage = pass.stage;
        record.required = pass.required;
        record.enabled = isEnabled(pass, decisions, options);
    }
    return records;
}

} // namespace lathe::driver
