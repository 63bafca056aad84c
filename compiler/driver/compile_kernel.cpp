// SPDX-License-Identifier: Apache-2.0
#include "driver/compile_kernel.h"

#include "codegen/codegen.h"
#include "lower/workload.h"

#include <chrono>

namespace lathe::driver {
namespace {

Result<std::vector<std::byte>> makeObject(const tir::PrimFunc& lowered, const Target& target, KernelCache& cache,
                                          const lower::KernelHook& hook, bool& cached) {
    const std::string key = cache.key(lowered, target);
    if (auto object = cache.find(key)) {
        cached = true;
        return std::move(*object);
    }
    LATHE_TRY(codegen::KernelCode code, codegen::compileFunction(lowered, {target, false, hook.checkpoint}));
    cache.store(key, code.object);
    return std::move(code.object);
}

} // namespace

KernelRecord nameKernel(lower::Kernel& kernel, const std::string& name, const Target& target) {
    auto named = std::make_shared<tir::PrimFunc>(*kernel.computation);
    named->name = kernel.name = name;
    kernel.computation = std::move(named);
    KernelRecord record;
    record.name = name;
    record.schedulable = kernel.schedulable;
    record.workload = toString(lower::workloadOf(*kernel.computation, target));
    record.stages.emplace_back("computation", kernel.computation);
    return record;
}

Result<std::vector<std::byte>> compileKernel(lower::Kernel& kernel, const Options& options, const Decisions& decisions,
                                             KernelCache& cache, const lower::KernelHook& hook, KernelRecord& record) {
    static const lower::ScheduleDecisions none;
    const auto decided = decisions.kernels.find(record.workload);
    LATHE_CHECKED(
        lower::lowerKernel(kernel, options.target, decided == decisions.kernels.end() ? none : decided->second, hook));
    record.schedule = kernel.schedule;
    record.listing = [lowered = kernel.lowered, target = options.target] { return listingOf(lowered, target); };
    if (!options.emitCode)
        return std::vector<std::byte>{};
    const auto start = std::chrono::steady_clock::now();
    auto object = makeObject(*kernel.lowered, options.target, cache, hook, record.cached);
    record.codeMs = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return object;
}

} // namespace lathe::driver
