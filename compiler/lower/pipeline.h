// SPDX-License-Identifier: Apache-2.0
//
// A kernel's way from computation to code generation: the default or decided schedule, then the TIR passes. What its code
// is says which list of passes that is; each list is whole and reads from top to bottom (pipeline.cpp).
#pragma once

#include "base/target.h"
#include "lower/lower.h"
#include "tir/verify.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace lathe::lower {

/// What kernels become behind their passes.
enum class CodeKind {
    Native,  // instructions of the target
    CSource, // C, which another compiler takes: it has vectors of its own, and unrolled loops are only longer
};

/// Where a pass that a plugin adds may stand, by what holds there.
enum class KernelPlace {
    Computation, // before the schedule; what it changes is another workload, though not by name
    Loops,       // an access has one index, and every buffer a place
    Lowered,     // behind all passes
};

/// A pass over a kernel that a plugin adds: optional, and the verifier runs after it.
struct AddedKernelPass {
    std::string name; // "PLUGIN/PASS"
    KernelPlace place = KernelPlace::Loops;
    std::function<Result<tir::PrimFuncPtr>(const tir::PrimFuncPtr&, const Target&)> run;
};

struct Lowering;

/// A pass over a kernel: what holds after it, and whether the compiler relies on that.
struct KernelPass {
    std::string_view name;
    Result<tir::PrimFuncPtr> (*run)(const tir::PrimFuncPtr& function, Lowering& lowering) = nullptr;
    bool required = false;
    tir::Level level = tir::Level::Lowered;
    bool isOfSchedules = false;            // passed over where a TIR builder wrote the loops
    std::optional<KernelPlace> opens = {}; // for passes that are added
};

/// All passes of a kernel of this kind of code, in the order in which they run.
std::span<const KernelPass> pipelineOf(CodeKind kind);

/// What the driver does around each pass: decides whether an optional one runs, and records what it gave.
struct KernelHook {
    std::function<bool(std::string_view pass)> enabled; // asked for optional passes only; empty: all are on
    /// `after` is the function that went in if the pass changed nothing. May be empty.
    std::function<void(std::string_view pass, const tir::PrimFuncPtr& after, double ms)> done;
    bool verify = false;
    std::function<void()> checkpoint = {}; // asked before and within passes; throws to cancel
    std::span<const AddedKernelPass> added = {};
};

/// Fills kernel.lowered, workspaceBytes, checks and schedule. Fails where a decision cannot be followed: see
/// scheduleKernel; also where a schedule is decided and none is made. Throws InternalError if a verifier fails.
Result<void> lowerKernel(Kernel& kernel, const Target& target, CodeKind kind, const ScheduleDecisions& decisions,
                         const KernelHook& hook);

/// The entry and the functions that it calls, behind their passes.
struct LoweredEntry {
    tir::PrimFuncPtr entry;
    std::vector<tir::PrimFuncPtr> functions;
    std::vector<CheckInfo> checks; // of all of them, by number
};

/// The entry's passes: those of each list that make it code.
LoweredEntry lowerEntry(const tir::PrimFuncPtr& entry, std::span<const tir::PrimFuncPtr> functions,
                        const Target& target, const KernelHook& hook);

} // namespace lathe::lower
