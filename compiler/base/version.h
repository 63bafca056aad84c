// SPDX-License-Identifier: Apache-2.0
// The version of Lathe, in one place: for `lathe --version`, reports and caches.
#pragma once

#include <string_view>

namespace lathe::base {

/// Version of the program as "major.minor.patch".
std::string_view version();

} // namespace lathe::base
