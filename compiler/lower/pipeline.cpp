// SPDX-License-Identifier: Apache-2.0
//
// The straight function. Milestones: after the schedule no primitive runs any more; after "lower blocks" there are only
// loops; after "flatten buffers" addresses are explicit.
#include "lower/pipeline.h"

#include "schedule/schedule.h"
#include "tir/text.h"
#include "tir/transform/flatten_buffers.h"
#include "tir/transform/hoist_conditions.h"
#include "tir/transform/legalize_data_types.h"
#include "tir/transform/lower_blocks.h"
#include "tir/transform/number_checks.h"
#include "tir/transform/partition_loops.h"
#include "tir/transform/simplify.h"
#include "tir/transform/unroll_loops.h"
#include "tir/transform/vectorize_loops.h"
#include "tir/verify.h"
#include "topi/default_schedule.h"

#include <chrono>
#include <fmt/format.h>

namespace lathe::lower {
namespace {

using tir::PrimFuncPtr;

class Stages {
public:
    Stages(const KernelHook& hook, PrimFuncPtr function) : hook_(hook), function_(std::move(function)) {}

    template <class Fn>
    void required(std::string_view name, tir::Level level, Fn fn) {
        run(name, true, level, fn);
    }
    template <class Fn>
    void optional(std::string_view name, tir::Level level, Fn fn) {
        if (hook_.enabled && !hook_.enabled(name))
            return;
        run(name, false, level, fn);
    }
    const PrimFuncPtr& function() const { return function_; }

private:
    template <class Fn>
    void run(std::string_view name, bool required, tir::Level level, Fn fn) {
        auto start = std::chrono::steady_clock::now();
        function_ = fn(function_);
        double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
        if (hook_.done)
            hook_.done(name, required, function_, ms);
        if (hook_.verify)
            if (auto verified = tir::verify(*function_, level); !verified)
                throw InternalError(
                    fmt::format("after pass '{}' on {}: {}", name, function_->name, toString(verified.error())));
    }

    const KernelHook& hook_;
    PrimFuncPtr function_;
};

} // namespace

Result<void> lowerKernel(Kernel& kernel, const Target& target, const schedule::Pins& pins, const KernelHook& hook) {
    Stages stages(hook, kernel.computation);
    if (kernel.schedulable)
        stages.optional("schedule", tir::Level::Blocks, [&](const PrimFuncPtr& function) {
            schedule::Schedule scheduled = topi::scheduleDefault(schedule::Schedule(function, pins), target);
            kernel.trace = scheduled.trace();
            return scheduled.function();
        });
    // No schedule primitive from here on.
    stages.required("lower blocks", tir::Level::Loops, tir::lowerBlocks);
    stages.required("number checks", tir::Level::Loops, tir::numberChecks);
    for (const tir::CheckEntry& check : tir::checksOf(*stages.function()))
        kernel.checks.push_back({check.kind, check.origin, check.message});
    // From here on an access has one index.
    stages.required("flatten buffers", tir::Level::Lowered, [&](const PrimFuncPtr& function) {
        tir::Flattened flattened = tir::flattenBuffers(function);
        kernel.workspaceBytes = flattened.workspaceBytes;
        return flattened.function;
    });
    auto simplify = [](const PrimFuncPtr& function) { return tir::simplify(function); };
    stages.optional("simplify", tir::Level::Lowered, simplify);
    stages.optional("partition loops", tir::Level::Lowered, tir::partitionLoops);
    stages.optional("vectorize", tir::Level::Lowered, tir::vectorizeLoops);
    stages.optional("unroll", tir::Level::Lowered, tir::unrollLoops);
    stages.optional("hoist conditions", tir::Level::Lowered,
                    [](const PrimFuncPtr& function) { return tir::hoistConditions(function); });
    stages.optional("simplify again", tir::Level::Lowered, simplify);
    // From here on types are those of the target.
    stages.required("legalize data types", tir::Level::Lowered,
                    [&](const PrimFuncPtr& function) { return tir::legalizeDataTypes(function, target); });
    kernel.lowered = stages.function();
    return {};
}

PrimFuncPtr lowerEntry(const PrimFuncPtr& entry, const Target& target, const KernelHook& hook) {
    Stages stages(hook, entry);
    stages.required("number checks", tir::Level::Loops, tir::numberChecks);
    stages.required("flatten buffers", tir::Level::Lowered,
                    [](const PrimFuncPtr& function) { return tir::flattenBuffers(function).function; });
    stages.required("legalize data types", tir::Level::Lowered,
                    [&](const PrimFuncPtr& function) { return tir::legalizeDataTypes(function, target); });
    return stages.function();
}

const std::vector<std::string>& optionalTirPasses() {
    static const std::vector<std::string> passes = {"schedule", "simplify",         "partition loops", "vectorize",
                                                    "unroll",   "hoist conditions", "simplify again"};
    return passes;
}

} // namespace lathe::lower
