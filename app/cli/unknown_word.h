// SPDX-License-Identifier: Apache-2.0
//
// A misspelt command or option: which word it is, and what it may have been meant to be. The parser of arguments says for the
// one that a command is missing, and for the other that something was not expected.
#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>

namespace lathe::cli {

/// What is said of the first of these words that is no command and no option of the command before it; nothing if there is none.
std::string unknownWord(const CLI::App& app, std::span<char* const> words);

} // namespace lathe::cli
