// SPDX-License-Identifier: Apache-2.0
//
// What features and estimates of time know of the machine that candidates run on: a few figures, most of them the target's,
// two of them measured.
#pragma once

#include "base/target.h"

#include <array>
#include <cstddef>

namespace lathe::tune {

inline constexpr double lineBytes = 64;

struct Machine {
    int threads = 1;
    int vectorBits = 256;
    int vectorRegisters = 16;
    std::array<double, 3> cacheBytes{32e3, 512e3, 8e6}; // of the levels, the nearest first; what one core can use
    double gflops = 50; // of one core at most: float32 multiply-adds, two operations each
    double gbs = 10;    // from memory, of all threads; 10^9 bytes a second

    double lanes(int bits) const { return static_cast<double>(vectorBits) / bits; }
    /// 10^9 a second: two units, each a multiply-add of a vector in a cycle.
    double gigahertz() const { return gflops / (2 * 2 * lanes(32)); }
};

/// The target's figures; those that are not measured stay what they are by default.
inline Machine machineOf(const Target& target, int threads) {
    Machine machine;
    machine.threads = threads;
    machine.vectorBits = target.vectorBits;
    machine.vectorRegisters = target.vectorRegisters;
    machine.cacheBytes = {static_cast<double>(target.l1Bytes), static_cast<double>(target.l2Bytes),
                          static_cast<double>(target.l3Bytes)};
    return machine;
}

} // namespace lathe::tune
