// SPDX-License-Identifier: Apache-2.0
//
// The pipeline, top to bottom.
#include "driver/compile.h"

#include "artifact/artifact.h"
#include "base/guarded.h"
#include "driver/build.h"
#include "driver/c_source.h"
#include "driver/evaluator.h"
#include "driver/passes.h"
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
#include "relay/visit.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <unordered_set>

namespace lathe::driver {
namespace {

using relay::Module;
namespace transform = relay::transform;

/// Of the sizes that are fixed at need those that are asked for together with names.
Shapes sizesBesideNames(const Options& options) {
    Shapes sizes;
    for (const auto& shape : options.shapesAtNeed)
        if (std::ranges::find(options.sizeNames, shape.first, &model::SizeNames::value_type::first) !=
            options.sizeNames.end())
            sizes.push_back(shape);
    return sizes;
}

Result<std::shared_ptr<Module>> runImport(const ModelSource& source, relay::Evaluator& evaluator,
                                          const std::shared_ptr<Budget>& budget, const Options& options, PassHook& hook,
                                          Trace& trace) {
    return hook.step("import", [&]() -> Result<std::shared_ptr<Module>> {
        if (options.extensions)
            LATHE_CHECKED(checkExtensions(*options.extensions));
        frontend::Options importOptions{.symbols = options.symbols,
                                        .shapes = options.shapes,
                                        .sizeNames = options.sizeNames,
                                        .sizesBesideNames = sizesBesideNames(options),
                                        .added = operatorsOf(options.extensions),
                                        .budget = budget};
        const Budget::Amounts before = budget->left();
        const auto importFixed = [&](frontend::Imported refused, const Shapes& needed) {
            importOptions.shapes.insert(importOptions.shapes.end(), needed.begin(), needed.end());
            frontend::Imported fixed = source.import(&evaluator, importOptions);
            trace.fixedAtNeed = fixed.module != nullptr;
            const auto why = std::ranges::find(refused.diagnostics, Severity::Error, &Diagnostic::severity);
            if (fixed.module && why != refused.diagnostics.end()) {
                Diagnostic note = *why;
                note.severity = Severity::Note;
                note.what = "compiled for the given sizes alone, since without them " + note.what;
                note.hint.clear();
                fixed.diagnostics.push_back(std::move(note));
            }
            return fixed;
        };
        frontend::Imported imported = source.import(&evaluator, importOptions);
        if (!imported.module && imported.graph && !(options.shapesAtNeed.empty() && options.inputsAtNeed.empty())) {
            if (const auto given = shapesOf(options.inputsAtNeed, *imported.graph)) {
                budget->reset(before);
                imported = importFixed(std::move(imported), shapesOfRun(options.shapesAtNeed, *given));
            } else {
                // A node that is not supported mostly is not at any sizes: then what is wrong with the data comes second.
                const bool ofNode = std::ranges::any_of(imported.diagnostics, [](const Diagnostic& reason) {
                    return reason.kind == ErrorKind::Unsupported && reason.nodeId >= 0;
                });
                imported.diagnostics.insert(ofNode ? imported.diagnostics.end() : imported.diagnostics.begin(),
                                            given.error());
            }
        }
        if (!imported.graph && artifact::partsOf(source.name))
            return failure(
                ErrorKind::Usage, "this is an artifact, compiled already",
                "name the model that it was made of; what takes artifacts is lathe run, profile, bench and diff");
        trace.graph = imported.graph;
        trace.files.clear();
        for (const auto& [file, identity] : imported.files)
            trace.files.push_back(file);
        trace.diagnostics.insert(trace.diagnostics.end(), imported.diagnostics.begin(), imported.diagnostics.end());
        PassRecord& record = hook.recordOf("import");
        record.after = imported.module;
        record.changed = imported.module != nullptr;
        record.diagnostics = imported.diagnostics;
        if (imported.module) {
            record.bindings = countBindings(*imported.module);
            return imported.module;
        }
        for (const Diagnostic& diagnostic : imported.diagnostics)
            if (diagnostic.severity == Severity::Error)
                return Failure(diagnostic);
        return failure(fmt::format("'{}' could not be imported", source.name));
    });
}

std::set<int32_t> nodesOf(const Module& module) {
    std::set<int32_t> nodes;
    relay::visitBindings(module, [&](const relay::Binding& binding) {
        if (binding.as<relay::MakeTuple>()) // computes nothing; that of the results has the Spans of all
            return;
        const auto& ids = module.spans->ids(binding.span);
        nodes.insert(ids.begin(), ids.end());
    });
    return nodes;
}

/// Model nodes that stood in a binding before a step, but stand nowhere after it.
void noteRemoved(const std::set<int32_t>& before, const std::set<int32_t>& after, const std::string& pass,
                 Trace& trace) {
    for (int32_t node : before)
        if (!after.contains(node))
            trace.removed.push_back({node, pass});
}

std::set<int32_t> allNodes(const model::ModelGraph& graph) {
    std::set<int32_t> nodes;
    for (const model::Node* node : graph.nodes)
        if (node)
            nodes.insert(node->id);
    return nodes;
}

/// Nodes that code was made for. Branches and loops are the entry's own; views, and values that the entry knows, are none.
std::set<int32_t> nodesWithCode(const Module& module, const Trace& trace) {
    std::set<int32_t> code;
    const auto add = [&](model::Span span) {
        const auto& ids = module.spans->ids(span);
        code.insert(ids.begin(), ids.end());
    };
    for (const CallRecord& call : trace.calls)
        for (const model::Span span : call.origins)
            add(span);
    relay::visitBindings(module, [&](const relay::Binding& binding) {
        if (!relay::blocksOf(binding.rhs).empty())
            add(binding.span);
    });
    return code;
}

Result<Module> vary(const Module& module, const Options& options, const std::vector<VariantDecision>& decided,
                    NotOffered* notOffered, Trace& trace) {
    const MachineModel machine = machineModel(options.target, 1, {.bytesPerMultiplyAdd = options.bytesPerMultiplyAdd});
    relay::choose::Varied made = relay::choose::chooseVariants(module, machine);
    if (!decided.empty()) {
        LATHE_TRY(const auto pins, resolve(decided, made.choices, *trace.graph, *module.spans, notOffered));
        made = relay::choose::chooseVariants(module, machine, pins);
    }
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

/// Of its kernels, those of constants too, as far as these were computed.
std::set<std::string> workloadsOf(const Trace& trace) {
    std::set<std::string> workloads;
    for (const auto* kernels : {&trace.kernels, &trace.constantKernels})
        for (const KernelRecord& kernel : *kernels)
            workloads.insert(kernel.workload);
    return workloads;
}

/// Fails if something is to be observed that is no value of the outermost graph.
Result<void> requireValues(const std::vector<std::string>& observe, const model::ModelGraph& graph) {
    if (observe.empty())
        return {};
    std::unordered_set<std::string_view> known;
    for (const model::Node& node : graph.graph->nodes)
        known.insert(node.outputs.begin(), node.outputs.end());
    for (const std::string& value : observe)
        if (value.empty() || !known.contains(value))
            return failure(fmt::format("'{}' is to be observed, but no node of the model gives it", value),
                           "values within branches and loops cannot be observed");
    return {};
}

/// Where an artifact's weights come to lie. Fails (kind Usage) for what it cannot have; C source decides for itself.
Result<artifact::ArtifactForm> artifactForm(const std::filesystem::path& out, const Options& options) {
    if (options.form == Form::CSource || options.weights == codegen::CWeights::Auto)
        return artifact::ArtifactForm::OneFile;
    if (options.weights == codegen::CWeights::Arrays)
        return failure(ErrorKind::Usage, "weights as arrays are of C source", "leave --weights out, or --emit c");
    if (isLibrary(out))
        return failure(ErrorKind::Usage, "a static library has its weights in it", "leave --weights out");
    return artifact::ArtifactForm::TwoFiles;
}

Result<Artifact> runPipeline(const ModelSource& source, const std::filesystem::path& out, const Decisions& decisions,
                             const Options& options, Trace& trace, const Progress& progress) {
    auto start = std::chrono::steady_clock::now();
    LATHE_TRY(const artifact::ArtifactForm form, artifactForm(out, options));
    LATHE_CHECKED(requirePlugins(decisions, options.extensions.get()));
    PassHook hook(decisions, options, trace, progress);
    const auto budget = std::make_shared<Budget>([&hook] { hook.checkCancelled(); });
    // What import gives does not depend on Decisions: a Session imports once for all of them.
    DriverEvaluator importing({.threads = options.threads, .budget = budget});
    LATHE_TRY(ModulePtr module, runImport(source, importing, budget, options, hook, trace));
    if (!out.empty())
        LATHE_CHECKED(keepsModel(out, source.name, trace));
    if (form == artifact::ArtifactForm::TwoFiles)
        LATHE_CHECKED(keepsModel(std::filesystem::path(out).replace_extension(".weights"), source.name, trace));
    LATHE_CHECKED(requireValues(options.observe, *trace.graph));
    DriverEvaluator evaluator({.threads = options.threads, .passes = decisions, .trace = &trace, .budget = budget});
    // Those that stand in the module. Import folds away shape arithmetic, constants, casts to the same type.
    std::set<int32_t> nodes = nodesOf(*module);
    noteRemoved(allNodes(*trace.graph), nodes, "import", trace);

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
        pass("fold constants", [&](const Module& m) { return transform::foldConstants(m, evaluator, *budget); }));
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
        pass("fold constants again", [&](const Module& m) { return transform::foldConstants(m, evaluator, *budget); }));
    // Weights that were folded or laid out anew are read by nothing any more: they would be written beside their new forms.
    LATHE_CHECKED(pass("dead code again", [](const Module& m) { return transform::deadCode(m); }));
    LATHE_CHECKED(pass("fuse", [&](const Module& m) { return fuse(m, decisions.apart, notOffered, trace); }));
    LATHE_CHECKED(places(GraphPlace::Fused));
    noteNotOffered(misfits, options.target, trace);
    for (const auto& [decided, name] :
         {std::pair(!decisions.variants.empty(), "choose variants"),
          std::pair(!decisions.layouts.empty(), "choose layouts"), std::pair(!decisions.apart.empty(), "fuse")})
        if (decided && !hook.recordOf(name).ran)
            return failure(fmt::format("choices are decided, but the pass '{}' is off", name));
    // From here on every operator stands in a primitive function: those too that give observed values in the model's order.
    LATHE_CHECKED(pass("primitive functions", [&](const Module& m) {
        return transform::fuse(transform::observe(m, options.observe), {.maxOps = 1}).module;
    }));

