// SPDX-License-Identifier: Apache-2.0
//
// Tolerances in words, as tests of other formats state them: advice for people, "1e-5 relative to the largest output",
// "1 step (ties)", "exact or 1e-6", with remarks of any kind. What is read are the numbers, and whether they count
// steps.
#pragma once

#include "data/compare.h"

namespace lathe::data {

/// Of several numbers the largest, since nothing here knows which of the cases it is. What stands behind a semicolon is
/// left out. Fails for words that say nothing to hold an output against.
Result<StatedTolerance> parseStated(std::string_view text);

} // namespace lathe::data
