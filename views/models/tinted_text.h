// SPDX-License-Identifier: GPL-3.0-or-later
//
// A text whose lines stand beside those of another, as a view shows it: how each line differs, and its own number.
#pragma once

#include <QString>
#include <cstdint>
#include <vector>

namespace lathe::views::models {

/// Absent: the line is the other text's alone.
enum class Tint : uint8_t { None, Added, Removed, Changed, Absent };

struct TintedText {
    QString text;
    std::vector<Tint> tints;  // of each line
    std::vector<int> numbers; // of each line, from 0; -1: it has none
};

} // namespace lathe::views::models
