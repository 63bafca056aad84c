// SPDX-License-Identifier: Apache-2.0
//
// The passes over the graph, top to bottom. Each is a function from a module to a module; those that choose take what
// is decided and leave a record of what they chose.
#include "driver/graph_passes.h"

#include "base/machine_model.h"
#include "driver/passes.h"
#include "driver/removed_nodes.h"
#include "relay/choose/choose_layouts.h"
#include "relay/choose/choose_variants.h"
#include "relay/transform/canonicalize.h"
#include "relay/transform/common_subexpressions.h"
#include "relay/transform/dead_code.h"
#include "relay/transform/fold_constants.h"
#include "relay/transform/fold_scale.h"
#include "relay/transform/fuse.h"
#include "relay/transform/inline_functions.h"
#include "relay/transform/observe.h"
#include "relay/transform/simplify_arithmetic.h"
#include "relay/transform/simplify_inference.h"
#include "relay/transform/sink_transposes.h"
#include "relay/verify.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace lathe::driver {
namespace {

using relay::Module;
namespace transform = relay::transform;

/// Fails where a plugin's variant was taken and the graph is none that can be.
Result<void> verifyAdded(const relay::choose::Varied& made) {
    const auto added =
        std::ranges::find_if(made.choices, [](const auto& each) { return !pluginOf(each.name).empty(); });
    if (added == made.choices.end())
        return {};
    if (const auto verified = relay::verify(made.module); !verified)
        return failure(
            fmt::format("the variant '{}' makes a graph that cannot be: {}", added->name, verified.error().what),
            "switch the plugin off, and tell who made it");
    return {};
}

Result<Module> vary(const Module& module, const Options& options, const std::vector<VariantDecision>& decided,
                    NotOffered* notOffered, Trace& trace) {
    const MachineModel machine = machineModel(options.target, 1, {.bytesPerMultiplyAdd = options.bytesPerMultiplyAdd});
    const auto added = variantsOf(options.extensions.get());
    relay::choose::Varied made = relay::choose::chooseVariants(module, machine, {}, added);
    if (!decided.empty()) {
        LATHE_TRY(const auto pins, resolve(decided, made.choices, *trace.graph, *module.spans, notOffered));
        made = relay::choose::chooseVariants(module, machine, pins, added);
    }
    LATHE_CHECKED(verifyAdded(made));
    trace.variants = recordsOf(made.choices, *trace.graph, *module.spans);
    return std::move(made.module);
}

Result<Module> layOut(const Module& module, const Target& target, const std::vector<LayoutDecision>& decided,
                      NotOffered* notOffered, Trace& trace) {
    relay::choose::LaidOut made = relay::choose::chooseLayouts(module, target);
    relay::choose::LayoutPins pins;
    for (const relay::choose::StoredPart part :
         {relay::choose::StoredPart::Blocks, relay::choose::StoredPart::Panels}) { // panels follow blocks
        LATHE_CHECKED(resolve(decided, part, made.choices, *trace.graph, *module.spans, pins, notOffered));
        if (!decided.empty())
            made = relay::choose::chooseLayouts(module, target, pins);
    }
    trace.layouts = recordsOf(made.choices, *trace.graph, *module.spans);
    return std::move(made.module);
}

Result<Module> fuse(const Module& module, const std::vector<ApartDecision>& decided, NotOffered* notOffered,
                    Trace& trace) {
    transform::Fused made = transform::fuse(module);
    if (!decided.empty()) {
        transform::FuseOptions options;
        LATHE_TRY(options.apart, resolve(decided, made, *trace.graph, *module.spans, notOffered));
        made = transform::fuse(module, options);
    }
    trace.fusion = recordOf(made, *trace.graph, *module.spans);
    return std::move(made.module);
}

/// A pass of a plugin. Fails if it changes what it may only look at.
Result<Module> runAdded(const PassRow& row, const Module& module) {
    Result<Module> made = row.run(module);
    if (made && row.place == GraphPlace::Fused && made->functions != module.functions)
        return failure(fmt::format("the pass '{}' changes the graph behind fusion, where it may only look", row.name),
                       "switch the plugin off, and tell who made it");
    return made;
}

/// Says what was decided that the target does not offer.
void noteNotOffered(const NotOffered& notOffered, const Target& target, Trace& trace) {
    if (notOffered.empty())
        return;
    Diagnostic note = error(
        fmt::format("{} of the decided choices {} left out, which {} does not offer: {}{}", notOffered.size(),
                    notOffered.size() == 1 ? "is" : "are", target.cpu, notOffered.front(),
                    notOffered.size() == 1 ? std::string() : fmt::format(", and {} more", notOffered.size() - 1)));
    note.severity = Severity::Note;
    trace.diagnostics.push_back(std::move(note));
}

/// Fails if choices are decided of a pass that is off.
Result<void> requireChoosing(const Decisions& decisions, PassHook& hook) {
    for (const auto& [decided, name] :
         {std::pair(!decisions.variants.empty(), "choose variants"),
          std::pair(!decisions.layouts.empty(), "choose layouts"), std::pair(!decisions.apart.empty(), "fuse")})
        if (decided && !hook.recordOf(name).ran)
            return failure(fmt::format("choices are decided, but the pass '{}' is off", name));
    return {};
}

} // namespace

