// SPDX-License-Identifier: Apache-2.0
//
// What one thread of this machine can do at most: multiply-adds of float32, and bytes read, copied and written by working
// set. The roofline of kernel_sweep.py is made of these. The sweep compiles this file for the target that it measures, with
// nothing but the compiler. The loops are the compiler's own (inspect/peak_loops.inc). Prints a line each:
// `fma 0 FLOPS`, `read BYTES RATE`, `copy BYTES RATE`, `fill BYTES RATE`, in operations and bytes a second; BYTES are the
// working set, for a copy half of it read and half written. `peaks N` divides working sets by N, for N that run at once.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include "inspect/peak_loops.inc"

enum { rounds = 12 };
static const int64_t largest = (int64_t)64 << 20;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static double multiplyAdds(void) {
    double best = 1e9;
    for (int round = 0; round < rounds; ++round) {
        const double begin = now();
        peakMultiplyAdds();
        const double seconds = now() - begin;
        best = seconds < best ? seconds : best;
    }
    return peakFlops / best;
}

// The best rate of several rounds, each of as many passes as move `largest` bytes / 4 or one pass.
static double rate(char kind, Vector* memory, int64_t bytes) {
    const int64_t count = bytes / vectorBytes, passes = bytes * 4 < largest ? largest / 4 / bytes : 1;
    double best = 1e9;
    for (int round = 0; round < rounds; ++round) {
        const double begin = now();
        for (int64_t pass = 0; pass < passes; ++pass) {
            if (kind == 'r')
                peakRead(memory, count);
            else if (kind == 'c')
                peakCopy(memory, memory + count / 2, count / 2);
            else
                peakFill(memory, count);
            __asm__ volatile("" ::: "memory");
        }
        const double seconds = now() - begin;
        best = seconds < best ? seconds : best;
    }
    return (double)bytes * (double)passes / best;
}

int main(int argc, char** argv) {
    const int64_t parts = argc > 1 ? atoi(argv[1]) : 1;
    Vector* memory = aligned_alloc((size_t)2 << 20, (size_t)largest);
    if (!memory || parts < 1)
        return 1;
    madvise(memory, (size_t)largest, MADV_HUGEPAGE); // as Lathe's runtime does: beyond the caches a third faster
    peakFill(memory, largest / vectorBytes);
    printf("fma 0 %.6g\n", multiplyAdds());
    for (int64_t bytes = (int64_t)64 << 10; bytes <= largest; bytes *= 2) {
        printf("read %lld %.6g\n", (long long)bytes, rate('r', memory, bytes / parts));
        printf("copy %lld %.6g\n", (long long)bytes, rate('c', memory, bytes / parts));
        printf("fill %lld %.6g\n", (long long)bytes, rate('f', memory, bytes / parts));
    }
    free(memory);
    return 0;
}
