// SPDX-License-Identifier: Apache-2.0
//
// The IR at a pass as text, and the lines that the pass changed.
#pragma once

#include "base/result.h"
#include "driver/trace.h"

#include <string>
#include <vector>

namespace lathe::cli {

/// The text before a pass or after it: of the module, or of all kernels. `function` empty: all of them. Fails (kind Usage) for
/// a pass or a function that is not there, and says which are.
Result<std::string> textAt(const driver::Trace& trace, const std::string& pass, const std::string& function,
                           bool before);

/// What is said (kind Usage) of a function that is none of these.
Diagnostic noFunction(const std::string& name, const std::vector<std::string>& functions);
/// Of the kernels.
std::vector<std::string> functionNames(const driver::Trace& trace);

/// The lines that differ, "- …" and "+ …": of each run of differences first those before, then those after.
std::vector<std::string> differences(const std::string& before, const std::string& after);

} // namespace lathe::cli
