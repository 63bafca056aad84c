// SPDX-License-Identifier: Apache-2.0
// Lines before and after a pass: each line of each side stands in exactly one row, in order, and equal lines are paired.
#include "base/text_diff.h"
#include "support/program_of_tests.h"

#include <QTest>
#include <random>

namespace lathe::testing::test_text_diff {

using Kind = DiffRow::Kind;
using Lines = std::vector<std::string>;

namespace {

void checkRows(const Lines& before, const Lines& after, const std::vector<DiffRow>& rows) {
    int a = 0, b = 0;
    for (const DiffRow& row : rows) {
        if (row.before >= 0)
            QCOMPARE(row.before, a++);
        if (row.after >= 0)
            QCOMPARE(row.after, b++);
        QCOMPARE(row.kind == Kind::Removed, row.after < 0);
        QCOMPARE(row.kind == Kind::Added, row.before < 0);
        if (row.kind == Kind::Same)
            QCOMPARE(before[size_t(row.before)], after[size_t(row.after)]);
    }
    QCOMPARE(a, int(before.size()));
    QCOMPARE(b, int(after.size()));
}

auto sameRows(const std::vector<DiffRow>& rows) {
    return std::ranges::count(rows, Kind::Same, &DiffRow::kind);
}

Lines letters(const std::string& text) {
    Lines lines;
    for (const char letter : text)
        lines.emplace_back(1, letter);
    return lines;
}

} // namespace

class TestTextDiff : public QObject {
    Q_OBJECT

private slots:
    void exampleOfThePaper() {
        // Myers 1986: ABCABBA to CBABAC has a shortest script of 5 edits, so 4 common letters.
        const Lines before = letters("ABCABBA"), after = letters("CBABAC");
        const auto rows = diffLines(before, after);
        checkRows(before, after, rows);
        QCOMPARE(sameRows(rows), 4);
    }

    void equalAndEmpty() {
        QCOMPARE(sameRows(diffLines(letters("abc"), letters("abc"))), 3);
        checkRows({}, letters("abc"), diffLines({}, letters("abc")));
        checkRows(letters("abc"), {}, diffLines(letters("abc"), {}));
        QVERIFY(diffLines({}, {}).empty());
    }

    void movedLinesAreSeen() {
        // As sets of lines both sides are equal: only an order-keeping comparison sees that b moved.
        const Lines before = letters("abcd"), after = letters("acdb");
        const auto rows = diffLines(before, after);
        checkRows(before, after, rows);
        QCOMPARE(sameRows(rows), 3);
    }

    void randomEdits() {
        std::mt19937 random(7);
        const auto bounded = [&](unsigned limit) { return random() % limit; };
        for (int round = 0; round < 200; ++round) {
            Lines before, after;
            for (int i = 0; i < 60; ++i) {
                const std::string line = std::to_string(bounded(12));
                before.push_back(line);
                const auto fate = bounded(10);
                if (fate == 0)
                    continue;
                after.push_back(fate == 1 ? "new" : line);
                if (fate == 2)
                    after.push_back("more");
            }
            checkRows(before, after, diffLines(before, after));
        }
    }

    void farApartTextsEndSoon() {
        Lines before, after;
        for (int i = 0; i < 20000; ++i) {
            before.push_back("a" + std::to_string(i));
            after.push_back("b" + std::to_string(i));
        }
        const auto rows = diffLines(before, after);
        QCOMPARE(rows.size(), size_t(20000));
        QCOMPARE(rows[5].kind, Kind::Changed);
    }

    void textIsSplitAtNewlines() {
        QCOMPARE(splitLines(""), Lines());
        QCOMPARE(splitLines("a"), Lines{"a"});
        QCOMPARE(splitLines("a\n\nb\n"), (Lines{"a", "", "b"}));
    }
};

Test test() {
    return {makes<TestTextDiff>};
}

} // namespace lathe::testing::test_text_diff

#include "test_text_diff.moc"
