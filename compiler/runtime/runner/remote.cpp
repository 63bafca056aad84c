// SPDX-License-Identifier: Apache-2.0
#include "runtime/runner/remote.h"

#include "runtime/runner/stream.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <poll.h>
#include <sched.h>
#include <sys/time.h>
#include <thread>
#include <unistd.h>

namespace lathe::runtime::runner {

using namespace protocol;

namespace {

constexpr uint64_t idleMilliseconds = 30 * 60 * 1000; // without any request

std::atomic<Lease*> leaseOfProcess = nullptr;

[[noreturn]] void leave(int code) {
    if (Lease* lease = leaseOfProcess.load())
        lease->release();
    _exit(code);
}

void setAlarm(uint64_t milliseconds) {
    const itimerval timer{
        {0, 0}, {static_cast<time_t>(milliseconds / 1000), static_cast<suseconds_t>(milliseconds % 1000 * 1000)}};
    setitimer(ITIMER_REAL, &timer, nullptr);
}

std::string parentOf(const std::string& folder) {
    const size_t slash = folder.find_last_of('/');
    return slash == std::string::npos ? "." : slash == 0 ? "/" : folder.substr(0, slash);
}

} // namespace

Remote::Remote(const std::string& folder) : folder_(parentOf(folder)), store_(folder_), lease_(folder_) {
    unlink((folder + "/lathe-runner").c_str());
    rmdir(folder.c_str());
    leaseOfProcess = &lease_;
    std::signal(SIGALRM, [](int) { leave(exitDeadline); });
    end();
}

void Remote::begin() const {
    setAlarm(deadline_);
}

void Remote::end() const {
    setAlarm(idleMilliseconds);
}

void Remote::watch(int in, int out) {
    std::thread([this, in, out] {
        constexpr int period = std::chrono::milliseconds(aliveEvery).count();
        for (;;) {
            pollfd poll{in, POLLRDHUP, 0};
            const int ready = ::poll(&poll, 1, period);
            if (ready > 0 || (ready < 0 && errno != EINTR))
                leave(0);
            // Somebody who writes just now is heard anyway.
            if (const std::unique_lock lock(output_, std::try_to_lock); ready == 0 && lock)
                writeFrame(out, Kind::Alive, {});
        }
    }).detach();
}

bool useCpus(const std::string& list) {
    cpu_set_t chosen{};
    CPU_ZERO(&chosen);
    const char *at = list.data(), *end = at + list.size();
    const auto number = [&](int& value) {
        const auto [next, status] = std::from_chars(at, end, value);
        at = next;
        return status == std::errc() && value >= 0 && value < CPU_SETSIZE;
    };
    for (bool more = true; more;) {
        int first = 0;
        if (!number(first))
            return false;
        int last = first;
        if (at < end && *at == '-') {
            ++at;
            if (!number(last) || last < first)
                return false;
        }
        for (int cpu = first; cpu <= last; ++cpu)
            CPU_SET(cpu, &chosen);
        more = at < end && *at == ',';
        at += more ? 1 : 0;
    }
    return at == end && sched_setaffinity(0, sizeof chosen, &chosen) == 0;
}

} // namespace lathe::runtime::runner
