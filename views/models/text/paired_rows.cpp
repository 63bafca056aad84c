// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/text/paired_rows.h"

namespace lathe::views::models {

namespace {

/// Of lines without a pair: equal ones in the same order, as headers and brackets are.
void pairEqual(std::span<const std::string> before, std::span<const std::string> after, std::vector<int>& afterOf) {
    std::vector<bool> taken(after.size());
    for (const int line : afterOf)
        if (line >= 0)
            taken[size_t(line)] = true;
    std::vector<std::string> left, right;
    std::vector<int> leftLines, rightLines;
    for (size_t i = 0; i < before.size(); ++i)
        if (afterOf[i] < 0) {
            left.push_back(before[i]);
            leftLines.push_back(int(i));
        }
    for (size_t i = 0; i < after.size(); ++i)
        if (!taken[i]) {
            right.push_back(after[i]);
            rightLines.push_back(int(i));
        }
    for (const DiffRow& row : diffLines(left, right))
        if (row.kind == DiffRow::Kind::Same)
            afterOf[size_t(leftLines[size_t(row.before)])] = rightLines[size_t(row.after)];
}

bool isOfWord(QChar c) {
    return c.isLetterOrNumber() || QStringLiteral("_%.#").contains(c);
}

struct Words {
    std::vector<std::string> texts;
    std::vector<Columns> columns;
};

Words wordsOf(const QString& line) {
    Words words;
    for (qsizetype at = 0; at < line.size();) {
        qsizetype end = at + 1;
        while (isOfWord(line[at]) && end < line.size() && isOfWord(line[end]))
            ++end;
        if (line[at] != ' ') {
            words.texts.push_back(line.mid(at, end - at).toStdString());
            words.columns.emplace_back(int(at), int(end));
        }
        at = end;
    }
    return words;
}

} // namespace

std::vector<DiffRow> pairedRows(std::span<const std::string> before, std::span<const std::string> after,
                                std::vector<int> afterOf) {
    pairEqual(before, after, afterOf);
    std::vector<int> beforeOf(after.size(), -1);
    for (size_t i = 0; i < before.size(); ++i)
        if (afterOf[i] >= 0)
            beforeOf[size_t(afterOf[i])] = int(i);
    std::vector<DiffRow> rows;
    const auto addRemoved = [&](size_t from) { // those that stood behind a line
        for (size_t i = from; i < before.size() && afterOf[i] < 0; ++i)
            rows.push_back({DiffRow::Kind::Removed, int(i), -1});
    };
    addRemoved(0);
    for (size_t i = 0; i < after.size(); ++i) {
        const int pair = beforeOf[i];
        if (pair < 0) {
            rows.push_back({DiffRow::Kind::Added, -1, int(i)});
            continue;
        }
        const bool same = before[size_t(pair)] == after[i];
        rows.push_back({same ? DiffRow::Kind::Same : DiffRow::Kind::Changed, pair, int(i)});
        addRemoved(size_t(pair) + 1);
    }
    return rows;
}

std::pair<std::vector<Columns>, std::vector<Columns>> changedColumns(const QString& before, const QString& after) {
    const Words left = wordsOf(before), right = wordsOf(after);
    std::pair<std::vector<Columns>, std::vector<Columns>> changed;
    for (const DiffRow& row : diffLines(left.texts, right.texts)) {
        if (row.kind == DiffRow::Kind::Same)
            continue;
        if (row.before >= 0)
            changed.first.push_back(left.columns[size_t(row.before)]);
        if (row.after >= 0)
            changed.second.push_back(right.columns[size_t(row.after)]);
    }
    return changed;
}

} // namespace lathe::views::models
