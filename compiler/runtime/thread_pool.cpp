// SPDX-License-Identifier: Apache-2.0
//
// How a region runs. The word `claim_` holds the region's number and how many chunks are left; a thread takes the next
// one by decrementing it with compare-and-swap. So a worker that comes late, or slept through regions, can never take a
// chunk with what it read of another region: its swap fails. The caller waits for the chunks, not for the workers.
#include "runtime/thread_pool.h"

#include "runtime/profile.h"

#include <algorithm>
#include <chrono>
#include <system_error>

#if defined(__linux__)
#include <sched.h>
#endif

namespace lathe::runtime {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int pausesBetweenYields = 512; // some 20 µs: then let others have the core, if any wait
constexpr auto spinInRun = std::chrono::milliseconds(20);
constexpr auto spinAfterRun = std::chrono::microseconds(100);
constexpr int64_t maxChunks = int64_t{1} << 31;

inline void pauseCpu() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#elif defined(__riscv)
    asm volatile(".4byte 0x0100000f"); // pause, a fence without effect where Zihintpause is not
#endif
}

uint32_t epochOf(uint64_t claim) {
    return static_cast<uint32_t>(claim >> 32);
}
int64_t leftOf(uint64_t claim) {
    return static_cast<int64_t>(claim & 0xffffffffU);
}

int availableThreads() {
#if defined(__linux__)
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return std::max(1, CPU_COUNT(&set));
#endif
    return std::max(1U, std::thread::hardware_concurrency());
}

} // namespace

ThreadPool::ThreadPool(int threads, Context* context) : threads_(threads > 0 ? threads : availableThreads()) {
    for (int i = 0; i < threads_; ++i)
        execs_.push_back({context, i, true});
    workers_.reserve(static_cast<size_t>(threads_));
}

ThreadPool::~ThreadPool() {
    stop_.store(true, std::memory_order_seq_cst);
    wake_.fetch_add(1, std::memory_order_seq_cst);
    wake_.notify_all();
    for (std::thread& worker : workers_)
        worker.join();
}

int32_t ThreadPool::run(lathe_exec* exec, lathe_task task, void* closure, int64_t chunks, Profile* profile) {
    if (exec->inRegion)
        return runInline(exec, task, closure, chunks);
    if (threads_ == 1 || chunks <= 1 || chunks >= maxChunks)
        return runInline(&execs_[0], task, closure, chunks);
    if (!started_)
        startWorkers();

    // Released, and acquired by participate: who sees one of these also sees that the region before has no chunk left.
    region_.task.store(task, std::memory_order_release);
    region_.closure.store(closure, std::memory_order_release);
    region_.chunks.store(chunks, std::memory_order_release);
    region_.profile.store(profile, std::memory_order_release);
    failure_.store(~uint64_t{0}, std::memory_order_relaxed);
    done_.store(0, std::memory_order_relaxed);
    const uint64_t epoch = epochOf(claim_.load(std::memory_order_relaxed)) + 1U;
    const uint64_t claim = (epoch << 32) | static_cast<uint64_t>(chunks);
    // Sequentially consistent with park(): either the worker sees the region or this sees the parked worker.
    claim_.store(claim, std::memory_order_seq_cst);
    if (parked_.load(std::memory_order_seq_cst) > 0) {
        wake_.fetch_add(1, std::memory_order_seq_cst);
        wake_.notify_all();
    }
    participate(0, claim);
    const bool notes = profile && profile->notesEvents();
    const int64_t waitsSince = notes ? Profile::now() : 0;
    for (int spins = 1; done_.load(std::memory_order_acquire) != chunks; ++spins) {
        pauseCpu();
        if (spins % pausesBetweenYields == 0)
            std::this_thread::yield();
    }
    if (notes)
        profile->noteWait(waitsSince);
    const uint64_t failure = failure_.load(std::memory_order_relaxed);
    return failure == ~uint64_t{0} ? 0 : static_cast<int32_t>(failure & 0xffffffffU);
}

