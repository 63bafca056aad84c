// SPDX-License-Identifier: Apache-2.0
//
// JSON as Lathe writes and reads it. Texts of models are any bytes, and numbers from outside need not fit. What reads and writes
// texts is not inline: compiling it takes longer than most files that need it.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace lathe {

/// A text from outside. Nothing if it is no JSON, or nested so deep that whoever walks it could run out of stack.
std::optional<nlohmann::json> parseJson(std::string_view text);

/// On one line, or with so many spaces a level; what is no UTF-8 is replaced.
std::string dump(const nlohmann::json& value, int indent = -1);

/// A number; as a text where it is infinite or none, for which JSON has nothing.
nlohmann::json numberOrText(double value);

/// An integer that fits; JSON has larger ones (kept as unsigned or as doubles) and fractions.
template <std::signed_integral T>
std::optional<T> integer(const nlohmann::json& value) {
    using Limits = std::numeric_limits<T>;
    if (!value.is_number_integer() ||
        (value.is_number_unsigned() && value.get<uint64_t>() > static_cast<uint64_t>(Limits::max())))
        return std::nullopt;
    const auto number = value.get<int64_t>();
    return number < Limits::min() || number > Limits::max() ? std::nullopt : std::optional(static_cast<T>(number));
}

} // namespace lathe
