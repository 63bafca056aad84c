// SPDX-License-Identifier: Apache-2.0
//
// What code is made for: an LLVM triple, cpu and features, and the description that costs and schedules are made from.
// A value; codegen/target.h makes one from a name or from this machine, with LLVM's tables.
#pragma once

#include "base/data_type.h"

#include <algorithm>
#include <cstdint>
#include <string>

namespace lathe {

/// Instruction sets that code is made for: 64 bits, little-endian.
enum class Architecture : uint8_t { X86_64, AArch64, RiscV64 };

struct Target {
    std::string triple = "x86_64-unknown-linux-gnu";
    std::string cpu = "x86-64-v3";
    std::string features; // "-f16c,+avx512f": what differs from the cpu's own, in one order; empty: nothing
    // What follows from triple, cpu and features.
    Architecture architecture = Architecture::X86_64;
    /// Of a machine without vectors, whose registers LLVM takes instead, as many as its registers stand for.
    int vectorRegisters = 16;
    bool hasFma = true;
    bool hasHalfConversion = true; // float16 to float32 and back
    // The machine. Sizes of what one core can use, in bytes.
    int vectorBits = 256; // widest vector register that default schedules use
    /// Where the length of registers is the CPU's own: that which code is made for, of SVE exactly, of RISC-V's vectors at
    /// least. 0: any length will do.
    int scalableBits = 0;
    int cores = 1;
    int64_t l1Bytes = 32 * 1024;
    int64_t l2Bytes = 512 * 1024;
    int64_t l3Bytes = 8 * 1024 * 1024;

    /// Lanes of a vector register for elements of `bits` bits.
    int lanes(int bits) const { return vectorBits / bits; }
    /// Lanes of the vectors that compute elements of this type: of those narrower than 32 bits as many as of 32, which they are
    /// widened to.
    int64_t lanesOf(DataType type) const { return lanes(std::max<int>(32, type.bits)); }
    bool operator==(const Target&) const = default;
};

/// All of a target in one text, which codegen::parseTarget reads back:
/// "x86_64-unknown-linux-gnu:haswell:-fma:vector=256,cores=8,l1=32768,l2=262144,l3=8388608". Equal targets have equal
/// texts, so that it may stand in keys.
std::string toString(const Target& target);

} // namespace lathe
