// SPDX-License-Identifier: Apache-2.0
//
// The passes, a row each, and the lists that are made of them.
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
#include <iterator>

namespace lathe::lower {

using tir::PrimFuncPtr;

/// What passes are told, and what they find beside the function that they give.
struct Lowering {
    const Target& target;
    const ScheduleDecisions& decisions;
    const std::function<void()>& checkpoint;
    bool schedulable = false;
    int firstCheck = 0; // the number of the first check
    KernelSchedule schedule = {};
    std::vector<CheckInfo> checks = {};
    Expr workspaceBytes = {};
};

namespace {

constexpr bool required = true, optional = false;

Result<PrimFuncPtr> makeSchedule(const PrimFuncPtr& function, Lowering& lowering) {
    LATHE_TRY(ScheduledKernel made, scheduleKernel(function, lowering.target, lowering.decisions));
    lowering.schedule = std::move(made.schedule);
    return tir::unlessIdentical(function, made.function);
}

Result<PrimFuncPtr> numberAllChecks(const PrimFuncPtr& function, Lowering& lowering) {
    PrimFuncPtr numbered = tir::numberChecks(function, lowering.firstCheck);
    const std::vector<tir::CheckEntry> checks = tir::checksOf(*numbered);
    for (auto i = static_cast<size_t>(lowering.firstCheck); i < checks.size(); ++i)
        lowering.checks.push_back({checks[i].kind, checks[i].origin, checks[i].message});
    return numbered;
}

Result<PrimFuncPtr> flatten(const PrimFuncPtr& function, Lowering& lowering) {
    tir::Flattened flattened = tir::flattenBuffers(function);
    lowering.workspaceBytes = flattened.workspaceBytes;
    return flattened.function;
}

template <PrimFuncPtr (*pass)(const PrimFuncPtr&)>
Result<PrimFuncPtr> plain(const PrimFuncPtr& function, Lowering&) {
    return pass(function);
}

template <PrimFuncPtr (*pass)(const PrimFuncPtr&, const tir::Checkpoint&)>
Result<PrimFuncPtr> checked(const PrimFuncPtr& function, Lowering& lowering) {
    return pass(function, lowering.checkpoint);
}

Result<PrimFuncPtr> vectorizeForTarget(const PrimFuncPtr& function, Lowering& lowering) {
    return tir::vectorizeLoops(function, lowering.checkpoint, lowering.target.lanes(types::Float32.bits));
}

Result<PrimFuncPtr> hoist(const PrimFuncPtr& function, Lowering&) {
    return tir::hoistConditions(function);
}

Result<PrimFuncPtr> legalize(const PrimFuncPtr& function, Lowering& lowering) {
    return tir::legalizeDataTypes(function, lowering.target);
}

constexpr KernelPass schedulePass{"schedule", makeSchedule, optional, tir::Level::Blocks, true};
constexpr KernelPass lowerBlocksPass{"lower blocks", plain<tir::lowerBlocks>, required, tir::Level::Loops};
constexpr KernelPass numberChecksPass{"number checks", numberAllChecks, required, tir::Level::Loops};
constexpr KernelPass flattenPass{
    .name = "flatten buffers", .run = flatten, .required = required, .opens = KernelPlace::Loops};
constexpr KernelPass simplifyPass{"simplify", checked<tir::simplify>};
constexpr KernelPass bindIndicesPass{"bind indices", plain<tir::bindIndices>};
constexpr KernelPass branchPass{"branch on selects", checked<tir::branchOnSelects>};
constexpr KernelPass partitionPass{"partition loops", checked<tir::partitionLoops>};
constexpr KernelPass vectorizePass{"vectorize", vectorizeForTarget};
constexpr KernelPass unrollPass{"unroll", checked<tir::unrollLoops>};
constexpr KernelPass hoistPass{"hoist conditions", hoist};
constexpr KernelPass simplifyAgainPass{"simplify again", checked<tir::simplify>};
constexpr KernelPass parallelPass{"parallel regions", plain<tir::parallelRegions>, required};
constexpr KernelPass legalizePass{
    .name = "legalize data types", .run = legalize, .required = required, .opens = KernelPlace::Lowered};

constexpr KernelPass nativePipeline[] = {
    schedulePass,
    lowerBlocksPass, // no schedule primitive from here on
    numberChecksPass,
    flattenPass, // from here on an access has one index, and every buffer a place
    simplifyPass,     bindIndicesPass, branchPass, partitionPass,
    vectorizePass,    unrollPass,      hoistPass,  simplifyAgainPass,
    parallelPass, // from here on each iteration of a parallel loop is a task
    legalizePass, // from here on types are those of the target
};

constexpr KernelPass cPipeline[] = {
    schedulePass,
    lowerBlocksPass, // no schedule primitive from here on
    numberChecksPass,
    flattenPass, // from here on an access has one index, and every buffer a place
    simplifyPass,     bindIndicesPass, branchPass, partitionPass, hoistPass, simplifyAgainPass,
    parallelPass, // from here on each iteration of a parallel loop is a task
    legalizePass, // from here on types are those of the target
};

constexpr KernelPass entryPipeline[] = {numberChecksPass, flattenPass, legalizePass};

/// One function on its way through passes.
class Stages {
public:
    Stages(PrimFuncPtr function, const KernelHook& hook) : function_(std::move(function)), hook_(hook) {}

