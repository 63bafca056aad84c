// SPDX-License-Identifier: Apache-2.0
//
// What code is expected to take on a target, in figures: what a core does in a cycle, what memory gives, and how often a second
// that is. Choices of variants, the tuner's estimates and rooflines ask this one model, so that none has a machine of its own.
//
// A figure is what was measured, where somebody hands that over; else a row of the table by CPU, else what is usual. Who
// compiles for a target that is named hands nothing over, so the same command gives the same bytes on every host. What follows
// from a Target alone (registers, vectors, caches) is there: schedules and layouts ask that.
#pragma once

#include "base/target.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

namespace lathe {

/// The roof of a roofline: the most that some threads can do.
struct Peak {
    double gflops = 0; // float32 multiply-adds, two operations each; 10^9 a second
    double gbs = 0;    // bytes from beyond the caches; 10^9 a second

    /// Operations a byte from which on multiply-adds are the limit.
    double ridge() const { return gflops / gbs; }
    /// Microseconds that so much work takes at least; what is not known of the peak costs nothing.
    double leastUs(double flops, double bytes) const;
};

/// What was measured of the machine that code is for.
struct MeasuredRates {
    std::optional<double> bytesPerMultiplyAdd = {}, gflops = {}, gbs = {}; // as MachineModel has them
};

/// Units that compute vectors, and cycles until a product's sum can be gone on with: so many sums keep the units busy.
inline constexpr int64_t vectorUnits = 2, multiplyAddCycles = 4;

struct MachineModel {
    Target target;
    int threads = 1;
    double gflops = 50; // of one core at most: float32 multiply-adds, two operations each
    /// What one thread reads from memory in the time of a float32 multiply-add.
    double bytesPerMultiplyAdd = 10.0 / 16;
    /// From memory, of all threads, 10^9 bytes a second. It does not follow from what one thread reads: one saturates the memory
    /// of a small machine, and of many cores behind a mesh each has a share that is its own.
    double gbs = 10;

    // Of one core, in a cycle: those of the large x86-64 and Arm cores of the last years.
    double units = vectorUnits, loads = 2, stores = 1, gathers = 0.5, instructions = 4;
    std::array<double, 2> bytesBehind = {32, 8}; // from behind L1 and L2: half a line, an eighth
    double bytesOfChunks = 24;                   // written, and read again soon: chunk by chunk, in the outer caches
    double callUnits = 16, divisionUnits = 8;    // arithmetic instructions of vectors that each is worth
    double regionUs = 0.4;                       // to hand out work and to wait for the last piece

    double lanes(int bits) const { return static_cast<double>(target.vectorBits) / bits; }
    /// 10^9 a second: each unit a multiply-add of a vector in a cycle.
    double gigahertz() const { return gflops / (2 * units * lanes(32)); }
    /// Float32 multiply-adds of a cycle, as variants are weighed with: of two vectors of 256 bits, or of one of 512, though
    /// units that the tuner's tiles were timed on are two of these. As products and sums, half as many.
    double multiplyAdds() const { return std::min(units * lanes(32), 16.0) / (target.hasFma ? 1 : 2); }
    double bytesOfMemory() const { return multiplyAdds() * bytesPerMultiplyAdd; } // of one thread, in a cycle
    /// What a level of the caches holds of what one core uses; 0 is the nearest.
    double cacheBytes(size_t level) const;
};

MachineModel machineModel(const Target& target, int threads = 1, const MeasuredRates& measured = {});

} // namespace lathe
