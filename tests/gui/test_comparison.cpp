// SPDX-License-Identifier: GPL-3.0-or-later
// Lines before and after a pass: each line of each side stands in exactly one row, in order, and equal lines are paired.
#include "views/models/comparison.h"

#include <QRandomGenerator>
#include <QTest>

using namespace lathe::views::models;
using Kind = ComparedRow::Kind;

namespace {

void checkRows(const QStringList& before, const QStringList& after, const std::vector<ComparedRow>& rows) {
    int a = 0, b = 0;
    for (const ComparedRow& row : rows) {
        if (row.before >= 0)
            QCOMPARE(row.before, a++);
        if (row.after >= 0)
            QCOMPARE(row.after, b++);
        QCOMPARE(row.kind == Kind::Removed, row.after < 0);
        QCOMPARE(row.kind == Kind::Added, row.before < 0);
        if (row.kind == Kind::Same)
            QCOMPARE(before[row.before], after[row.after]);
    }
    QCOMPARE(a, int(before.size()));
    QCOMPARE(b, int(after.size()));
}

int sameRows(const std::vector<ComparedRow>& rows) {
    return int(std::count_if(rows.begin(), rows.end(), [](const ComparedRow& row) { return row.kind == Kind::Same; }));
}

QStringList letters(const char* text) {
    return QString(text).split("", Qt::SkipEmptyParts);
}

} // namespace

class TestComparison : public QObject {
    Q_OBJECT

private slots:
    void exampleOfThePaper() {
        // Myers 1986: ABCABBA to CBABAC has a shortest script of 5 edits, so 4 common letters.
        const QStringList before = letters("ABCABBA"), after = letters("CBABAC");
        const auto rows = compareLines(before, after);
        checkRows(before, after, rows);
        QCOMPARE(sameRows(rows), 4);
    }

    void equalAndEmpty() {
        QCOMPARE(sameRows(compareLines(letters("abc"), letters("abc"))), 3);
        checkRows({}, letters("abc"), compareLines({}, letters("abc")));
        checkRows(letters("abc"), {}, compareLines(letters("abc"), {}));
        QVERIFY(compareLines({}, {}).empty());
    }

    void randomEdits() {
        QRandomGenerator random(7);
        for (int round = 0; round < 200; ++round) {
            QStringList before, after;
            for (int i = 0; i < 60; ++i) {
                const QString line = QString::number(random.bounded(12));
                before << line;
                const int fate = random.bounded(10);
                if (fate == 0)
                    continue;
                after << (fate == 1 ? QString("new") : line);
                if (fate == 2)
                    after << QString("more");
            }
            checkRows(before, after, compareLines(before, after));
        }
    }

    void farApartTextsEndSoon() {
        QStringList before, after;
        for (int i = 0; i < 20000; ++i) {
            before << "a" + QString::number(i);
            after << "b" + QString::number(i);
        }
        const auto rows = compareLines(before, after);
        QCOMPARE(rows.size(), size_t(20000));
        QCOMPARE(rows[5].kind, Kind::Changed);
    }
};

QTEST_GUILESS_MAIN(TestComparison)
#include "test_comparison.moc"