Result<ModulePtr> runGraphPasses(ModulePtr module, const Decisions& decisions, const Options& options,
                                 relay::Evaluator& evaluator, Budget& budget, PassHook& hook, Trace& trace) {
    std::set<int32_t> nodes = nodesOf(*module);
    auto pass = [&](std::string_view name, const std::function<Result<Module>(const Module&)>& fn) -> Result<void> {
        LATHE_TRY(ModulePtr after, hook.run(name, module, fn));
        if (after == module)
            return {};
        std::set<int32_t> left = nodesOf(*after);
        noteRemoved(nodes, left, std::string(name), trace);
        nodes = std::move(left);
        module = std::move(after);
        return {};
    };
    // What plugins add at a place of the pipeline.
    const auto places = [&](GraphPlace place) -> Result<void> {
        if (!options.extensions)
            return {};
        for (const PassRow& row : options.extensions->passes)
            if (row.place == place)
                LATHE_CHECKED(pass(row.name, [&](const Module& m) { return runAdded(row, m); }));
        return {};
    };
    NotOffered misfits;
    NotOffered* const notOffered = options.offeredAlone ? &misfits : nullptr;
    const bool exact = options.numerics == NumericsLevel::Strict;

    // One function, first-order.
    LATHE_CHECKED(pass("inline functions", [](const Module& m) { return transform::inlineFunctions(m); }));
    LATHE_CHECKED(places(GraphPlace::Imported));
    // What inference does not need.
    LATHE_CHECKED(pass("simplify inference", [](const Module& m) { return transform::simplifyInference(m); }));
    LATHE_CHECKED(pass("dead code", [](const Module& m) { return transform::deadCode(m); }));
    LATHE_CHECKED(
        pass("fold constants", [&](const Module& m) { return transform::foldConstants(m, evaluator, budget); }));
    LATHE_CHECKED(pass("common subexpressions", [](const Module& m) { return transform::commonSubexpressions(m); }));
    // From here on what is left of another order of axes stands where it is moved least.
    LATHE_CHECKED(pass("sink transposes", [&](const Module& m) { return transform::sinkTransposes(m, exact); }));
    LATHE_CHECKED(
        pass("simplify arithmetic", [&](const Module& m) { return transform::simplifyArithmetic(m, exact); }));
    LATHE_CHECKED(pass("fold scale", [](const Module& m) { return transform::foldScale(m); }));
    LATHE_CHECKED(places(GraphPlace::Simplified));
    LATHE_CHECKED(pass("canonical forms", [](const Module& m) { return transform::canonicalize(m); }));
    LATHE_CHECKED(places(GraphPlace::Canonical));
    LATHE_CHECKED(pass("choose variants",
                       [&](const Module& m) { return vary(m, options, decisions.variants, notOffered, trace); }));
    LATHE_CHECKED(pass("choose layouts", [&](const Module& m) {
        return layOut(m, options.target, decisions.layouts, notOffered, trace);
    }));
    LATHE_CHECKED(
        pass("fold constants again", [&](const Module& m) { return transform::foldConstants(m, evaluator, budget); }));
    // Weights that were folded or laid out anew are read by nothing any more: they would be written beside their new
    // forms.
    LATHE_CHECKED(pass("dead code again", [](const Module& m) { return transform::deadCode(m); }));
    LATHE_CHECKED(pass("fuse", [&](const Module& m) { return fuse(m, decisions.apart, notOffered, trace); }));
    LATHE_CHECKED(places(GraphPlace::Fused));
    noteNotOffered(misfits, options.target, trace);
    LATHE_CHECKED(requireChoosing(decisions, hook));
    // From here on every operator stands in a primitive function: those too that give observed values in the model's
    // order.
    LATHE_CHECKED(pass("primitive functions", [&](const Module& m) {
        return transform::fuse(transform::observe(m, options.observe), {.maxOps = 1}).module;
    }));
    return module;
}

} // namespace lathe::driver
