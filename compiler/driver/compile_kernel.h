// SPDX-License-Identifier: Apache-2.0
//
// One kernel's way from computation to object, by itself: what build() does for all kernels of a model, and what is done
// for a single one that is to be measured.
#pragma once

#include "driver/compile.h"
#include "driver/kernel_cache.h"
#include "lower/pipeline.h"

namespace lathe::driver {

/// Gives the kernel and its computation the name, and a record that begins with the computation.
KernelRecord nameKernel(lower::Kernel& kernel, const std::string& name, const Target& target);

/// Schedules and lowers the kernel (its workspace and checks are known then) and makes the object, or finds it in the
/// cache; empty if options.emitCode is off. Touches nothing but the kernel and its record: kernels compile in parallel.
Result<std::vector<std::byte>> compileKernel(lower::Kernel& kernel, const Options& options, const Decisions& decisions,
                                             KernelCache& cache, const lower::KernelHook& hook, KernelRecord& record);

} // namespace lathe::driver