int32_t ThreadPool::runInline(lathe_exec* exec, lathe_task task, void* closure, int64_t chunks) {
    for (int64_t chunk = 0; chunk < chunks; ++chunk)
        if (const int32_t status = task(closure, chunk, exec))
            return status;
    return 0;
}

void ThreadPool::startWorkers() {
    started_ = true;
    try {
        for (int i = 1; i < threads_; ++i)
            workers_.emplace_back([this, i] { work(i); });
    } catch (const std::exception&) {
        // No thread or no memory for one. Fewer than wished are slower, not wrong: chunks go to those that there are.
    }
}

void ThreadPool::work(int thread) {
    uint32_t epoch = 0;
    uint64_t claim = 0;
    while (awaitRegion(claim, epoch)) {
        epoch = epochOf(claim);
        participate(thread, claim);
    }
}

/// Waits for a region other than `epoch`; false: the pool ends.
bool ThreadPool::awaitRegion(uint64_t& claim, uint32_t epoch) {
    Clock::time_point idleSince{};
    for (int spins = 1;; ++spins) {
        claim = claim_.load(std::memory_order_acquire);
        if (epochOf(claim) != epoch)
            return true;
        if (stop_.load(std::memory_order_relaxed))
            return false;
        pauseCpu();
        if (spins % pausesBetweenYields != 0)
            continue;
        std::this_thread::yield();
        const auto now = Clock::now();
        if (idleSince == Clock::time_point{})
            idleSince = now;
        else if (now - idleSince >
                 (running_.load(std::memory_order_relaxed) ? Clock::duration(spinInRun) : spinAfterRun)) {
            park(epoch);
            idleSince = {};
        }
    }
}

void ThreadPool::park(uint32_t epoch) {
    const uint32_t before = wake_.load(std::memory_order_seq_cst);
    parked_.fetch_add(1, std::memory_order_seq_cst);
    if (epochOf(claim_.load(std::memory_order_seq_cst)) == epoch && !stop_.load(std::memory_order_seq_cst))
        wake_.wait(before, std::memory_order_seq_cst);
    parked_.fetch_sub(1, std::memory_order_seq_cst);
}

/// Runs chunks of the region that `claim` was read from until none is left or the region is over.
void ThreadPool::participate(int thread, uint64_t claim) {
    const uint32_t epoch = epochOf(claim);
    // If the region is over by now these may belong to the next one; then the swap below fails and nothing is used.
    const lathe_task task = region_.task.load(std::memory_order_acquire);
    void* const closure = region_.closure.load(std::memory_order_acquire);
    const int64_t chunks = region_.chunks.load(std::memory_order_acquire);
    Profile* const profile = region_.profile.load(std::memory_order_acquire);

    int64_t ended = 0;
    int64_t begin = 0;
    while (epochOf(claim) == epoch && leftOf(claim) > 0) {
        if (!claim_.compare_exchange_weak(claim, claim - 1, std::memory_order_acq_rel, std::memory_order_acquire))
            continue;
        const int64_t chunk = chunks - leftOf(claim);
        if (profile && ended == 0)
            begin = Profile::now();
        if (chunk < static_cast<int64_t>(failure_.load(std::memory_order_relaxed) >> 32))
            if (const int32_t status = task(closure, chunk, &execs_[static_cast<size_t>(thread)]))
                noteFailure(chunk, status);
        ++ended;
        claim = claim_.load(std::memory_order_acquire);
    }
    if (ended == 0)
        return;
    if (profile)
        profile->noteRegion(thread, static_cast<int32_t>(ended), begin);
    done_.fetch_add(ended, std::memory_order_acq_rel);
}

void ThreadPool::noteFailure(int64_t chunk, int32_t status) {
    const uint64_t mine = (static_cast<uint64_t>(chunk) << 32) | static_cast<uint32_t>(status);
    uint64_t lowest = failure_.load(std::memory_order_relaxed);
    while (mine < lowest && !failure_.compare_exchange_weak(lowest, mine, std::memory_order_relaxed)) {
    }
}

} // namespace lathe::runtime
