// SPDX-License-Identifier: Apache-2.0
//
// A kernel's way from computation to code generation: the default or decided schedule, then the TIR passes, as one
// straight function.
#pragma once

#include "base/target.h"
#include "lower/lower.h"

#include <functional>
#include <string_view>

namespace lathe::lower {

/// What the driver does around each pass: decides whether an optional one runs, and records what it gave.
struct KernelHook {
    std::function<bool(std::string_view pass)> enabled; // asked for optional passes only
    std::function<void(std::string_view pass, bool required, const tir::PrimFuncPtr& after, double ms)> done;
    bool verify = false;
};

/// Fills kernel.lowered, workspaceBytes, checks and trace. `trace`: a decided schedule; else the default one with `pins`.
/// Throws InternalError if a verifier fails.
Result<void> lowerKernel(Kernel& kernel, const Target& target, const schedule::Pins& pins, const KernelHook& hook);

/// The entry's passes: those that make it code.
tir::PrimFuncPtr lowerEntry(const tir::PrimFuncPtr& entry, const Target& target, const KernelHook& hook);

/// Optional passes of this stage, in order: "schedule" first.
const std::vector<std::string>& optionalTirPasses();

} // namespace lathe::lower
