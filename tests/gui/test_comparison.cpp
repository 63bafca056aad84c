// SPDX-License-Identifier: GPL-3.0-or-later
// Two texts side by side: rows against rows, stepping and folding together, by keys and clicks; of a hundred
// thousand lines those in sight are coloured, and no others.
#include "support/program_of_tests.h"
#include "views/models/text/paired_rows.h"
#include "views/text/comparison_view.h"

#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <ctime>

namespace lathe::testing::test_comparison {

using views::text::CodeView;
using views::text::ComparisonView;
namespace models = views::models;
using models::Tint;
using Kind = DiffRow::Kind;

namespace {

int lineOnTop(CodeView* view) {
    return int(view->SendScintilla(QsciScintilla::SCI_DOCLINEFROMVISIBLE, view->firstVisibleLine()));
}

bool inView(CodeView* view, int line) {
    const int row = int(view->SendScintilla(QsciScintilla::SCI_VISIBLEFROMDOCLINE, line)) - view->firstVisibleLine();
    return view->SendScintilla(QsciScintilla::SCI_GETLINEVISIBLE, line) && row >= 0 &&
           row < view->SendScintilla(QsciScintilla::SCI_LINESONSCREEN);
}

/// Where a click hits a line: its text, or what lies left of it.
QPoint placeOf(CodeView* view, int line, int x = -1) {
    const long position = view->SendScintilla(QsciScintilla::SCI_POSITIONFROMLINE, line);
    return {x >= 0 ? x : int(view->SendScintilla(QsciScintilla::SCI_POINTXFROMPOSITION, 0L, position)) + 3,
            int(view->SendScintilla(QsciScintilla::SCI_POINTYFROMPOSITION, 0L, position)) + 4};
}

bool coloured(CodeView* view, int line) {
    const long position = view->SendScintilla(QsciScintilla::SCI_POSITIONFROMLINE, line);
    for (long at = position; at < position + 20; ++at)
        if (view->SendScintilla(QsciScintilla::SCI_GETSTYLEAT, at) > 0)
            return true;
    return false;
}

/// As many lines on both sides; some of them differ.
models::Comparison equalLines(int count, const std::vector<int>& different) {
    models::Comparison comparison;
    for (int line = 0; line < count; ++line) {
        comparison.before << QStringLiteral("  %%1 = add(%%2, %%2) : float32[64, 56, 56]").arg(line + 1).arg(line);
        const bool differs = std::ranges::find(different, line) != different.end();
        comparison.after << (differs ? QStringLiteral("  another(%%1)").arg(line) : comparison.before.back());
        comparison.rows.push_back({differs ? Kind::Changed : Kind::Same, line, line});
    }
    comparison.nodesBefore.resize(size_t(count));
    comparison.nodesAfter.resize(size_t(count));
    comparison.align();
    return comparison;
}

double cpuMs() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return double(time.tv_sec) * 1e3 + double(time.tv_nsec) / 1e6;
}

} // namespace

class TestComparison : public QObject {
    Q_OBJECT

private slots:
    void rowsStandSideBySide() {
        ComparisonView view;
        view.resize(900, 500);
        view.show();
        models::Comparison comparison;
        comparison.before = QStringList{"a", "b", "c"};
        comparison.after = QStringList{"a", "c", "d"};
        comparison.rows = {{Kind::Same, 0, 0}, {Kind::Removed, 1, -1}, {Kind::Same, 2, 1}, {Kind::Added, -1, 2}};
        comparison.align();
        view.setComparison(comparison);
        QCOMPARE(view.before()->text(), QStringLiteral("a\nb\nc\n"));
        QCOMPARE(view.after()->text(), QStringLiteral("a\n\nc\nd"));
        const Tint before[] = {Tint::None, Tint::Removed, Tint::None, Tint::Absent},
                   after[] = {Tint::None, Tint::Absent, Tint::None, Tint::Added};
        for (int row = 0; row < 4; ++row) {
            QCOMPARE(view.before()->tintOf(row), before[row]);
            QCOMPARE(view.after()->tintOf(row), after[row]);
        }
        // Beside it stand the numbers of each text's own lines, and markers colour it, once it was painted.
        QTRY_VERIFY(view.after()->markersAtLine(3) != 0);
        QVERIFY(view.after()->markersAtLine(0) == 0);
        const auto number = [](CodeView* side, int line) {
            char text[16] = {};
            side->SendScintilla(QsciScintilla::SCI_MARGINGETTEXT, static_cast<unsigned long>(line), text);
            return QString::fromUtf8(text);
        };
        QCOMPARE(number(view.after(), 2), QString("2"));
        QCOMPARE(number(view.after(), 1), QString());
        QCOMPARE(number(view.before(), 2), QString("3"));
    }

