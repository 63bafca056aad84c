// SPDX-License-Identifier: Apache-2.0
//
// Time that does not depend on what else the machine does.
#pragma once

#include <ctime>

namespace lathe::testing {

/// Seconds of CPU time that the calling thread has had; with CLOCK_PROCESS_CPUTIME_ID all threads of this process.
inline double cpuSeconds(clockid_t clock = CLOCK_THREAD_CPUTIME_ID) {
    timespec time{};
    clock_gettime(clock, &time);
    return double(time.tv_sec) + double(time.tv_nsec) / 1e9;
}

} // namespace lathe::testing
