// SPDX-License-Identifier: Apache-2.0
//
// One kernel's way from computation to object, by itself: what build() does for all kernels of a model, and what is done
// for a single one that is to be measured.
#pragma once

#include "driver/compile.h"
#include "driver/kernel_cache.h"
#include "lower/pipeline.h"

#include <set>
#include <string>

namespace lathe::driver {

/// How its functions become machine code. Under strict numerics a product rounds before it is added to, whatever node either
/// is of: what stands in one function depends on fusion, and no bit of a result may.
codegen::CodegenOptions codegenOptionsOf(const Options& options);

/// A record that begins with the kernel's computation.
KernelRecord recordOf(const lower::Kernel& kernel, const Target& target);

/// Gives the kernel, its computation and its record a name that none of `taken` is. It is made of what is computed
/// ("fused_conv_relu_1f3a09bc"), not of where that stands: whatever else is decided in the model, it stays, and with it the
/// object, which the cache has.
void nameKernel(lower::Kernel& kernel, KernelRecord& record, std::set<std::string>& taken);

/// Schedules and lowers the kernel (its workspace and checks are known then) and makes the object, or finds it in the
/// cache; empty if no object is asked for. Touches nothing but the kernel and its record: kernels compile in parallel.
Result<std::vector<std::byte>> compileKernel(lower::Kernel& kernel, const Options& options, const Decisions& decisions,
                                             KernelCache& cache, const lower::KernelHook& hook, KernelRecord& record);

} // namespace lathe::driver
