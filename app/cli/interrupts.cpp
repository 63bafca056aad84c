// SPDX-License-Identifier: Apache-2.0
#include "app/cli/interrupts.h"

#include <atomic>
#include <csignal>
#include <cstdlib>

namespace lathe::cli {
namespace {

std::atomic<bool> interrupted = false; // a signal handler reaches nothing else

extern "C" void onInterrupt(int) {
    if (interrupted.exchange(true))
        std::_Exit(interruptedCode);
}

} // namespace

Interrupts::Interrupts() : before_(std::signal(SIGINT, onInterrupt)) {}
Interrupts::~Interrupts() {
    std::signal(SIGINT, before_);
}

bool Interrupts::asked() {
    return interrupted.load();
}

} // namespace lathe::cli
