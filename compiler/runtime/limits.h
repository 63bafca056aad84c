// SPDX-License-Identifier: Apache-2.0
//
// The runtime's limits in one place. Going over one is a status with a message, never a crash.
#pragma once

#include <cstdint>

namespace lathe::runtime::limits {

/// Of a value, its dims of 0 left out: what the compiler counts on when it multiplies dims (base/limits.h has the same).
inline constexpr int64_t tensorElements = int64_t{1} << 40;
/// Of one piece of memory: what an address space can hold. Keeps sums of a few below 2^63.
inline constexpr int64_t pieceBytes = int64_t{1} << 46;
inline constexpr int32_t threads = 1024;       // of a context
inline constexpr int arenaChunks = 64;         // each new one is at least half as large as all before together
inline constexpr int32_t keptPlaces = 1 << 16; // of what loops hand on
inline constexpr uint64_t frameBytes = uint64_t{1} << 36; // of the runner's protocol: 64 GiB
inline constexpr uint32_t runsAtOnce = 1'000'000;         // of one Run request
inline constexpr uint32_t samplesAtOnce = 100'000;        // of one Bench request
inline constexpr uint64_t flushBytes = uint64_t{1} << 32; // written between two of its samples
inline constexpr uint32_t timelineEvents = 1U << 24;      // of each thread

} // namespace lathe::runtime::limits
