// SPDX-License-Identifier: GPL-3.0-or-later
//
// Where work on another thread leaves its answers for an object. Once the object is gone there is nobody to take them.
#pragma once

#include <mutex>

namespace lathe::app {

template <class Owner>
struct Outbox {
    std::mutex mutex;
    Owner* owner = nullptr;

    template <class Tell>
    void post(const Tell& tell) {
        const std::lock_guard lock(mutex);
        if (owner)
            tell(*owner);
    }
    void close() {
        const std::lock_guard lock(mutex);
        owner = nullptr;
    }
};

} // namespace lathe::app
