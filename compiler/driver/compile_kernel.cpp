// SPDX-License-Identifier: Apache-2.0
#include "driver/compile_kernel.h"

#include "codegen/codegen.h"
#include "driver/passes.h"
#include "lower/workload.h"

#include <fmt/format.h>

#include <chrono>
#include <string_view>

namespace lathe::driver {
namespace {

Result<std::vector<std::byte>> makeObject(const tir::PrimFunc& lowered, const codegen::CodegenOptions& options,
                                          KernelCache& cache, bool& cached) {
    const std::string key = cache.key(lowered, options);
    if (auto object = cache.find(key)) {
        cached = true;
        return std::move(*object);
    }
    LATHE_TRY(codegen::KernelCode code, codegen::compileFunction(lowered, options));
    cache.store(key, code.object);
    return std::move(code.object);
}

/// "fused_conv_relu" of the function "fused_conv_relu_12".
std::string_view withoutOrdinal(std::string_view name) {
    const size_t end = name.find_last_not_of("0123456789");
    const bool has = end != std::string_view::npos && end > 0 && end + 1 < name.size() && name[end] == '_';
    return has ? name.substr(0, end) : name;
}

/// What was decided of a kernel; else what is recorded.
lower::ScheduleDecisions decidedFor(const std::string& workload, const Decisions& decisions) {
    if (const auto decided = decisions.kernels.find(workload); decided != decisions.kernels.end())
        return decided->second;
    if (const auto recorded = decisions.recorded.find(workload); recorded != decisions.recorded.end())
        return {.answers = {}, .trace = recorded->second.trace, .from = recorded->second.from};
    return {};
}

} // namespace

codegen::CodegenOptions codegenOptionsOf(const Options& options) {
    return {.target = options.target, .contract = options.numerics != NumericsLevel::Strict};
}

KernelRecord recordOf(const lower::Kernel& kernel, const Target& target) {
    KernelRecord record;
    record.name = kernel.name;
    record.schedulable = kernel.schedulable;
    record.target = target;
    record.workload = toString(lower::workloadOf(*kernel.computation, target));
    record.stages.emplace_back("computation", kernel.computation);
    return record;
}

void nameKernel(lower::Kernel& kernel, KernelRecord& record, std::set<std::string>& taken) {
    const std::string name =
        fmt::format("{}_{}", withoutOrdinal(kernel.name), std::string_view(record.workload).substr(0, 8));
    record.name = name;
    for (int suffix = 2; !taken.insert(record.name).second; ++suffix)
        record.name = fmt::format("{}_{}", name, suffix);
    auto named = std::make_shared<tir::PrimFunc>(*kernel.computation);
    named->name = kernel.name = record.name;
    kernel.computation = record.stages.front().second = std::move(named);
}

Result<std::vector<std::byte>> compileKernel(lower::Kernel& kernel, const Options& options, const Decisions& decisions,
                                             KernelCache& cache, const lower::KernelHook& hook, KernelRecord& record) {
    LATHE_CHECKED(
        lower::lowerKernel(kernel, options.target, codeKindOf(options), decidedFor(record.workload, decisions), hook));
    record.schedule = kernel.schedule;
    record.extensions = options.extensions;
    codegen::CodegenOptions code = codegenOptionsOf(options);
    record.listing = [lowered = kernel.lowered, code] { return listingOf(lowered, code); };
    if (!options.emitCode || options.form == Form::CSource)
        return std::vector<std::byte>{};
    const auto start = std::chrono::steady_clock::now();
    code.checkpoint = hook.checkpoint;
    auto object = makeObject(*kernel.lowered, code, cache, record.cached);
    record.codeMs = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return object;
}

} // namespace lathe::driver
