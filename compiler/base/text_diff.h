// SPDX-License-Identifier: Apache-2.0
//
// Two texts, line by line. Lines are paired by Myers' O(ND) algorithm ("An O(ND) Difference Algorithm and Its Variations",
// Algorithmica 1, 1986), within a limit on the differences: beyond it the middle counts as replaced.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lathe {

struct DiffRow {
    enum class Kind { Same, Removed, Added, Changed };
    Kind kind = Kind::Same;
    int before = -1, after = -1; // line numbers from 0; -1: no line on that side
    bool operator==(const DiffRow&) const = default;
};

/// Each line of each side in exactly one row, in order. In a run of differences, lines that stand against each other are
/// Changed, the rest Removed or Added.
std::vector<DiffRow> diffLines(std::span<const std::string> before, std::span<const std::string> after);

/// The lines of a text, without their newlines; a last empty one is none.
std::vector<std::string> splitLines(std::string_view text);

} // namespace lathe
