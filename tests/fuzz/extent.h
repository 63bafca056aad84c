// SPDX-License-Identifier: Apache-2.0
//
// How many cases a fuzz test runs, and what they took.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <sys/resource.h>

namespace lathe::fuzz {

/// `count` in CI; as many times that as $LATHE_FUZZ says.
inline size_t scaled(size_t count) {
    const char* factor = std::getenv("LATHE_FUZZ");
    return count * (factor ? static_cast<size_t>(std::max(1, std::atoi(factor))) : 1);
}

/// Most memory that this process has had, in bytes.
inline int64_t residentPeak() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return int64_t{usage.ru_maxrss} * 1024;
}

} // namespace lathe::fuzz
