// SPDX-License-Identifier: Apache-2.0
// The version of Lathe, which stands in CMakeLists.txt alone: for `lathe --version` and the workbench.
#pragma once

#include <string_view>

namespace lathe::base {

/// Version of the program as "major.minor.patch".
std::string_view version();

} // namespace lathe::base