    /// A binding stands beside what became of it, though all numbers have changed.
    void pairsStandSideBySide() {
        using models::pairedRows;
        const std::vector<std::string> before{"fn main {", "%1 = conv(%0)", "%2 = bn(%1)", "%3 = relu(%2)", "}"},
            after{"fn main {", "%9 = relu(%8)", "%7 = extra(%0)", "}"};
        const std::vector<DiffRow> rows = pairedRows(before, after, {-1, -1, -1, 1, -1});
        const std::vector<DiffRow> expected{{Kind::Same, 0, 0},    {Kind::Removed, 1, -1}, {Kind::Removed, 2, -1},
                                            {Kind::Changed, 3, 1}, {Kind::Added, -1, 2},   {Kind::Same, 4, 3}};
        QVERIFY(rows == expected);
        const auto [left, right] = models::changedColumns("  %3 = relu(%2)", "  %9 = relu(%8)");
        QVERIFY(left == (std::vector<models::Columns>{{2, 4}, {12, 14}}));
        QVERIFY(right == left);
    }

    void hashesAreASignWithATip() {
        models::Comparison comparison;
        const QString hash = "#" + QString(32, 'a');
        comparison.before = QStringList{"%1 = const " + hash + " : float32[64]"};
        comparison.after = QStringList{"%1 = const " + hash + " : float32[32]"};
        comparison.rows = {{Kind::Changed, 0, 0}};
        comparison.align();
        QCOMPARE(comparison.left.text, QStringLiteral("%1 = const #… : float32[64]"));
        QCOMPARE(comparison.left.tips.at(0), comparison.before.at(0));
        QCOMPARE(comparison.left.changes.at(0), (std::vector<models::Columns>{{24, 26}})); // the 64
        QCOMPARE(comparison.differences, std::vector<int>{0});
    }

    void differencesAreSteppedThrough() {
        ComparisonView view;
        view.resize(900, 300);
        view.show();
        models::Comparison comparison = equalLines(400, {100, 101, 200, 300});
        comparison.nodesAfter[250] = {7};
        view.setComparison(comparison);
        const auto at = [&](int row) {
            return inView(view.before(), row) && inView(view.after(), row) &&
                   lineOnTop(view.before()) == lineOnTop(view.after());
        };
        QVERIFY(at(100)); // shown at once
        for (const int row : {200, 300, 300}) {
            view.step(true);
            QVERIFY(at(row));
        }
        for (const int row : {200, 100, 100}) {
            view.step(false);
            QVERIFY(at(row));
        }
        view.markNodes({7});
        QVERIFY(at(250));
        QCOMPARE(view.after()->markedLines(), std::vector<int>{250});
        QVERIFY(view.before()->markedLines().empty());
        QSignalSpy picked(&view, &ComparisonView::nodesPicked);
        QTest::mouseClick(view.after()->viewport(), Qt::LeftButton, {}, placeOf(view.after(), 250));
        QTRY_COMPARE(picked.count(), 1);
        QCOMPARE(picked.at(0).at(0).value<std::vector<int>>(), std::vector<int>{7});
        view.step(true); // from where the user has gone
        QVERIFY(at(300));
        // One side scrolls the other.
        view.before()->verticalScrollBar()->setValue(17);
        QCOMPARE(lineOnTop(view.after()), 17);
        view.after()->verticalScrollBar()->setValue(40);
        QCOMPARE(lineOnTop(view.before()), 40);
    }

