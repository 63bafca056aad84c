// SPDX-License-Identifier: Apache-2.0
//
// What code is made for: an LLVM triple, cpu and features, and the description that costs and schedules are made from.
#pragma once

#include "base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace lathe {

struct Target {
    std::string triple = "x86_64-unknown-linux-gnu";
    std::string cpu = "x86-64-v3";
    std::string features; // LLVM's spelling, "+avx2,+fma"; empty: what the cpu has
    int vectorBits = 256; // widest vector register that default schedules use
    int vectorRegisters = 16;
    bool hasFma = true;
    bool hasHalfConversion = true; // F16C or better
    int64_t l1Bytes = 32 * 1024;
    int64_t l2Bytes = 512 * 1024;
    int64_t l3Bytes = 8 * 1024 * 1024;
    int cores = 1;

    /// Lanes of a vector register for elements of `bits` bits.
    int lanes(int bits) const { return vectorBits / bits; }
    bool operator==(const Target&) const = default;
};

/// The machine this runs on (CPUID; cache sizes from the operating system, with defaults when unknown).
Target nativeTarget();

/// "native", "x86-64-v2" … "x86-64-v4", or "triple[:cpu[:+feature,…]]". Fails on an unknown name.
Result<Target> parseTarget(std::string_view text);

/// triple:cpu:features, the form that parseTarget reads.
std::string toString(const Target& target);

} // namespace lathe