    LATHE_TRY(Built built, build(*module, trace.graph.get(), options, decisions, hook, trace));
    noteRemoved(nodes, nodesWithCode(*module, trace), "lower", trace);
    Artifact artifact;
    const auto require = [&] { return requireSkips(decisions, workloadsOf(trace)); };
    if (!out.empty() && options.emitCode) {
        LATHE_CHECKED(hook.step("write", [&] {
            if (built.source) {
                const auto mayWrite = [&](const std::filesystem::path& file) {
                    return keepsModel(file, source.name, trace);
                };
                return writeSource(built, out, *module, evaluator, *budget, options.threads, mayWrite, require);
            }
            return write(built, out, form, *module, evaluator, *budget, options.threads, require);
        }));
        artifact.path = out;
    } else {
        LATHE_CHECKED(require());
    }
    artifact.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return artifact;
}

/// Every failure names the file and stands in the trace.
template <class Fn>
auto recorded(const std::string& name, Trace& trace, Fn fn) -> decltype(fn()) {
    auto result = guarded(fn);
    if (result)
        return result;
    Diagnostic found = std::move(result).error();
    if (found.file.empty())
        found.file = name;
    if (std::find(trace.diagnostics.begin(), trace.diagnostics.end(), found) == trace.diagnostics.end())
        trace.diagnostics.push_back(found);
    return Failure(std::move(found));
}

ModelSource fileSource(const std::filesystem::path& model) {
    return {model.string(), [model](relay::Evaluator* evaluator, const frontend::Options& options) {
                return frontend::importFile(model, evaluator, options);
            }};
}

} // namespace

