// SPDX-License-Identifier: GPL-3.0-or-later
//
// A text whose lines stand beside those of another, as a view shows it: how each line differs and what in it does, its own
// number, and what is too long to be read in it.
#pragma once

#include <QString>
#include <cstdint>
#include <utility>
#include <vector>

namespace lathe::views::models {

/// Absent: the line is the other text's alone.
enum class Tint : uint8_t { None, Added, Removed, Changed, Absent };

struct TintedText {
    QString text;
    std::vector<Tint> tints;                               // of each line
    std::vector<int> numbers;                              // of each line, from 0; -1: it has none
    std::vector<std::vector<std::pair<int, int>>> changes; // of each line, columns that differ; none: nobody knows
    std::vector<QString> tips;                             // of each line, in full; empty: it is as it is shown
};

} // namespace lathe::views::models
