// SPDX-License-Identifier: Apache-2.0
//
// A kernel's way from computation to code generation: the default or decided schedule, then the TIR passes, as one
// straight function.
#pragma once

#include "base/target.h"
#include "lower/lower.h"
#include "tir/verify.h"

#include <functional>
#include <string_view>

namespace lathe::lower {

/// A pass over a kernel: what holds after it, and whether the compiler relies on that.
struct KernelPass {
    std::string_view name;
    bool required = false;
    tir::Level level = tir::Level::Lowered;
};

/// All of them, in the order in which they run. The milestones: after the schedule no primitive runs any more; after "lower
/// blocks" there are only loops; after "flatten buffers" an access has one index and every buffer a place; after
/// "legalize data types" types are those of the target.
inline constexpr KernelPass kernelPasses[] = {
    {"schedule", false, tir::Level::Blocks},
    {"lower blocks", true, tir::Level::Loops},
    {"number checks", true, tir::Level::Loops},
    {"flatten buffers", true},
    {"simplify"},
    {"bind indices"},
    {"branch on selects"},
    {"partition loops"},
    {"vectorize"},
    {"unroll"},
    {"hoist conditions"},
    {"simplify again"},
    {"parallel regions", true},
    {"legalize data types", true},
};

/// What the driver does around each pass: decides whether an optional one runs, and records what it gave.
struct KernelHook {
    std::function<bool(std::string_view pass)> enabled; // asked for optional passes only; empty: all are on
    /// `after` is the function that went in if the pass changed nothing. May be empty.
    std::function<void(std::string_view pass, const tir::PrimFuncPtr& after, double ms)> done;
    bool verify = false;
    std::function<void()> checkpoint = {}; // asked before and within passes; throws to cancel
};

/// Fills kernel.lowered, workspaceBytes, checks and schedule. Fails where a decision cannot be followed: see
/// scheduleKernel; also where a schedule is decided and none is made. Throws InternalError if a verifier fails.
Result<void> lowerKernel(Kernel& kernel, const Target& target, const ScheduleDecisions& decisions,
                         const KernelHook& hook);

/// The entry's passes: those of the list that make it code.
tir::PrimFuncPtr lowerEntry(const tir::PrimFuncPtr& entry, const Target& target, const KernelHook& hook);

} // namespace lathe::lower
