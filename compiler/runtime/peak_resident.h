// SPDX-License-Identifier: Apache-2.0
//
// The most memory that this process has had resident. What getrusage says is also of the program that started this one, until it
// did; so /proc is asked first.
#pragma once

#include <cstdint>
#include <cstdio>
#include <sys/resource.h>

namespace lathe::runtime {

/// Bytes.
inline int64_t peakResident() {
    long long kilobytes = 0;
    if (std::FILE* status = std::fopen("/proc/self/status", "re")) {
        char line[256];
        while (std::fgets(line, sizeof line, status))
            if (std::sscanf(line, "VmHWM: %lld kB", &kilobytes) == 1)
                break;
        std::fclose(status);
    }
    if (kilobytes == 0) {
        rusage usage{};
        getrusage(RUSAGE_SELF, &usage);
        kilobytes = usage.ru_maxrss;
    }
    return kilobytes * 1024;
}

} // namespace lathe::runtime
