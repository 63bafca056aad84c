// SPDX-License-Identifier: Apache-2.0
#include "inspect/loop_costs.h"

#include "arith/analysis.h"

#include <algorithm>
#include <unordered_map>

namespace lathe::inspect {

tir::PrimFuncPtr nestOf(const driver::KernelRecord& kernel) {
    const auto& stages = kernel.stages;
    if (stages.empty())
        return nullptr;
    const auto schedule = std::ranges::find(stages, "schedule", [](const auto& stage) { return stage.first; });
    return schedule == stages.end() ? stages.front().second : schedule->second;
}

lower::LoopCost loopCosts(const driver::Trace& trace, int call, const driver::Shapes& shapes) {
    const driver::CallRecord& record = trace.calls[static_cast<size_t>(call)];
    const auto kernel = std::ranges::find(trace.kernels, record.kernel, &driver::KernelRecord::name);
    const tir::PrimFuncPtr nest = kernel == trace.kernels.end() ? nullptr : nestOf(*kernel);
    if (!nest)
        return {};
    std::unordered_map<const arith::ExprNode*, int64_t> symbols, sizes;
    if (!trace.passes.empty() && trace.passes.front().after)
        symbols = symbolValues(trace.passes.front().after->main(), shapes);
    size_t next = 0;
    for (const tir::Param& param : nest->params)
        if (!param.buffer && next < record.scalars.size())
            if (const auto value = arith::evaluate(record.scalars[next++], symbols))
                sizes[param.scalar.get()] = *value;
    return lower::loopCosts(*nest, sizes);
}

} // namespace lathe::inspect
