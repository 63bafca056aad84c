// SPDX-License-Identifier: Apache-2.0
#include "app/cli/interrupts.h"

#include <atomic>
#include <csignal>
#include <cstdlib>

namespace lathe::cli {
namespace {

constexpr std::array signals = {SIGINT, SIGTERM, SIGHUP};
std::atomic<int> interruptedBy = 0; // a signal handler reaches nothing else

int codeOf(int signal) {
    constexpr int endedBySignal = 128;
    return endedBySignal + signal;
}

extern "C" void onInterrupt(int signal) {
    if (interruptedBy.exchange(signal) != 0)
        std::_Exit(codeOf(signal));
}

} // namespace

Interrupts::Interrupts() {
    for (size_t i = 0; i < signals.size(); ++i) {
        before_[i] = std::signal(signals[i], onInterrupt);
        if (signals[i] == SIGHUP && before_[i] == SIG_IGN)
            std::signal(SIGHUP, SIG_IGN);
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
