// SPDX-License-Identifier: Apache-2.0
//
// One kernel as an artifact of its own, to be run and timed alone: by `lathe bench --kernel`, and by whoever compares
// schedules of one computation. lower/bench_entry.h says what its inputs and outputs are.
#pragma once

#include "driver/compile.h"

namespace lathe::driver {

/// Schedules, lowers and compiles the unscheduled `computation` under the decisions, as a model's compilation would (those
/// for other workloads do not matter here), and writes the artifact to `path`, whole or not at all. `schedulable`: see
/// KernelRecord. Gives the kernel's record. Fails as compileFile does.
Result<KernelRecord> writeKernelArtifact(const tir::PrimFuncPtr& computation, bool schedulable,
                                         const Decisions& decisions, const Options& options,
                                         const std::filesystem::path& path);

} // namespace lathe::driver
