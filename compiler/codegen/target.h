// SPDX-License-Identifier: Apache-2.0
//
// From the name of a machine to what code generation and schedules need to know of it. LLVM's tables say which features
// a cpu has; everything else follows from the features.
#pragma once

#include "base/result.h"
#include "base/target.h"

#include <string_view>

namespace lathe::codegen {

/// The machine this runs on: cpu and features as LLVM finds them, the cores that this process may use, the caches that
/// the operating system knows of (usual sizes where it knows none). On a machine that no code can be made for the target
/// still names it, and compiling for it is a Diagnostic.
Target nativeTarget();

/// Reads "native"; a cpu of LLVM's x86-64 table, "haswell" or "x86-64-v3"; or TRIPLE[:CPU[:FEATURES[:MACHINE]]]:
///   FEATURES  "+avx512f,-fma": taken one after the other, each with what it needs or what needs it;
///   MACHINE   "cores=8,l1=32768,l2=262144,l3=8388608,vector=256": sizes in bytes; `vector` in bits, at most what the
///             features give.
/// The cpu is x86-64-v2 if none is given. Fails (kind Usage) on a triple, cpu or feature that LLVM does not know, naming
/// those that come near, and on a cpu without what generated code cannot do without (64-bit mode, SSE4.1).
Result<Target> parseTarget(std::string_view text);

/// Fails (kind Usage) for a target whose code may not run on this machine, naming the features that are missing.
Result<void> checkRunsHere(const Target& target);

} // namespace lathe::codegen
