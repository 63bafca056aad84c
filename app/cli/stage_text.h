// SPDX-License-Identifier: Apache-2.0
//
// The IR at a pass as text, and the lines that the pass changed.
#pragma once

#include "driver/trace.h"

#include <string>
#include <vector>

namespace lathe::cli {

/// The text before a pass or after it: of the module, or of all kernels. `function` empty: all of them. Empty if there is none.
std::string textAt(const driver::Trace& trace, const std::string& pass, const std::string& function, bool before);

/// The lines that differ, "- …" and "+ …": of each run of differences first those before, then those after.
std::vector<std::string> differences(const std::string& before, const std::string& after);

} // namespace lathe::cli
