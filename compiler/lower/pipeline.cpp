// SPDX-License-Identifier: Apache-2.0
//
// The straight function.
#include "lower/pipeline.h"

#include "tir/structure.h"
#include "tir/text.h"
#include "tir/transform/bind_indices.h"
#include "tir/transform/branch_on_selects.h"
#include "tir/transform/flatten_buffers.h"
#include "tir/transform/hoist_conditions.h"
#include "tir/transform/legalize_data_types.h"
#include "tir/transform/lower_blocks.h"
#include "tir/transform/number_checks.h"
#include "tir/transform/parallel_regions.h"
#include "tir/transform/partition_loops.h"
#include "tir/transform/simplify.h"
#include "tir/transform/unroll_loops.h"
#include "tir/transform/vectorize_loops.h"
#include "tir/verify.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>

namespace lathe::lower {
namespace {

using tir::PrimFuncPtr;

/// Runs passes of the list, in its order: one that stands elsewhere in the list than in the function is a bug.
class Stages {
public:
    Stages(const KernelHook& hook, PrimFuncPtr function) : hook_(hook), function_(std::move(function)) {}

    template <class Fn>
    void run(std::string_view name, Fn fn) {
        next_ = std::find_if(next_, std::end(kernelPasses), [&](const KernelPass& pass) { return pass.name == name; });
        LATHE_ASSERT(next_ != std::end(kernelPasses), fmt::format("pass '{}' stands in the list, in order", name));
        const KernelPass& pass = *next_++;
        if (!pass.required && hook_.enabled && !hook_.enabled(name))
            return;
        if (hook_.checkpoint)
            hook_.checkpoint();
        auto start = std::chrono::steady_clock::now();
        function_ = fn(function_);
        double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
        if (hook_.done)
            hook_.done(name, function_, ms);
        if (hook_.verify)
            if (auto verified = tir::verify(*function_, pass.level); !verified)
                throw InternalError(
                    fmt::format("after pass '{}' on {}: {}", name, function_->name, toString(verified.error())));
    }
    const PrimFuncPtr& function() const { return function_; }

private:
    const KernelHook& hook_;
    PrimFuncPtr function_;
    const KernelPass* next_ = std::begin(kernelPasses);
};

} // namespace

Result<void> lowerKernel(Kernel& kernel, const Target& target, const ScheduleDecisions& decisions,
                         const KernelHook& hook) {
    Stages stages(hook, kernel.computation);
    Result<void> followed = decisions.empty() || isRecorded(decisions.from)
                                ? Result<void>{}
                                : failure(fmt::format("{} gets no schedule, so none can be decided", kernel.name));
    if (kernel.schedulable)
        stages.run("schedule", [&](const PrimFuncPtr& function) {
            Result<ScheduledKernel> made = scheduleKernel(function, target, decisions);
            followed = made ? Result<void>{} : Failure(made.error());
            if (!made)
                return function;
            kernel.schedule = std::move(made->schedule);
            return tir::unlessIdentical(function, made->function);
        });
    LATHE_CHECKED(followed);
    // No schedule primitive from here on.
    stages.run("lower blocks", tir::lowerBlocks);
    stages.run("number checks", tir::numberChecks);
    for (const tir::CheckEntry& check : tir::checksOf(*stages.function()))
        kernel.checks.push_back({check.kind, check.origin, check.message});
    // From here on an access has one index.
    stages.run("flatten buffers", [&](const PrimFuncPtr& function) {
        tir::Flattened flattened = tir::flattenBuffers(function);
        kernel.workspaceBytes = flattened.workspaceBytes;
        return flattened.function;
    });
    const auto within = [&](PrimFuncPtr (*pass)(const PrimFuncPtr&, const tir::Checkpoint&)) {
        return [pass, &hook](const PrimFuncPtr& function) { return pass(function, hook.checkpoint); };
    };
    stages.run("simplify", within(tir::simplify));
    stages.run("bind indices", tir::bindIndices);
    stages.run("branch on selects", within(tir::branchOnSelects));
    stages.run("partition loops", within(tir::partitionLoops));
    stages.run("vectorize", [&](const PrimFuncPtr& function) {
        return tir::vectorizeLoops(function, hook.checkpoint, target.lanes(types::Float32.bits));
    });
    stages.run("unroll", within(tir::unrollLoops));
    stages.run("hoist conditions", [](const PrimFuncPtr& function) { return tir::hoistConditions(function); });
    stages.run("simplify again", within(tir::simplify));
    // From here on each iteration of a parallel loop is a task.
    stages.run("parallel regions", tir::parallelRegions);
    // From here on types are those of the target.
    stages.run("legalize data types",
               [&](const PrimFuncPtr& function) { return tir::legalizeDataTypes(function, target); });
    kernel.lowered = stages.function();
    return {};
}

PrimFuncPtr lowerEntry(const PrimFuncPtr& entry, const Target& target, const KernelHook& hook) {
    Stages stages(hook, entry);
    stages.run("number checks", tir::numberChecks);
    stages.run("flatten buffers", [](const PrimFuncPtr& function) { return tir::flattenBuffers(function).function; });
    stages.run("legalize data types",
               [&](const PrimFuncPtr& function) { return tir::legalizeDataTypes(function, target); });
    return stages.function();
}

} // namespace lathe::lower
