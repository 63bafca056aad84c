// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/text/fuzzy.h"

#include <QList>
#include <algorithm>

namespace lathe::views::models {

namespace {

constexpr int letter = 16, next = 12, wordStart = 10, textStart = 4, gap = -1;
constexpr int impossible = -(1 << 20);
constexpr qsizetype longest = 400; // letters of a text that are looked at

bool startsWord(QStringView text, qsizetype at) {
    if (at == 0)
        return true;
    const QChar before = text[at - 1], here = text[at];
    return (!before.isLetterOrNumber() && here.isLetterOrNumber()) || (before.isLower() && here.isUpper()) ||
           (before.isLetter() && here.isDigit());
}

bool containsInOrder(QStringView word, QStringView text) {
    qsizetype found = 0;
    for (qsizetype i = 0; i < text.size() && found < word.size(); ++i)
        found += text[i].toCaseFolded() == word[found].toCaseFolded();
    return found == word.size();
}

/// Of one word: best[i][j] is the score of its first i + 1 letters, the last of them at place j of the text.
std::optional<FuzzyMatch> matchWord(QStringView word, QStringView text) {
    if (!containsInOrder(word, text))
        return std::nullopt;
    const auto rows = size_t(word.size()), columns = size_t(text.size());
    std::vector<int> best(rows * columns, impossible), from(rows * columns, -1);
    for (size_t i = 0; i < rows; ++i) {
        int carried = i == 0 ? 0 : impossible, carriedFrom = -1; // of a letter before, gaps paid
        for (size_t j = 0; j < columns; ++j) {
            if (word[qsizetype(i)].toCaseFolded() == text[qsizetype(j)].toCaseFolded()) {
                const int place = letter + (startsWord(text, qsizetype(j)) ? wordStart : 0) + (j == 0 ? textStart : 0);
                int& score = best[i * columns + j];
                int& source = from[i * columns + j];
                score = carried + place;
                source = carriedFrom;
                if (i > 0 && j > 0) {
                    const int joined = best[(i - 1) * columns + j - 1] + place + next;
                    if (joined > score)
                        score = joined, source = int(j) - 1;
                }
            }
            if (i == 0)
                continue; // what stands before the first letter costs nothing
            carried += gap;
            if (best[(i - 1) * columns + j] > carried)
                carried = best[(i - 1) * columns + j], carriedFrom = int(j);
        }
    }
    const auto last = best.begin() + ptrdiff_t((rows - 1) * columns);
    const auto end = std::max_element(last, best.end());
    if (*end < 0)
        return std::nullopt;
    FuzzyMatch match;
    match.score = *end;
    match.positions.resize(rows);
    for (int i = int(rows) - 1, j = int(end - last); i >= 0; --i) {
        match.positions[size_t(i)] = j;
        j = from[size_t(i) * columns + size_t(j)];
    }
    return match;
}

} // namespace

std::optional<FuzzyMatch> fuzzyMatch(QStringView pattern, QStringView text) {
    text = text.left(longest);
    FuzzyMatch all;
    for (const QStringView word : pattern.split(u' ', Qt::SkipEmptyParts)) {
        const auto match = matchWord(word, text);
        if (!match)
            return std::nullopt;
        all.score += match->score;
        all.positions.insert(all.positions.end(), match->positions.begin(), match->positions.end());
    }
    if (!all.positions.empty())
        all.score -= int(text.size()) / 8; // of equal ones the shorter
    std::sort(all.positions.begin(), all.positions.end());
    all.positions.erase(std::unique(all.positions.begin(), all.positions.end()), all.positions.end());
    return all;
}

} // namespace lathe::views::models
