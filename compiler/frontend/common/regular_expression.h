// SPDX-License-Identifier: Apache-2.0
//
// Regular expressions in RE2's syntax (github.com/google/re2/wiki/Syntax), compiled to what the runtime walks.
#pragma once

#include "base/result.h"

#include <string>
#include <string_view>

namespace lathe::frontend {

/// The program (abi/match_program.h) that matches a whole text of UTF-8, as bytes. Groups say nothing but where they begin and
/// end, and whether a repetition is greedy makes no difference. Fails for what is malformed, and as Unsupported for classes by
/// Unicode's properties, for letters beyond ASCII in any case, and for expressions that are too large.
Result<std::string> compileExpression(std::string_view expression);

} // namespace lathe::frontend
