// SPDX-License-Identifier: GPL-3.0-or-later
//
// Fuzzy matching: the letters that were typed stand in the text in that order, with others between. What begins words or stands
// together counts more, as in the algorithm of Smith and Waterman (1981) for local alignment, with gaps that cost.
#pragma once

#include <QString>
#include <optional>
#include <vector>

namespace lathe::views::models {

struct FuzzyMatch {
    int score = 0;              // the more, the better; texts for one pattern compare
    std::vector<int> positions; // of the letters found, in order
};

/// The best match of each word of `pattern` (spaces part words, which may come in any order); nothing if one does not match.
/// Upper and lower case are alike. An empty pattern matches everything with score 0. Time: letters of the pattern × of the text.
std::optional<FuzzyMatch> fuzzyMatch(QStringView pattern, QStringView text);

} // namespace lathe::views::models
