// SPDX-License-Identifier: Apache-2.0
//
// The entry of an artifact that holds one kernel and nothing else, or several that compute the same, so that they can be run
// and timed alone, and side by side on the same buffers.
//
// Inputs: what the kernel reads, then `plan`, int64[2 + scalars]: which kernel one run calls, how often, and the kernel's
// scalars in their order. Outputs: what it writes. Many calls in one run keep the cost of a run out of the time of a call.
#pragma once

#include "lower/lower.h"

#include <span>

namespace lathe::lower {

/// Name of the input that says which kernel, how often and at which sizes.
inline constexpr std::string_view benchPlanInput = "plan";

struct BenchEntry {
    tir::PrimFuncPtr function;
    std::vector<tir::BufferPtr> inputs, outputs; // of the kernel, in its order; shapes over kernel.scalars
};

/// The kernels, one at least, are of one computation but for its name, and lowered: their workspaces are known.
BenchEntry makeBenchEntry(std::span<const Kernel> kernels);

} // namespace lathe::lower