    void sidesFoldTogether() {
        ComparisonView view;
        view.resize(900, 400);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        models::Comparison comparison;
        for (int line = 0; line < 200; ++line)
            comparison.before << (line == 3                ? "fn main {"
                                  : line > 3 && line < 150 ? QStringLiteral("  line %1").arg(line)
                                                           : QStringLiteral("top %1").arg(line));
        comparison.after = comparison.before;
        for (int line = 0; line < 200; ++line)
            comparison.rows.push_back({Kind::Same, line, line});
        comparison.align();
        view.setComparison(comparison);
        QTest::qWait(20);
        CodeView* before = view.before();
        const int x = before->marginWidth(0) + before->marginWidth(1) + before->marginWidth(2) / 2;
        QTest::mouseClick(before->viewport(), Qt::LeftButton, {}, placeOf(before, 3, x));
        for (CodeView* side : {view.before(), view.after()}) {
            const auto visible = [&](int line) {
                return side->SendScintilla(QsciScintilla::SCI_GETLINEVISIBLE, line) != 0;
            };
            QVERIFY(visible(3) && !visible(4) && !visible(149) && visible(150)); // far beyond the screen, too
        }
        QTest::mouseClick(before->viewport(), Qt::LeftButton, {}, placeOf(before, 3, x));
        QVERIFY(view.after()->SendScintilla(QsciScintilla::SCI_GETLINEVISIBLE, 100));
    }

    /// QScintilla tells where the cursor is when it paints, once for all texts that were set before.
    void whatIsSetPicksNothing() {
        CodeView view(QStringLiteral("Text"));
        view.resize(600, 400);
        view.QWidget::show(); // its own is for texts
        const models::OriginText text{QStringList(20, QStringLiteral("  some text")).join('\n'),
                                      std::vector<int>(20, 1)};
        view.setOriginText(text);
        QTest::qWait(20);
        QSignalSpy lines(&view, &CodeView::linePicked), origins(&view, &CodeView::originPicked);
        QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, placeOf(&view, 5));
        QTRY_COMPARE(lines.count(), 1);
        view.setOriginText(text);
        view.setOriginText(text);
        QTest::qWait(50);
        QCOMPARE(lines.count(), 1);
        QCOMPARE(origins.count(), 1);
        QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, placeOf(&view, 7)); // what is picked is told
        QTRY_COMPARE(lines.count(), 2);
        QCOMPARE(lines.last().first().toInt(), 7);
    }

    void longTextsAreColouredWhereTheyAreSeen() {
        ComparisonView view;
        view.resize(1200, 800);
        view.show();
        const models::Comparison comparison = equalLines(100'000, {90'000});
        QStringList turns;
        const auto turn = [&](const char* what, const auto& act) {
            const double start = cpuMs();
            act();
            const double acted = cpuMs() - start;
            QTest::qWait(20); // it is painted
            turns << QStringLiteral("%1: %2 ms, %3 ms").arg(what).arg(acted, 0, 'f', 0).arg(cpuMs() - start, 0, 'f', 0);
        };
        turn("shown", [&] { view.setComparison(comparison); });
        QVERIFY(inView(view.after(), 90'000));
        QTRY_VERIFY(coloured(view.after(), 90'000));
        QVERIFY(!coloured(view.after(), 50'000));
        turn("first line", [&] { view.after()->verticalScrollBar()->setValue(0); });
        QVERIFY(coloured(view.before(), 0) && coloured(view.after(), 0));
        turn("last line", [&] { view.before()->verticalScrollBar()->setValue(99'000); });
        turn("step", [&] { view.step(false); });
        qInfo("CPU time of the act, and with painting: %s", qPrintable(turns.join("; ")));
    }
};

Test test() {
    return {makes<TestComparison>, Application::Window};
}

} // namespace lathe::testing::test_comparison

#include "test_comparison.moc"
