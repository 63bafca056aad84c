// SPDX-License-Identifier: Apache-2.0
//
// What C has no operator for, or one that means something else: a division that never traps, conversions that saturate,
// minima in which NaN wins. Each is a small function of C99; only those that a model uses are written into its file.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace lathe::codegen {

class CHelpers {
public:
    /// The C name of a helper: "div_i32" gives "lathe_div_i32". From here on the file has it. Throws InternalError if there is
    /// none of the name.
    std::string use(std::string_view name);
    /// Definitions of those that were used, in one order.
    std::string text() const;

private:
    std::set<std::string> used_;
};

} // namespace lathe::codegen
