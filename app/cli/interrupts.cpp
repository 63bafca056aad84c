// SPDX-License-Identifier: Apache-2.0
#include "app/cli/interrupts.h"

#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <ctime>

namespace lathe::cli {
namespace {

constexpr std::array signals = {SIGINT, SIGTERM, SIGHUP};
std::atomic<int> interruptedBy = 0; // a signal handler reaches nothing else
std::atomic<int64_t> interruptedAt = 0;

/// Milliseconds; a signal handler may ask for them.
int64_t now() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return int64_t{time.tv_sec} * 1000 + time.tv_nsec / 1'000'000;
}

int codeOf(int signal) {
    constexpr int endedBySignal = 128;
    return endedBySignal + signal;
}

extern "C" void onInterrupt(int signal) {
    // Programs send several, one after the other or to all of a group: only keys are meant as often as they are pressed.
    constexpr int64_t oneWish = 1000;
    int none = 0;
    int64_t never = 0;
    interruptedAt.compare_exchange_strong(never, now()); // before the signal: the next may come in between
    if (!interruptedBy.compare_exchange_strong(none, signal) && (signal == SIGINT || now() - interruptedAt > oneWish))
        std::_Exit(codeOf(signal));
}

} // namespace

Interrupts::Interrupts() {
    for (size_t i = 0; i < signals.size(); ++i) {
        struct sigaction there{};
        sigaction(signals[i], nullptr, &there);
        const bool isIgnored = signals[i] == SIGHUP && there.sa_handler == SIG_IGN; // as by nohup
        before_[i] = isIgnored ? SIG_IGN : std::signal(signals[i], onInterrupt);
    }
}

Interrupts::~Interrupts() {
    for (size_t i = 0; i < signals.size(); ++i)
        std::signal(signals[i], before_[i]);
}

bool Interrupts::asked() {
    return interruptedBy.load() != 0;
}

int Interrupts::code() {
    return codeOf(asked() ? interruptedBy.load() : SIGINT);
}

} // namespace lathe::cli
