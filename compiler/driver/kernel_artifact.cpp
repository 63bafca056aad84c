// SPDX-License-Identifier: Apache-2.0
#include "driver/kernel_artifact.h"

#include "bundle/artifact.h"
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

ModelTables tablesOf(const lower::Kernel& kernel, const lower::BenchEntry& entry, const tir::PrimFunc& lowered,
                     const Target& target) {
    ModelTables tables = beginTables(kernel.name, std::span(&kernel, 1), lowered, target, {});
    for (const tir::BufferPtr& input : entry.inputs)
        tables.inputs.push_back(valueOf(*input, false, tables.symbols));
    tables.inputs.push_back(
        {std::string(lower::benchPlanInput), types::Int64, {static_cast<int64_t>(1 + kernel.scalars.size())}});
    for (const tir::BufferPtr& output : entry.outputs)
        tables.outputs.push_back(valueOf(*output, true, tables.symbols));
    tables.calls.push_back({kernel.name, 0, {}, 0, 0});
    return tables;
}

} // namespace

Result<KernelRecord> writeKernelArtifact(const tir::PrimFuncPtr& computation, bool schedulable,
                                         const Decisions& decisions, const Options& options,
                                         const std::filesystem::path& path) {
    lower::Kernel kernel;
    kernel.name = computation->name;
    kernel.computation = computation;
    kernel.schedulable = schedulable;
    for (const tir::Param& param : computation->params)
        if (!param.buffer)
            kernel.scalars.push_back(param.scalar);
    Options withCode = options;
    withCode.emitCode = true;
    // The same hook as around a whole compilation decides which passes run.
    Trace trace;
    const Progress progress;
    PassHook hook(decisions, withCode, trace, progress);
    KernelRecord& record = trace.kernels.emplace_back(recordOf(kernel, options.target));
    KernelCache cache(options.cache);
    std::vector<std::vector<std::byte>> objects(1);
    LATHE_TRY(objects.front(), compileKernel(kernel, withCode, decisions, cache, hook.forKernel(0), record));
    const lower::BenchEntry entry = lower::makeBenchEntry(kernel);
    const auto tablesFor = [&](const tir::PrimFunc& lowered) {
        return tablesOf(kernel, entry, lowered, options.target);
    };
    LATHE_CHECKED(compileEntry(entry.function, tablesFor, options, {}, objects));
    LATHE_TRY(std::vector<std::byte> shared, codegen::linkShared(objects, {"lathe_model"}));
    LATHE_CHECKED(bundle::writeArtifact(path, shared, {}));
    return std::move(record);
}

} // namespace lathe::driver
