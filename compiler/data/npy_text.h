// SPDX-License-Identifier: Apache-2.0
//
// Strings in .npy files. NumPy gives all elements of an array as many characters as its longest has: of Unicode, four bytes each
// ("<U5"), or bytes ("|S5"). Zeros behind a string's end do not count, so a string cannot end with one.
#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lathe::data {

struct NpyText {
    bool unicode = false, turned = false; // turned: the most significant byte first
    uint64_t width = 0;                   // characters or bytes of an element

    /// Of an element; nothing if that is more than can be counted.
    std::optional<int64_t> bytes() const;
};

/// Nothing for the code of another type.
std::optional<NpyText> npyTextOf(std::string_view code);

/// The strings in elements that lie one behind another, as UTF-8 or as their bytes. Nothing if one of them is no text.
std::optional<std::vector<std::string>> stringsOf(const NpyText& type, std::span<const std::byte> elements);

/// Bytes that the elements take in a file. Fails for strings that no array of NumPy can hold, and where a few long ones among
/// many would make it larger than limits::npyTextBytes.
Result<uint64_t> npyBytesOf(const std::vector<std::string>& strings);
/// A whole file: of Unicode if all strings are UTF-8, else of bytes. Fails as npyBytesOf does.
Result<std::string> npyOfStrings(std::span<const int64_t> shape, const std::vector<std::string>& strings);

} // namespace lathe::data
