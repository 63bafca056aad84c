// SPDX-License-Identifier: Apache-2.0
//
// The one way in which commands print a line for people: whatever a name in it holds, it stays one line. And how they say
// on standard error what goes wrong, or how far they are.
#pragma once

#include "base/printable.h"

#include <cstdio>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string>

namespace lathe::cli {

template <class... Args>
void printLine(fmt::format_string<Args...> format, Args&&... args) {
    fmt::print("{}\n", printable(fmt::format(format, std::forward<Args>(args)...)));
}

/// On standard error. Where that is closed or full nobody reads it, which is no reason to end what is under way.
template <class... Args>
void printStderr(fmt::format_string<Args...> format, Args&&... args) {
    const std::string text = fmt::format(format, std::forward<Args>(args)...);
    std::fwrite(text.data(), 1, text.size(), stderr);
}

} // namespace lathe::cli
