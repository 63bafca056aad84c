// SPDX-License-Identifier: Apache-2.0
//
// Numbers of things in English, with what is said of them: "1 call takes", "2 calls take".
#pragma once

#include <concepts>
#include <fmt/format.h>
#include <string>
#include <string_view>

namespace lathe {

template <std::integral Number>
std::string counted(Number number, std::string_view one, std::string_view many) {
    return fmt::format("{} {}", number, number == 1 ? one : many);
}

} // namespace lathe
