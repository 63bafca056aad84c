// SPDX-License-Identifier: Apache-2.0
//
// The one way in which commands print a line for people: whatever a name in it holds, it stays one line.
#pragma once

#include "base/printable.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lathe::cli {

template <class... Args>
void printLine(fmt::format_string<Args...> format, Args&&... args) {
    fmt::print("{}\n", printable(fmt::format(format, std::forward<Args>(args)...)));
}

} // namespace lathe::cli
