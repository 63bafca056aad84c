// SPDX-License-Identifier: Apache-2.0
#include "driver/kernel_artifact.h"

#include "bundle/artifact.h"
#include "codegen/codegen.h"
#include "driver/compile_kernel.h"
#include "lower/bench_entry.h"
#include "tir/transform/number_checks.h"

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

ModelTables tablesOf(const lower::Kernel& kernel, const lower::BenchEntry& entry, const tir::PrimFuncPtr& lowered,
                     const Target& target) {
    ModelTables tables;
    tables.name = kernel.name;
    tables.entry = lowered->name;
    for (const tir::BufferPtr& input : entry.inputs)
        tables.inputs.push_back(valueOf(*input, false, tables.symbols));
    tables.inputs.push_back(
        {std::string(lower::benchPlanInput), types::Int64, {static_cast<int64_t>(1 + kernel.scalars.size())}});
    for (const tir::BufferPtr& output : entry.outputs)
        tables.outputs.push_back(valueOf(*output, true, tables.symbols));
    tables.kernels.push_back({kernel.name, {}});
    for (const lower::CheckInfo& check : kernel.checks)
        tables.kernels.back().checks.push_back({static_cast<int>(check.kind), check.origin, check.message});
    tables.calls.push_back({kernel.name, 0, {}, 0, 0});
    for (const tir::CheckEntry& check : tir::checksOf(*lowered))
        tables.entryChecks.push_back({static_cast<int>(check.kind), check.origin, check.message});
    tables.metadata = fmt::format(R"({{"target":"{}"}})", toString(target));
    return tables;
}

} // namespace

Result<KernelRecord> writeKernelArtifact(const tir::PrimFuncPtr& computation, bool schedulable,
                                         const lower::ScheduleDecisions& decided, const Options& options,
                                         const std::filesystem::path& path) {
    lower::Kernel kernel;
    kernel.computation = computation;
    kernel.schedulable = schedulable;
    for (const tir::Param& param : computation->params)
        if (!param.buffer)
            kernel.scalars.push_back(param.scalar);
    KernelRecord record = nameKernel(kernel, computation->name, options.target);
    Options withCode = options;
    withCode.emitCode = true;
    Decisions decisions;
    decisions.kernels[record.workload] = decided;
    std::vector<std::vector<std::byte>> objects;
    KernelCache cache(options.cache);
    LATHE_TRY(std::vector<std::byte> code,
              compileKernel(kernel, withCode, decisions, cache, {{}, {}, options.verify}, record));
    objects.push_back(std::move(code));

    const codegen::CodegenOptions codegenOptions{options.target};
    const lower::BenchEntry entry = lower::makeBenchEntry(kernel);
    const tir::PrimFuncPtr lowered = lower::lowerEntry(entry.function, options.target, {{}, {}, options.verify});
    LATHE_TRY(codegen::KernelCode entryCode, codegen::compileFunction(*lowered, codegenOptions));
    objects.push_back(std::move(entryCode.object));
    LATHE_TRY(std::vector<std::byte> tables,
              codegen::emitModelTables(tablesOf(kernel, entry, lowered, options.target), codegenOptions));
    objects.push_back(std::move(tables));
    LATHE_TRY(std::vector<std::byte> shared, codegen::linkShared(objects, {"lathe_model"}));
    LATHE_CHECKED(bundle::writeArtifact(path, shared, {}));
    return record;
}

} // namespace lathe::driver
