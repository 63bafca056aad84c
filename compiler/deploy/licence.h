// SPDX-License-Identifier: Apache-2.0
//
// Licences as SPDX writes them (SPDX 2.3, annex D): "MIT", "Apache-2.0 WITH LLVM-exception OR (LicenseRef-ours AND MIT)". Whether
// a name is on the list of licences is not asked: that grows from month to month.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace lathe::deploy {

bool isLicenceExpression(std::string_view text);

/// The licences in it that are on no list: "LicenseRef-ours".
std::set<std::string> licenceRefsOf(std::string_view expression);

} // namespace lathe::deploy
