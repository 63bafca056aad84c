// SPDX-License-Identifier: Apache-2.0
//
// Threads of one context. A parallel region is chunks 0 … n-1, claimed in ascending order from one atomic word by the
// caller and the workers; no lock and no allocation on the way. Workers spin between the regions of an inference and
// park after it. What a region computes and which status it gives do not depend on who runs a chunk.
#pragma once

#include "runtime/abi.h"
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
    /// `threads` counts the caller; 0: all that this process may use. Workers start with the first region.
    ThreadPool(int threads, Context* context);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    int threads() const { return threads_; }
    /// From one thread at a time; `exec` says whether this is already inside a region (then it runs inline). Gives 0 or
    /// the status of the lowest failing chunk; chunks above a failing one may be left out.
    int32_t run(lathe_exec* exec, lathe_task task, void* closure, int64_t chunks, Profile* profile = nullptr);
    /// Between these two workers spin for the next region.
    void startRun() { running_.store(true, std::memory_order_relaxed); }
    void endRun() { running_.store(false, std::memory_order_relaxed); }

private:
    /// What the workers of a region need. Written while none is active; atomics, because a late worker may look at it.
    struct Region {
        std::atomic<lathe_task> task{nullptr};
        std::atomic<void*> closure{nullptr};
        std::atomic<int64_t> chunks{0};
        std::atomic<Profile*> profile{nullptr};
    };

    int32_t runInline(lathe_exec* exec, lathe_task task, void* closure, int64_t chunks);
    void startWorkers();
    void work(int thread);
    bool awaitRegion(uint64_t& claim, uint32_t epoch);
    void park(uint32_t epoch);
    void participate(int thread, uint64_t claim);
    void noteFailure(int64_t chunk, int32_t status);

    const int threads_;
    std::vector<lathe_exec> execs_; // inside a region, by thread
    std::vector<std::thread> workers_;
    bool started_ = false;

    alignas(64) std::atomic<uint64_t> claim_{0};              // epoch of the region << 32 | chunks left
    alignas(64) std::atomic<int64_t> done_{0};                // chunks that have ended, or were left out
    alignas(64) std::atomic<uint64_t> failure_{~uint64_t{0}}; // lowest failing chunk << 32 | its status
    alignas(64) Region region_;
    alignas(64) std::atomic<bool> running_{false};
    std::atomic<bool> stop_{false};
    std::atomic<uint32_t> wake_{0};
    std::atomic<int32_t> parked_{0};
};

} // namespace lathe::runtime
