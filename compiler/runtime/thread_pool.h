// SPDX-License-Identifier: Apache-2.0
//
// Threads of one context. A parallel region is chunks 0 … n-1, of which each thread has a contiguous share, the same part of
// every region: so a kernel finds in its core's cache what the one before left there. Who is done with its share takes from
// the far ends of the others'. No lock and no allocation on the way. Workers spin between the regions of an inference and park
// after it. What a region computes and which status it gives do not depend on who runs a chunk.
#pragma once

#include "abi/abi.h"
#include "runtime/exec.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace lathe::runtime {

class Context;
class Profile;

class ThreadPool {
public:
    /// `threads` counts the caller; 0: all that this process may use. Workers start with the first region, and compute in this
    /// mode (runtime/float_mode.h); the caller sees to its own.
    ThreadPool(int threads, bool flushesSubnormals, Context* context);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    int threads() const { return threads_; }
    /// From one thread at a time; `exec` says whether this is already inside a region (then it runs inline, as do 65,536 chunks
    /// and more). Gives 0 or the status of the lowest failing chunk; chunks above a failing one may be left out.
    int32_t run(lathe_exec* exec, lathe_task task, void* closure, int64_t chunks, Profile* profile = nullptr);
    /// Between these two workers spin for the next region.
    void startRun() { running_.store(true, std::memory_order_relaxed); }
    void endRun() { running_.store(false, std::memory_order_relaxed); }

private:
    /// What the workers of a region need. Written while none is active; atomics, because a late worker may look at it.
    struct Region {
        std::atomic<lathe_task> task{nullptr};
        std::atomic<void*> closure{nullptr};
        std::atomic<Profile*> profile{nullptr};
    };

    /// The chunks of a thread that nobody has taken yet: number of the region << 32 | end << 16 | begin. On a cache line of its
    /// own, which only its thread writes until others run out of work.
    struct alignas(64) Share {
        std::atomic<uint64_t> left{0};
    };

    int32_t runInline(lathe_exec* exec, lathe_task task, void* closure, int64_t chunks);
    void startWorkers();
    void work(int thread);
    void share(uint32_t region, int64_t chunks);
    bool awaitRegion(uint32_t& region);
    void park(uint32_t region);
    void participate(int thread, uint32_t region);
    void noteFailure(int64_t chunk, int32_t status);

    const int threads_;
    const bool flushesSubnormals_;
    std::vector<lathe_exec> execs_; // inside a region, by thread
    std::vector<std::thread> workers_;
    std::vector<Share> shares_; // by thread
    bool started_ = false;

    alignas(64) std::atomic<uint32_t> current_{0};            // number of the region
    alignas(64) std::atomic<int64_t> done_{0};                // chunks that have ended, or were left out
    alignas(64) std::atomic<uint64_t> failure_{~uint64_t{0}}; // lowest failing chunk << 32 | its status
    alignas(64) Region region_;
    alignas(64) std::atomic<bool> running_{false};
    std::atomic<bool> stop_{false};
    std::atomic<uint32_t> wake_{0};
    std::atomic<int32_t> parked_{0};
};

} // namespace lathe::runtime
