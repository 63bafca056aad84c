// SPDX-License-Identifier: Apache-2.0
//
// What values of options must be like, where the parser's own checks let something pass that means nothing.
#pragma once

#include <CLI/CLI.hpp>

namespace lathe::cli {

CLI::Validator between(int low, int high); // which NaN is not
/// A time in seconds that can be waited for.
CLI::Validator seconds();
/// "90s", "5m", "1.5h", or a number of seconds; what is read is seconds.
CLI::Validator duration();
/// A whole number of 64 bits.
CLI::Validator seed();

} // namespace lathe::cli
