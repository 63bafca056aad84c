// SPDX-License-Identifier: Apache-2.0
//
// From the name of a machine to what code generation and schedules need to know of it. LLVM's tables say which features
// a cpu has; everything else follows from the features.
#pragma once

#include "base/result.h"
#include "base/target.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace lathe::codegen {

/// The machine this runs on: cpu and features as LLVM finds them, the cores that this process may use, the caches that
/// the operating system knows of (usual sizes where it knows none). On a machine that no code can be made for the target
/// still names it, and compiling for it is a Diagnostic.
Target nativeTarget();

/// What constants are computed with, whatever the target: the least machine of this one's kind that code is made for. So
/// they do not depend on which machine exports a model.
Target baselineTarget();

/// Reads "native"; a cpu of LLVM's tables, "haswell", "x86-64-v3", "cortex-a72" or "sifive-x280" (looked for in x86-64's table,
/// then AArch64's, then RISC-V's); or TRIPLE[:CPU[:FEATURES[:MACHINE]]]:
///   TRIPLE    of Linux on x86_64, aarch64 or riscv64, with or without a vendor: "aarch64-linux-gnu";
///   CPU       of its table; without one x86-64-v2, generic or rv64gc. "rv64gc" and "rv64gcv" are what Linux distributions
///             make programs for, without and with vectors;
///   FEATURES  "+avx512f,-fma": taken one after the other, each with what it needs or what needs it;
///   MACHINE   "cores=8,l1=32768,l2=262144,l3=8388608,vector=256": sizes in bytes; `vector` in bits, at most what the
///             features give. With SVE any of 128 to 512, and code is right on CPUs with this length alone from 256 on.
/// Fails (kind Usage) on a triple, cpu or feature that LLVM does not know, naming those that come near, and on a cpu without
/// what generated code cannot do without (64 bits; SSE4.1; NEON; M and D).
Result<Target> parseTarget(std::string_view text);

/// What a CPU must have for code of a target: what the runtime asks it for.
struct Required {
    std::vector<std::string> isa; // extensions by LLVM's names (abi/isa.h), sorted
    int vectorBits = 0;           // Target::scalableBits

    bool has(std::string_view name) const { return std::ranges::find(isa, name) != isa.end(); }
};
Required requiredOf(const Target& target);

/// "x86_64", "aarch64", "riscv64": as triples and qemu call it.
std::string_view nameOf(Architecture architecture);
/// "aarch64-linux-gnu": the triple by which libraries for a machine are found.
std::string libraryTriple(Architecture architecture);

/// Fails (kind Usage) for a target whose code may not run on this machine, naming the features that are missing.
Result<void> checkRunsHere(const Target& target);

} // namespace lathe::codegen