    /// Runs one pass, unless it is off.
    template <class Fn>
    Result<void> run(std::string_view name, bool isRequired, bool verify, tir::Level level, Fn fn) {
        if (!isRequired && hook_.enabled && !hook_.enabled(name))
            return {};
        if (hook_.checkpoint)
            hook_.checkpoint();
        const auto start = std::chrono::steady_clock::now();
        Result<PrimFuncPtr> made = fn(function_);
        const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
        if (made)
            function_ = *made;
        if (hook_.done)
            hook_.done(name, function_, ms);
        if (!made)
            return Failure(made.error());
        if (verify)
            if (auto verified = tir::verify(*function_, level); !verified)
                throw InternalError(
                    fmt::format("after pass '{}' on {}: {}", name, function_->name, toString(verified.error())));
        return {};
    }

    Result<void> runAdded(KernelPlace place, const Target& target) {
        const tir::Level level = place == KernelPlace::Computation ? tir::Level::Blocks : tir::Level::Lowered;
        for (const AddedKernelPass& pass : hook_.added)
            if (pass.place == place)
                LATHE_CHECKED(run(pass.name, optional, true, level,
                                  [&](const PrimFuncPtr& function) { return pass.run(function, target); }));
        return {};
    }

    const PrimFuncPtr& function() const { return function_; }

private:
    PrimFuncPtr function_;
    const KernelHook& hook_;
};

/// The function behind all passes of the list.
Result<PrimFuncPtr> runAll(std::span<const KernelPass> passes, const PrimFuncPtr& function, Lowering& lowering,
                           const KernelHook& hook) {
    Stages stages(function, hook);
    LATHE_CHECKED(stages.runAdded(KernelPlace::Computation, lowering.target));
    for (const KernelPass& pass : passes) {
        if (pass.isOfSchedules && !lowering.schedulable)
            continue;
        LATHE_CHECKED(stages.run(pass.name, pass.required, hook.verify, pass.level,
                                 [&](const PrimFuncPtr& before) { return pass.run(before, lowering); }));
        if (pass.opens)
            LATHE_CHECKED(stages.runAdded(*pass.opens, lowering.target));
    }
    return stages.function();
}

} // namespace

std::span<const KernelPass> pipelineOf(CodeKind kind) {
    switch (kind) {
    case CodeKind::Native:
        return nativePipeline;
    case CodeKind::CSource:
        return cPipeline;
    }
    throw InternalError("a kind of code that has no passes");
}

Result<void> lowerKernel(Kernel& kernel, const Target& target, CodeKind kind, const ScheduleDecisions& decisions,
                         const KernelHook& hook) {
    const bool isScheduled = kernel.schedulable && (!hook.enabled || hook.enabled(schedulePass.name));
    if (!isScheduled && !decisions.empty() && !isRecorded(decisions.from))
        return failure(fmt::format("{} gets no schedule, so none can be decided", kernel.name));
    Lowering lowering{
        .target = target, .decisions = decisions, .checkpoint = hook.checkpoint, .schedulable = kernel.schedulable};
    LATHE_TRY(kernel.lowered, runAll(pipelineOf(kind), kernel.computation, lowering, hook));
    if (isScheduled)
        kernel.schedule = std::move(lowering.schedule);
    kernel.checks.insert(kernel.checks.end(), lowering.checks.begin(), lowering.checks.end());
    kernel.workspaceBytes = lowering.workspaceBytes;
    return {};
}

LoweredEntry lowerEntry(const PrimFuncPtr& entry, std::span<const PrimFuncPtr> functions, const Target& target,
                        const KernelHook& hook) {
    const ScheduleDecisions none;
    LoweredEntry made;
    const auto lower = [&](const PrimFuncPtr& function) {
        Lowering lowering{.target = target,
                          .decisions = none,
                          .checkpoint = hook.checkpoint,
                          .firstCheck = static_cast<int>(made.checks.size())};
        Result<PrimFuncPtr> lowered = runAll(entryPipeline, function, lowering, hook);
        LATHE_ASSERT(lowered, "passes of the entry follow no decision, so none fails");
        std::ranges::move(lowering.checks, std::back_inserter(made.checks));
        return *lowered;
    };
    made.entry = lower(entry);
    for (const PrimFuncPtr& function : functions)
        made.functions.push_back(lower(function));
    return made;
}

} // namespace lathe::lower
