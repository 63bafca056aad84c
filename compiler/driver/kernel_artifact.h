// SPDX-License-Identifier: Apache-2.0
//
// Kernels as an artifact of their own, to be run and timed alone: one by `lathe bench --kernel`, several of one computation by
// the tuner, which compares them in one process on the same buffers. lower/bench_entry.h says what the artifact's inputs and
// outputs are.
#pragma once

#include "driver/compile.h"
#include "lower/lower.h"

#include <span>

namespace lathe::driver {

/// A kernel whose object is made.
struct CompiledKernel {
    lower::Kernel kernel;
    std::vector<std::byte> object;
    KernelRecord record;
};
using CompiledKernelPtr = std::shared_ptr<const CompiledKernel>;

/// Schedules, lowers and compiles the unscheduled `computation` under the decisions, as a model's compilation would (those
/// for other workloads do not matter here), as a kernel of this name. `schedulable`: see KernelRecord. Fails as compileFile
/// does.
Result<CompiledKernelPtr> compileKernelAlone(const tir::PrimFuncPtr& computation, const std::string& name,
                                             bool schedulable, const Decisions& decisions, const Options& options);

/// Writes the artifact to `path`, whole or not at all. The kernels, one at least, are of one computation, under names of
/// their own; the artifact's name is that of the first.
Result<void> writeKernelArtifact(std::span<const CompiledKernelPtr> kernels, const Options& options,
                                 const std::filesystem::path& path);

} // namespace lathe::driver
