// SPDX-License-Identifier: Apache-2.0
//
// Numbers among the arguments of programs that check themselves or a bundle, and how large they may be.
#pragma once

#include <charconv>
#include <cstring>

namespace lathe::selfcheck {

inline constexpr int mostRepeats = 1'000'000; // timed runs
inline constexpr int mostSeconds = 1'000'000; // that a step may take

/// False: the text is no number from `least` to `most`.
inline bool number(const char* text, int least, int most, int& value) {
    const char* end = text + std::strlen(text);
    const auto [at, status] = std::from_chars(text, end, value);
    return status == std::errc() && at == end && value >= least && value <= most;
}

} // namespace lathe::selfcheck
