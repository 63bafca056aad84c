// SPDX-License-Identifier: Apache-2.0
#include "driver/kernel_artifact.h"

#include "artifact/artifact.h"
#include "driver/compile_entry.h"
#include "driver/compile_kernel.h"
#include "driver/model_tables.h"
#include "driver/pass_hook.h"
#include "lower/bench_entry.h"

#include <fmt/format.h>

namespace lathe::driver {
namespace {

using codegen::ModelTables;

/// A dim over scalars is a symbol of its own: the entry holds it against the plan. Outputs have theirs while running.
ModelTables::Value valueOf(const tir::Buffer& buffer, bool output, std::vector<std::string>& symbols) {
    ModelTables::Value value{buffer.name, buffer.dtype, {}};
    for (const arith::Expr& dim : buffer.shape) {
        if (auto number = arith::asInt(dim)) {
            value.dims.push_back(*number);
        } else if (output) {
            value.dims.push_back(std::numeric_limits<int64_t>::min());
        } else {
            symbols.push_back(fmt::format("{}.{}", buffer.name, value.dims.size()));
            value.dims.push_back(-static_cast<int64_t>(symbols.size()));
        }
    }
    return value;
}

ModelTables tablesOf(std::span<const lower::Kernel> kernels, const lower::BenchEntry& entry,
                     const lower::LoweredEntry& lowered, const Options& options) {
    const lower::Kernel& first = kernels.front();
    ModelTables tables = beginTables(first.name, kernels, lowered, options, {});
    for (const tir::BufferPtr& input : entry.inputs)
        tables.inputs.push_back(valueOf(*input, false, tables.symbols));
    tables.inputs.push_back(
        {std::string(lower::benchPlanInput), types::Int64, {static_cast<int64_t>(2 + first.scalars.size())}});
    for (const tir::BufferPtr& output : entry.outputs)
        tables.outputs.push_back(valueOf(*output, true, tables.symbols));
    for (size_t i = 0; i < kernels.size(); ++i)
        tables.calls.push_back({kernels[i].name, static_cast<int>(i), {}, 0, 0});
    return tables;
}

} // namespace

Result<CompiledKernelPtr> compileKernelAlone(const tir::PrimFuncPtr& computation, const std::string& name,
                                             bool schedulable, const Decisions& decisions, const Options& options) {
    return guarded([&]() -> Result<CompiledKernelPtr> {
        auto named = std::make_shared<tir::PrimFunc>(*computation);
        named->name = name;
        CompiledKernel made;
        made.kernel.name = name;
        made.kernel.computation = named;
        made.kernel.schedulable = schedulable;
        for (const tir::Param& param : named->params)
            if (!param.buffer)
                made.kernel.scalars.push_back(param.scalar);
        Options withCode = options;
        withCode.emitCode = true;
        // The same hook as around a whole compilation decides which passes run.
        Trace trace;
        const Progress progress;
        PassHook hook(decisions, withCode, trace, progress);
        KernelRecord& record = trace.kernels.emplace_back(recordOf(made.kernel, options.target));
        KernelCache cache(options.cache);
        LATHE_TRY(made.object, compileKernel(made.kernel, withCode, decisions, cache, hook.forKernel(0), record));
        made.record = std::move(record);
        return std::make_shared<const CompiledKernel>(std::move(made));
    });
}

Result<void> writeKernelArtifact(std::span<const CompiledKernelPtr> kernels, const Options& options,
                                 const std::filesystem::path& path) {
    std::vector<lower::Kernel> lowered;
    std::vector<std::vector<std::byte>> objects;
    for (const CompiledKernelPtr& each : kernels) {
        lowered.push_back(each->kernel);
        objects.push_back(each->object);
    }
    const lower::BenchEntry entry = lower::makeBenchEntry(lowered);
    const auto tablesFor = [&](const lower::LoweredEntry& made) { return tablesOf(lowered, entry, made, options); };
    LATHE_CHECKED(compileEntry(entry.function, {}, tablesFor, options, {}, objects));
    LATHE_TRY(std::vector<std::byte> shared, codegen::linkShared(objects, {"lathe_model"}));
    return artifact::writeArtifact(path, shared, {});
}

} // namespace lathe::driver
