// SPDX-License-Identifier: Apache-2.0
//
// The pipeline, top to bottom: import, the passes over the graph (graph_passes.cpp), kernels, entry and artifact.
#include "driver/compile.h"

#include "artifact/artifact.h"
#include "base/guarded.h"
#include "driver/build.h"
#include "driver/c_source.h"
#include "driver/evaluator.h"
#include "driver/graph_passes.h"
#include "driver/import_step.h"
#include "driver/passes.h"
#include "driver/removed_nodes.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <unordered_set>

namespace lathe::driver {
namespace {

using relay::Module;

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
    // Import folds away shape arithmetic, constants, casts to the same type.
    noteRemoved(allNodes(*trace.graph), nodesOf(*module), "import", trace);
    LATHE_TRY(module, runGraphPasses(std::move(module), decisions, options, evaluator, *budget, hook, trace));

    LATHE_TRY(Built built, build(*module, trace.graph.get(), options, decisions, hook, trace));
    noteRemoved(nodesOf(*module), nodesWithCode(*module, trace), "lower", trace);
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
