// SPDX-License-Identifier: Apache-2.0
//
// The back half of compile(), in four steps.
#include "driver/build.h"

#include "artifact/artifact.h"
#include "artifact/linked_weights.h"
#include "base/counted.h"
#include "base/memory_file.h"
#include "base/new_file.h"
#include "base/parallel.h"
#include "codegen/link.h"
#include "driver/c_source.h"
#include "driver/compile_entry.h"
#include "driver/compile_kernel.h"
#include "driver/constants.h"
#include "driver/model_tables.h"
#include "relay/element.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::driver {
namespace {

using Objects = std::vector<std::vector<std::byte>>;

/// The computations, each under the name of its symbol; a record for each.
Result<lower::Kernels> prepareKernels(const relay::Module& fused, const model::ModelGraph* graph, const Target& target,
                                      Trace& trace) {
    LATHE_TRY(lower::Kernels kernels, lower::makeKernels(fused, graph));
    trace.kernels.clear();
    std::set<std::string> names;
    for (lower::Kernel& kernel : kernels.kernels)
        nameKernel(kernel, trace.kernels.emplace_back(recordOf(kernel, target)), names);
    return kernels;
}

/// Says how many kernels records were used for, where there were some to use.
void noteRecords(const Decisions& decisions, Trace& trace) {
    if (decisions.recorded.empty())
        return;
    const auto used = std::ranges::count_if(
        trace.kernels, [](const KernelRecord& kernel) { return kernel.schedule.from == lower::ScheduleFrom::Records; });
    const auto near =
        std::ranges::count_if(trace.kernels,
                              [](const KernelRecord& kernel) { return lower::isRecorded(kernel.schedule.from); }) -
        used;
    Diagnostic note = error(fmt::format(
        "{} of {} {} recorded schedules: of the same workload, machine, threads and numerics{}", used,
        counted(trace.kernels.size(), "kernel", "kernels"), used == 1 ? "has" : "have",
        near > 0 ? fmt::format("; {} those of kernels alike, which were not measured here", near) : std::string()));
    note.severity = Severity::Note;
    trace.diagnostics.push_back(std::move(note));
}

/// Schedules, lowers and compiles all of them, in parallel: an object a kernel, empty ones where no code is wanted.
Result<Objects> compileKernels(lower::Kernels& kernels, const Options& options, const Decisions& decisions,
                               PassHook& hook, Trace& trace) {
    const size_t count = kernels.kernels.size();
    KernelCache cache(options.cache);
    Objects objects(count);
    std::vector<std::optional<Diagnostic>> errors(count);
    hook.reportKernels(0, count);
    const auto compileOne = [&](size_t i) {
        hook.checkCancelled();
        KernelRecord& record = trace.kernels[i];
        auto object = compileKernel(kernels.kernels[i], options, decisions, cache, hook.forKernel(i), record);
        if (options.emitCode)
            hook.add("generate code", record.codeMs);
        if (object)
            objects[i] = std::move(*object);
        else
            errors[i] = object.error();
    };
    parallelFor(count, options.threads, compileOne, [&](size_t finished) { hook.reportKernels(finished, count); });
    for (size_t i = 0; i < count; ++i) {
        const std::vector<Diagnostic>& warnings = trace.kernels[i].schedule.warnings;
        trace.diagnostics.insert(trace.diagnostics.end(), warnings.begin(), warnings.end());
        if (errors[i]) {
            hook.recordOf("generate code").diagnostics.push_back(*errors[i]);
            return Failure(*errors[i]);
        }
    }
    noteRecords(decisions, trace);
    return objects;
}

/// The entry and what it calls, with the Trace's records of both. The kernels must be lowered.
Result<lower::Entry> makeEntry(const relay::Module& fused, const lower::Kernels& kernels,
                               const model::ModelGraph* graph, Trace& trace) {
    LATHE_TRY(lower::Entry entry, lower::makeEntry(fused, kernels, graph));
    trace.entry = entry.function;
    trace.entryFunctions = entry.functions;
    trace.peakBytes = entry.peakBytes;
    trace.buffers = entry.buffers;
    for (const lower::Call& call : entry.calls) {
        trace.calls.push_back({call.function, kernels.kernels[static_cast<size_t>(call.kernel)].name, call.origins,
                               call.span, call.flops, call.bytes, call.scalars});
    }
    return entry;
}

/// Work and memory of one run, where they are numbers: a model whose sizes are all fixed.
void noteFigures(const Trace& trace, PassRecord& record) {
    record.peakBytes = arith::asInt(trace.peakBytes);
    double flops = 0;
    for (const CallRecord& call : trace.calls) {
        const std::optional<int64_t> known = arith::asInt(call.flops);
        if (!known)
            return;
        flops += static_cast<double>(*known);
    }
    record.flops = flops;
}

/// Where the constants lie in their part of the artifact.
std::vector<int64_t> placeConstants(const std::vector<relay::ConstantPtr>& constants) {
    std::vector<int64_t> offsets;
    artifact::ConstantLayout layout;
    for (const relay::ConstantPtr& constant : constants)
        offsets.push_back(layout.add(storedBytes(*constant)));
    return offsets;
}

Result<void> writeLibrary(const Built& built, const std::filesystem::path& path, const std::string& symbol,
                          const std::vector<artifact::ConstantSource>& constants) {
    const MemoryFile weights("lathe-weights");
    LATHE_CHECKED(artifact::writeLinkedWeights(weights.path(), built.objects.front(), symbol, constants));
    LATHE_TRY(const std::vector<std::byte> library,
              codegen::linkLibrary(built.objects, weights.path(), symbol, path.stem().string().substr(3) + ".o"));
    NewFile file(path, NewFile::Kind::Text);
    if (!file.write(library) || !file.keep())
        return Failure(file.problem());
    return {};
}

} // namespace

