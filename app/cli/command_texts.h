// SPDX-License-Identifier: Apache-2.0
//
// What is made of the table of commands and options beside --help: manual pages, and what shells complete. One source, so
// none of them can name an option that is not there.
#pragma once

#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace lathe::cli {

/// "lathe records list": how the command is called.
std::string calledAs(const CLI::App& command);

/// A manual page in roff's man macros: of the program, or of the command of this name ("tune", "records list"). Empty if
/// there is no such command.
std::string manPage(const CLI::App& program, std::string_view command, std::string_view version);

/// A script that makes a shell complete commands and options of the program; files elsewhere. Empty for another shell than
/// bash, zsh or fish.
std::string completion(const CLI::App& program, std::string_view shell);

} // namespace lathe::cli