Result<Artifact> compile(const ModelSource& model, const std::filesystem::path& out, const Decisions& decisions,
                         const Options& options, Trace& trace, const Progress& progress) {
    return recorded(model.name, trace, [&] { return runPipeline(model, out, decisions, options, trace, progress); });
}

Result<Artifact> compileFile(const std::filesystem::path& model, const std::filesystem::path& out,
                             const Decisions& decisions, const Options& options, Trace& trace,
                             const Progress& progress) {
    return compile(fileSource(model), out, decisions, options, trace, progress);
}

Result<Artifact> compileBytes(std::span<const std::byte> bytes, const std::string& name,
                              const std::filesystem::path& out, const Decisions& decisions, const Options& options,
                              Trace& trace, const Progress& progress) {
    const ModelSource source{name, [&](relay::Evaluator* evaluator, const frontend::Options& importOptions) {
                                 return frontend::importBytes(bytes, name, {}, evaluator, importOptions);
                             }};
    return compile(source, out, decisions, options, trace, progress);
}

Result<std::shared_ptr<Module>> importModel(const ModelSource& model, const Options& options, Trace& trace,
                                            const Progress& progress) {
    return recorded(model.name, trace, [&] {
        const Decisions decisions;
        PassHook hook(decisions, options, trace, progress);
        const auto budget = std::make_shared<Budget>([&hook] { hook.checkCancelled(); });
        DriverEvaluator evaluator({.threads = options.threads, .budget = budget});
        return runImport(model, evaluator, budget, options, hook, trace);
    });
}

Result<std::shared_ptr<Module>> importFile(const std::filesystem::path& model, const Options& options, Trace& trace,
                                           const Progress& progress) {
    return importModel(fileSource(model), options, trace, progress);
}

} // namespace lathe::driver
