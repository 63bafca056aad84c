// SPDX-License-Identifier: Apache-2.0
//
// The entry of an artifact that holds one kernel and nothing else, so that the kernel can be run and timed alone.
//
// Inputs: what the kernel reads, then `plan`, int64[1 + scalars]: how often one run calls the kernel, and the kernel's
// scalars in their order. Outputs: what it writes. Many calls in one run keep the cost of a run out of the time of a call.
#pragma once

#include "lower/lower.h"

namespace lathe::lower {

/// Name of the input that says how often and at which sizes.
inline constexpr std::string_view benchPlanInput = "plan";

struct BenchEntry {
    tir::PrimFuncPtr function;
    std::vector<tir::BufferPtr> inputs, outputs; // of the kernel, in its order; shapes over kernel.scalars
};

/// The kernel must be lowered: its workspace is known.
BenchEntry makeBenchEntry(const Kernel& kernel);

} // namespace lathe::lower
