// SPDX-License-Identifier: Apache-2.0
//
// Time that does not depend on what else the machine does.
#pragma once

#include <ctime>

namespace lathe::testing {

/// Seconds of CPU time that the calling thread has had.
inline double cpuSeconds() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return double(time.tv_sec) + double(time.tv_nsec) / 1e9;
}

} // namespace lathe::testing
