// SPDX-License-Identifier: Apache-2.0
//
// How a region runs. A word a thread holds the region's number and which chunks of the thread's share are left; its thread
// takes the first of them, others the last, by compare-and-swap. So a worker that comes late, or slept through regions, can
// never take a chunk with what it read of another region: its swap fails. The words are written before the region's number
// is, on which workers wait; no chunk comes back to a share, so who looked through all of them is done. The caller waits for
// the chunks, not for the workers.
#include "runtime/thread_pool.h"

#include "runtime/float_mode.h"
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
constexpr int64_t maxChunks = int64_t{1} << 16; // what a share's word has bits for; code asks for 64 at most

inline void pauseCpu() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#elif defined(__riscv)
    asm volatile(".4byte 0x0100000f"); // pause, a fence without effect where Zihintpause is not
#endif
}

/// What is left of a share, as its word says it.
struct Left {
    uint32_t region;
    uint32_t begin, end;

    explicit Left(uint64_t word)
        : region(static_cast<uint32_t>(word >> 32)), begin(word & 0xffffU), end((word >> 16) & 0xffffU) {}
    Left(uint32_t of, int64_t from, int64_t to)
        : region(of), begin(static_cast<uint32_t>(from)), end(static_cast<uint32_t>(to)) {}
    uint64_t word() const { return (uint64_t{region} << 32) | (end << 16) | begin; }
};

enum class From : bool { Begin, End };

/// A chunk of the share, which nobody else gets; -1: none is left, or it is another region's.
int64_t take(std::atomic<uint64_t>& share, uint32_t region, From from) {
    uint64_t word = share.load(std::memory_order_acquire);
    for (;;) {
        Left left(word);
        if (left.region != region || left.begin == left.end)
            return -1;
        const uint32_t chunk = from == From::Begin ? left.begin++ : --left.end;
        if (share.compare_exchange_weak(word, left.word(), std::memory_order_acq_rel, std::memory_order_acquire))
            return chunk;
    }
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

ThreadPool::ThreadPool(int threads, bool flushesSubnormals, Context* context)
    : threads_(threads > 0 ? threads : availableThreads()), flushesSubnormals_(flushesSubnormals),
      shares_(static_cast<size_t>(threads_)) {
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
    region_.profile.store(profile, std::memory_order_release);
    failure_.store(~uint64_t{0}, std::memory_order_relaxed);
    done_.store(0, std::memory_order_relaxed);
    const uint32_t region = current_.load(std::memory_order_relaxed) + 1;
    share(region, chunks);
    // Sequentially consistent with park(): either the worker sees the region or this sees the parked worker.
    current_.store(region, std::memory_order_seq_cst);
    if (parked_.load(std::memory_order_seq_cst) > 0) {
        wake_.fetch_add(1, std::memory_order_seq_cst);
        wake_.notify_all();
    }
    participate(0, region);
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

/// Gives each thread that there is its share. Those that are left without one have a word of an earlier region.
void ThreadPool::share(uint32_t region, int64_t chunks) {
    const int64_t sharers = std::min(static_cast<int64_t>(workers_.size()) + 1, chunks);
    for (int64_t i = 0; i < sharers; ++i) {
        const Left left(region, i * chunks / sharers, (i + 1) * chunks / sharers);
        shares_[static_cast<size_t>(i)].left.store(left.word(), std::memory_order_release);
    }
}

void ThreadPool::work(int thread) {
    const FloatMode mode(flushesSubnormals_);
    uint32_t region = 0;
    while (awaitRegion(region))
        participate(thread, region);
}

/// Waits for a region other than `region`, and says which; false: the pool ends.
bool ThreadPool::awaitRegion(uint32_t& region) {
    Clock::time_point idleSince{};
    for (int spins = 1;; ++spins) {
        if (const uint32_t current = current_.load(std::memory_order_acquire); current != region) {
            region = current;
            return true;
        }
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
            park(region);
            idleSince = {};
        }
    }
}

void ThreadPool::park(uint32_t region) {
    const uint32_t before = wake_.load(std::memory_order_seq_cst);
    parked_.fetch_add(1, std::memory_order_seq_cst);
    if (current_.load(std::memory_order_seq_cst) == region && !stop_.load(std::memory_order_seq_cst))
        wake_.wait(before, std::memory_order_seq_cst);
    parked_.fetch_sub(1, std::memory_order_seq_cst);
}

/// Runs chunks of the region, the thread's own first, until all are taken or the region is over.
void ThreadPool::participate(int thread, uint32_t region) {
    // If the region is over by now these may belong to the next one; then no share has a chunk of it, and nothing is used.
    const lathe_task task = region_.task.load(std::memory_order_acquire);
    void* const closure = region_.closure.load(std::memory_order_acquire);
    Profile* const profile = region_.profile.load(std::memory_order_acquire);

    int32_t ended = 0;
    int64_t begin = 0;
    for (int i = 0; i < threads_; ++i) {
        std::atomic<uint64_t>& left = shares_[static_cast<size_t>((thread + i) % threads_)].left;
        const From from = i == 0 ? From::Begin : From::End;
        for (int64_t chunk = take(left, region, from); chunk >= 0; chunk = take(left, region, from)) {
            if (profile && ended == 0)
                begin = Profile::now();
            if (chunk < static_cast<int64_t>(failure_.load(std::memory_order_relaxed) >> 32))
                if (const int32_t status = task(closure, chunk, &execs_[static_cast<size_t>(thread)]))
                    noteFailure(chunk, status);
            ++ended;
        }
    }
    if (ended == 0)
        return;
    if (profile)
        profile->noteRegion(thread, ended, begin);
    done_.fetch_add(ended, std::memory_order_acq_rel);
}

void ThreadPool::noteFailure(int64_t chunk, int32_t status) {
    const uint64_t mine = (static_cast<uint64_t>(chunk) << 32) | static_cast<uint32_t>(status);
    uint64_t lowest = failure_.load(std::memory_order_relaxed);
    while (mine < lowest && !failure_.compare_exchange_weak(lowest, mine, std::memory_order_relaxed)) {
    }
}

} // namespace lathe::runtime