Result<Built> build(const relay::Module& fused, const model::ModelGraph* graph, const Options& options,
                    const Decisions& decisions, PassHook& hook, Trace& trace) {
    LATHE_TRY(lower::Kernels kernels,
              hook.step("make kernels", [&] { return prepareKernels(fused, graph, options.target, trace); }));
    std::set<std::string> workloads;
    for (const KernelRecord& record : trace.kernels)
        workloads.insert(record.workload);
    LATHE_CHECKED(requireSchedules(decisions, workloads));
    LATHE_TRY(Objects objects, compileKernels(kernels, options, decisions, hook, trace));
    LATHE_TRY(lower::Entry entry, hook.step("make entry", [&] { return makeEntry(fused, kernels, graph, trace); }));
    noteFigures(trace, hook.recordOf("make entry"));
    Built built;
    if (!options.emitCode)
        return built;
    built.offsets = placeConstants(entry.constants);
    if (options.form == Form::CSource) {
        LATHE_TRY(built.source, hook.step("compile entry", [&] {
            return makeSource(fused, graph, kernels, entry, built.offsets, options, [&hook] { hook.checkCancelled(); });
        }));
        built.constants = std::move(entry.constants);
        return built;
    }
    const relay::Module* const flat = hook.recordOf("inline functions").after.get(); // of constants there is none
    const auto tablesOf = [&](const lower::LoweredEntry& lowered) {
        return makeTables(fused, graph, kernels, entry, lowered, built.offsets, objects, options, flat);
    };
    LATHE_CHECKED(hook.step("compile entry", [&] {
        return compileEntry(
            entry.function, entry.functions, tablesOf, options, [&hook] { hook.checkCancelled(); }, objects);
    }));
    built.constants = std::move(entry.constants);
    LATHE_TRY(built.sharedObject, hook.step("link", [&] { return codegen::linkShared(objects, {"lathe_model"}); }));
    built.objects = std::move(objects);
    return built;
}

bool isLibrary(const std::filesystem::path& path) {
    return path.extension() == ".a" && path.stem().string().starts_with("lib");
}

Result<void> write(const Built& built, const std::filesystem::path& path, artifact::ArtifactForm form,
                   const relay::Module& module, relay::Evaluator& evaluator, const Budget& budget, int threads,
                   const std::function<Result<void>()>& evaluated) {
    if (built.constants.empty() && evaluated)
        LATHE_CHECKED(evaluated());
    ConstantBytes bytes(built.constants, module, evaluator, budget, threads);
    std::vector<artifact::ConstantSource> sources;
    for (size_t i = 0; i < built.constants.size(); ++i)
        sources.push_back({built.offsets[i], storedBytes(*built.constants[i]),
                           [&, last = i + 1 == built.constants.size()]() -> Result<std::span<const std::byte>> {
                               LATHE_TRY(const std::span<const std::byte> next, bytes.next());
                               if (last && evaluated)
                                   LATHE_CHECKED(evaluated());
                               return next;
                           }});
    if (isLibrary(path))
        return writeLibrary(built, path, codegen::linkedSymbol(path.stem().string().substr(3)), sources);
    return artifact::writeArtifact(path, built.sharedObject, sources, form);
}

} // namespace lathe::driver
