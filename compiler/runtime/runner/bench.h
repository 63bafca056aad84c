// SPDX-License-Identifier: Apache-2.0
//
// Timing of a kernel's artifact (lower/bench_entry.h): its last input, int64, says which kernel one run calls, and how often.
#pragma once

#include "runtime/lathe_rt.h"

#include <cstdint>
#include <vector>

namespace lathe::runtime::runner {

struct BenchPlan {
    int64_t which = 0;          // of the artifact's kernels
    std::vector<int64_t> sizes; // the kernel's scalars
    uint32_t warmUps = 0;       // calls before the first sample
    int64_t calls = 0;          // in a sample; 0: as many as leastNs asks for, which is found by running
    int64_t leastNs = 0;        // a sample takes at least this long, flushing included: as many calls as that needs,
                                // but at most 2^24, with flushed caches 10,000
    uint32_t samples = 1;
    uint64_t flushBytes = 0; // written before each call, so that caches hold nothing of it; 0: caches stay warm
};

struct BenchSample {
    double ns = 0;        // of a call, a mean
    double lost = 0;      // the share of its time in which the calling thread had no CPU
    int64_t switches = 0; // how often a thread of the process was put off its CPU against its will
};

struct BenchTimes {
    int64_t calls = 0; // in each sample
    std::vector<BenchSample> samples;
};

/// Nanoseconds of a monotonic clock.
int64_t now();

/// The model must be a kernel's artifact with its other inputs set. A status other than LATHE_OK has its sentence in the
/// context. Throws std::bad_alloc.
lathe_status bench(lathe_model* model, lathe_context* context, const BenchPlan& plan, BenchTimes& times);

} // namespace lathe::runtime::runner
