// SPDX-License-Identifier: Apache-2.0
//
// An enumeration's value by its name: the other way of a toString that names them all.
#pragma once

#include <optional>
#include <string_view>

namespace lathe {

/// The values are those from 0 to `last`.
template <class Enum>
std::optional<Enum> named(std::string_view text, Enum last) {
    for (int i = 0; i <= static_cast<int>(last); ++i)
        if (text == toString(static_cast<Enum>(i)))
            return static_cast<Enum>(i);
    return std::nullopt;
}

} // namespace lathe
