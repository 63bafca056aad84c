// SPDX-License-Identifier: Apache-2.0
//
// What one thread of this machine can do at most: multiply-adds of float32, and bytes read, copied and written by working
// set. The roofline of kernel_sweep.py is made of these. The sweep compiles this file for the target that it measures, with
// nothing but the compiler: vectors are the compiler's own, so the file knows of no instruction set. Prints a line each:
// `fma 0 FLOPS`, `read BYTES RATE`, `copy BYTES RATE`, `fill BYTES RATE`, in operations and bytes a second; BYTES are the
// working set, for a copy half of it read and half written. `peaks N` divides working sets by N, for N that run at once.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

// As many accumulators as hide a latency of 5 cycles at two a cycle, and fit the registers beside two operands.
#if defined(__AVX512F__)
enum { vectorBytes = 64, accumulators = 24 };
#elif defined(__AVX__)
enum { vectorBytes = 32, accumulators = 12 };
#elif defined(__aarch64__)
enum { vectorBytes = 16, accumulators = 24 };
#else
enum { vectorBytes = 16, accumulators = 12 };
#endif

typedef float Vector __attribute__((vector_size(vectorBytes)));

enum { streams = 8, rounds = 12 };
static const int64_t largest = (int64_t)64 << 20;
static volatile float factorSource = 0.999F, addendSource = 0.001F, sink;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void keep(const Vector* values, int count) {
    float sum = 0;
    for (int i = 0; i < count; ++i)
        sum += values[i][0];
    sink = sum;
}

static double multiplyAdds(void) {
    enum { steps = 200000 };
    const Vector factor = factorSource - (Vector){0}, addend = addendSource - (Vector){0};
    double best = 1e9;
    for (int round = 0; round < rounds; ++round) {
        Vector sums[accumulators];
        for (int i = 0; i < accumulators; ++i)
            sums[i] = addend * (float)i;
        const double begin = now();
        for (int step = 0; step < steps; ++step)
#pragma clang loop unroll(full)
            for (int i = 0; i < accumulators; ++i)
                sums[i] = sums[i] * factor + addend;
        const double seconds = now() - begin;
        best = seconds < best ? seconds : best;
        keep(sums, accumulators);
    }
    return 2.0 * steps * accumulators * (vectorBytes / sizeof(float)) / best;
}

static void readAll(const Vector* from, int64_t count) {
    Vector sums[streams] = {0};
    for (int64_t i = 0; i + streams <= count; i += streams)
#pragma clang loop unroll(full)
        for (int j = 0; j < streams; ++j)
            sums[j] += from[i + j];
    keep(sums, streams);
}

// The addition keeps the compiler from calling memcpy, which stores past the caches; no generated kernel does.
static void copyAll(const Vector* restrict from, Vector* restrict to, int64_t count) {
    const Vector addend = addendSource - (Vector){0};
#pragma clang loop unroll_count(8)
    for (int64_t i = 0; i < count; ++i)
        to[i] = from[i] + addend;
}

static void fillAll(Vector* to, int64_t count) {
    const Vector value = addendSource - (Vector){0};
#pragma clang loop unroll_count(8)
    for (int64_t i = 0; i < count; ++i)
        to[i] = value;
}

// The best rate of several rounds, each of as many passes as move `largest` bytes / 4 or one pass.
static double rate(char kind, Vector* memory, int64_t bytes) {
    const int64_t count = bytes / vectorBytes, passes = bytes * 4 < largest ? largest / 4 / bytes : 1;
    double best = 1e9;
    for (int round = 0; round < rounds; ++round) {
        const double begin = now();
        for (int64_t pass = 0; pass < passes; ++pass) {
            if (kind == 'r')
                readAll(memory, count);
            else if (kind == 'c')
                copyAll(memory, memory + count / 2, count / 2);
            else
                fillAll(memory, count);
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
    fillAll(memory, largest / vectorBytes);
    printf("fma 0 %.6g\n", multiplyAdds());
    for (int64_t bytes = (int64_t)64 << 10; bytes <= largest; bytes *= 2) {
        printf("read %lld %.6g\n", (long long)bytes, rate('r', memory, bytes / parts));
        printf("copy %lld %.6g\n", (long long)bytes, rate('c', memory, bytes / parts));
        printf("fill %lld %.6g\n", (long long)bytes, rate('f', memory, bytes / parts));
    }
    free(memory);
    return 0;
}
