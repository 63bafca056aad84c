// SPDX-License-Identifier: Apache-2.0
//
// What manual pages say beyond options: what a command is for and how it is called, and what of the environment all heed.
#pragma once

#include <span>
#include <string_view>

namespace lathe::cli {

struct PageText {
    std::string_view command;     // "tune"; "": the program
    std::string_view description; // a paragraph
    std::string_view examples;    // lines: each a command, or a comment on the next that begins with #
};
/// Of the command of this name, or null.
const PageText* pageTextOf(std::string_view command);

struct PageTerm {
    std::string_view term, text;
};
std::span<const PageTerm> environmentTerms();
std::span<const PageTerm> fileTerms();

} // namespace lathe::cli
