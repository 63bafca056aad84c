// SPDX-License-Identifier: Apache-2.0
//
// How a report looks, and the little that it does: it opens what is folded where a link leads into it, and sorts tables.
#pragma once

#include <string_view>

namespace lathe::report {

extern const std::string_view styleSheet, script;

} // namespace lathe::report
