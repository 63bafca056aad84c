// SPDX-License-Identifier: Apache-2.0
//
// Names of operators' results. Bodies of functions name what they read by them ("split:output:2"); graphs count.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace lathe::frontend::tensorflow {

/// In order, of an operator with several that are named; empty where all have one name, or there is one.
std::span<const std::string_view> resultNames(std::string_view op);

} // namespace lathe::frontend::tensorflow
