// SPDX-License-Identifier: Apache-2.0
//
// Arguments that the parser refuses: which word it is, and what it may have been meant to be. Of a misspelt command the parser
// says that a command is missing, and of a misspelt option that its value was not expected.
#pragma once

#include "base/result.h"

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace lathe::cli {

/// Of kind Usage, with the command that says more in the hint: what is said of the first of these words that is no command and
/// no option of the command before it, or of which there is none, what the parser said.
Diagnostic usageFault(const CLI::App& app, const std::vector<std::string>& words, const std::string& parserSaid);

/// The command that these words name, one within the other. Fails (kind Usage) for one that is not there.
Result<const CLI::App*> commandNamed(const CLI::App& app, const std::vector<std::string>& words);

} // namespace lathe::cli
