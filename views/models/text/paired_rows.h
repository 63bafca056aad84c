// SPDX-License-Identifier: GPL-3.0-or-later
//
// Two texts whose lines are known to belong together, such as a binding before a pass and what became of it, as rows: where much
// is renumbered, a difference of texts pairs what only looks alike, or nothing.
#pragma once

#include "base/text_diff.h"

#include <QString>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace lathe::views::models {

/// Each line of each side in exactly one row; lines that `afterOf`, by line before, pairs share one (-1: it is paired with none),
/// others do where they are equal and stand between the same. The rows are in the order of the text after; a line before stands
/// beside its pair, or behind the line that it stood behind.
std::vector<DiffRow> pairedRows(std::span<const std::string> before, std::span<const std::string> after,
                                std::vector<int> afterOf);

/// Columns of a line, the end not included.
using Columns = std::pair<int, int>;

/// What differs within two lines: words and signs, of each side.
std::pair<std::vector<Columns>, std::vector<Columns>> changedColumns(const QString& before, const QString& after);

} // namespace lathe::views::models
