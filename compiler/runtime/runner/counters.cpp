// SPDX-License-Identifier: Apache-2.0
#include "runtime/runner/counters.h"

#include <cerrno>

#if defined(__linux__)
#include <cstdlib>
#include <dirent.h>
#include <iterator>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace lathe::runtime::runner {

#if defined(__linux__)

namespace {

constexpr uint64_t cacheEvent(uint64_t cache, uint64_t operation, uint64_t result) {
    return cache | operation << 8 | result << 16;
}

constexpr struct {
    std::string_view name;
    uint32_t type;
    uint64_t config;
} kinds[] = {
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"L1 data misses", PERF_TYPE_HW_CACHE,
     cacheEvent(PERF_COUNT_HW_CACHE_L1D, PERF_COUNT_HW_CACHE_OP_READ, PERF_COUNT_HW_CACHE_RESULT_MISS)},
    {"last-level misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    {"page faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
};
constexpr size_t hardwareKinds = std::size(kinds) - 1;

int openEvent(size_t kind, pid_t thread) {
    perf_event_attr wanted{};
    wanted.size = sizeof wanted;
    wanted.type = kinds[kind].type;
    wanted.config = kinds[kind].config;
    wanted.disabled = 1;
    wanted.exclude_kernel = 1; // what a user may ask for without rights of its own
    wanted.exclude_hv = 1;
    wanted.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    return static_cast<int>(syscall(SYS_perf_event_open, &wanted, thread, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

std::vector<pid_t> threadsOfThisProcess() {
    std::vector<pid_t> threads;
    if (DIR* folder = opendir("/proc/self/task")) {
        while (const dirent* entry = readdir(folder))
            if (const int thread = std::atoi(entry->d_name); thread > 0)
                threads.push_back(thread);
        closedir(folder);
    }
    return threads;
}

} // namespace

Counters::Counters() {
    const std::vector<pid_t> threads = threadsOfThisProcess();
    for (size_t kind = 0; kind < std::size(kinds); ++kind) {
        const size_t before = events_.size();
        for (const pid_t thread : threads) {
            const int descriptor = openEvent(kind, thread);
            if (descriptor >= 0) {
                events_.push_back({kind, descriptor});
                continue;
            }
            if (error_ == 0)
                error_ = errno;
            for (; events_.size() > before; events_.pop_back()) // a count of some threads would be none of the run
                close(events_.back().descriptor);
            break;
        }
    }
    // One that is missing does not spoil the others; the reason counts where the processor counts nothing at all.
    for (const Event& event : events_)
        if (event.kind < hardwareKinds)
            error_ = 0;
}

Counters::~Counters() {
    for (const Event& event : events_)
        close(event.descriptor);
}

void Counters::start() {
    for (const Event& event : events_)
        ioctl(event.descriptor, PERF_EVENT_IOC_ENABLE, 0);
}

void Counters::stop() {
    for (const Event& event : events_)
        ioctl(event.descriptor, PERF_EVENT_IOC_DISABLE, 0);
}

std::vector<Counters::Count> Counters::read() const {
    std::vector<Count> counts;
    for (const Event& event : events_) {
        struct {
            uint64_t value, enabled, running;
        } got{};
        if (::read(event.descriptor, &got, sizeof got) != sizeof got)
            continue;
        if (counts.empty() || counts.back().name != kinds[event.kind].name)
            counts.push_back({kinds[event.kind].name, 0});
        if (got.running > 0)
            counts.back().value +=
                static_cast<double>(got.value) * static_cast<double>(got.enabled) / static_cast<double>(got.running);
    }
    return counts;
}

#else

Counters::Counters() : error_(ENOSYS) {}
Counters::~Counters() = default;
void Counters::start() {}
void Counters::stop() {}
std::vector<Counters::Count> Counters::read() const {
    return {};
}

#endif

} // namespace lathe::runtime::runner
