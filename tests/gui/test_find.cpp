// SPDX-License-Identifier: GPL-3.0-or-later
// The find bar on texts and tables of a size that networks have: what is counted and where it goes, against a count made by
// hand; and that no turn of the event loop is held by it.
#include "gui/window.h"
#include "support/program_of_tests.h"
#include "views/find/find_bar.h"
#include "views/models/text/paired_rows.h"
#include "views/page/table.h"
#include "views/text/comparison_view.h"

#include <QLabel>
#include <QLineEdit>
#include <QSortFilterProxyModel>
#include <QStandardItemModel>
#include <QTest>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>
#include <ctime>

namespace lathe::testing::test_find {

using views::find::FindBar;
using views::text::CodeView;
using views::text::ComparisonView;
namespace models = views::models;

namespace {

double cpuOfTurns() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return double(time.tv_sec) * 1e3 + double(time.tv_nsec) / 1e6;
}

/// A page with a widget and the bar below it, as the window has them.
struct Shown {
    QWidget window;
    QWidget* page = new QWidget;
    FindBar* bar = new FindBar;
    QLineEdit* field = bar->findChild<QLineEdit*>();

    explicit Shown(const QList<QWidget*>& widgets) {
        auto inner = new QVBoxLayout(page);
        for (QWidget* each : widgets)
            inner->addWidget(each);
        auto outer = new QVBoxLayout(&window);
        outer->addWidget(page, 1);
        outer->addWidget(bar);
        window.resize(900, 500);
        window.show();
        window.activateWindow();
        (void)QTest::qWaitForWindowActive(&window);
    }
    /// Types it, and waits until all is counted.
    bool seek(const QString& text) {
        field->selectAll();
        QTest::keyClick(field, Qt::Key_Delete);
        QTest::keyClicks(field, text);
        return settle();
    }
    bool settle() const {
        return QTest::qWaitFor([&] { return bar->isSettled(); }, patience);
    }
    bool press(Qt::Key key, Qt::KeyboardModifiers with = Qt::NoModifier) const {
        QTest::keyClick(field, key, with);
        QTest::qWait(1);
        return settle();
    }
    QString count() const { return bar->findChild<QLabel*>("count")->text(); }
};

QString cursorOf(const CodeView& view) {
    int line = 0, column = 0, endLine = 0, endColumn = 0;
    view.getSelection(&line, &column, &endLine, &endColumn);
    return QStringLiteral("%1:%2").arg(line).arg(column);
}

} // namespace

class TestFind : public QObject {
    Q_OBJECT

private slots:
    void inAText() {
        auto view = new CodeView("Assembly");
        Shown shown({view});
        view->setOriginText({"mov rax, rbx\nvfmadd231ps ymm0\nVMOVAPS ymm1\nret mov mov", {}});
        view->setFocus();
        QVERIFY(shown.bar->open(shown.page));
        QCOMPARE(shown.field->accessibleName(), QString("Find in Assembly"));
        QVERIFY(shown.field->hasFocus());
        QVERIFY(shown.seek("mov"));
        QCOMPARE(shown.count(), QString("4 places"));
        QVERIFY(!view->hasSelectedText()); // letters move nothing
        for (const char* place : {"0:0", "2:1", "3:4", "3:8", "0:0"}) {
            QVERIFY(shown.press(Qt::Key_Return));
            QCOMPARE(cursorOf(*view), QString(place));
        }
        QCOMPARE(shown.count(), QString("1 of 4 places"));
        QVERIFY(shown.press(Qt::Key_Return, Qt::ShiftModifier)); // around
        QCOMPARE(cursorOf(*view), QString("3:8"));
        QCOMPARE(shown.count(), QString("4 of 4 places"));
        // From where the user goes.
        view->setCursorPosition(1, 3);
        QVERIFY(shown.press(Qt::Key_Return));
        QCOMPARE(cursorOf(*view), QString("2:1"));
        // All stand out.
        const auto marked = [&](int line, int column) {
            view->viewport()->repaint();
            return view->SendScintilla(QsciScintilla::SCI_INDICATORVALUEAT, 8UL,
                                       long(view->positionFromLineIndex(line, column))) != 0;
        };
        QVERIFY(marked(3, 5) && marked(3, 9) && marked(0, 2) && !marked(1, 0));
        for (auto* button : shown.bar->findChildren<QToolButton*>())
            if (button->isCheckable())
                QTest::mouseClick(button, Qt::LeftButton);
        QVERIFY(shown.settle());
        QCOMPARE(shown.count(), QString("3 places")); // as it is written
        QVERIFY(shown.seek("no such"));
        QCOMPARE(shown.count(), QString("nothing found"));
        QVERIFY(shown.press(Qt::Key_Return));
        QVERIFY(shown.press(Qt::Key_Escape));
        QVERIFY(shown.bar->isHidden() && view->hasFocus() && !marked(3, 5));
    }

    void anotherTextIsCountedAnew() {
        auto view = new CodeView("Loops");
        Shown shown({view});
        view->setOriginText({"for for", {}});
        QVERIFY(shown.bar->open(shown.page) && shown.seek("for"));
        QCOMPARE(shown.count(), QString("2 places"));
        view->setOriginText({"for\nfor\nfor", {}});
        QVERIFY(shown.settle());
        QCOMPARE(shown.count(), QString("3 places"));
        view->hide(); // as when another page comes
        QVERIFY(shown.bar->isHidden());
        QVERIFY(!shown.bar->open(shown.page));
    }

    /// Of two texts side by side both, row by row; folds open on both sides.
    void inTwoTextsSideBySide() {
        auto view = new ComparisonView;
        Shown shown({view});
        models::Comparison comparison;
        for (int line = 0; line < 400; ++line) {
            comparison.before << QStringLiteral("  %%1 = add").arg(line);
            comparison.after << (line % 200 == 100 ? QStringLiteral("  another") : comparison.before.back());
            comparison.rows.push_back({DiffRow::Kind::Same, line, line});
        }
        comparison.nodesBefore.resize(400);
        comparison.nodesAfter.resize(400);
        comparison.align();
        view->setComparison(std::move(comparison));
        view->after()->setFocus();
        QVERIFY(shown.bar->open(shown.page) && shown.seek("ANOTHER"));
        QVERIFY(shown.press(Qt::Key_Return));
        QCOMPARE(cursorOf(*view->after()), QString("100:2"));
        QCOMPARE(view->before()->firstVisibleLine(), view->after()->firstVisibleLine());
        QVERIFY(shown.press(Qt::Key_Return));
        QCOMPARE(cursorOf(*view->after()), QString("300:2"));
        QCOMPARE(shown.count(), QString("2 of 2 places"));
        QVERIFY(shown.seek("%399 ")); // of one row the left one first
        QVERIFY(shown.press(Qt::Key_Return));
        QCOMPARE(view->before()->selectedText(), QString("%399 "));
        QCOMPARE(shown.count(), QString("1 of 2 places"));
        QVERIFY(shown.press(Qt::Key_Escape));
        QVERIFY(view->before()->hasFocus());
    }

    void inATable() {
        QStandardItemModel model(0, 2);
        for (const auto& [name, kind] :
             {std::pair("conv_1", "AVX2"), {"add", "avx2"}, {"Conv_2", "sse"}, {"conv_3", "avx2"}})
            model.appendRow({new QStandardItem(name), new QStandardItem(kind)});
        QSortFilterProxyModel sorted;
        sorted.setSourceModel(&model);
        auto table = new QTableView;
        views::setUpTable(*table, sorted);
        table->setAccessibleName("Functions");
        Shown shown({new CodeView("Loops"), table});
        table->setFocus();
        QVERIFY(shown.bar->open(shown.page));
        QCOMPARE(shown.field->accessibleName(), QString("Find in Functions")); // not in the text, which is as large
        table->setCurrentIndex({});
        QVERIFY(shown.seek("avx conv")); // words in any order and column
        QCOMPARE(shown.count(), QString("2 rows"));
        QVERIFY(shown.press(Qt::Key_Return));
        QCOMPARE(table->currentIndex().data().toString(), QString("conv_1"));
        QVERIFY(shown.press(Qt::Key_Return));
        QCOMPARE(table->currentIndex().data().toString(), QString("conv_3"));
        QCOMPARE(table->selectionModel()->selectedRows().size(), 1);
        QCOMPARE(shown.count(), QString("2 of 2 rows"));
        // In the order in which rows stand now.
        sorted.sort(0, Qt::DescendingOrder);
        QVERIFY(shown.settle());
        QCOMPARE(shown.count(), QString("1 of 2 rows"));
        model.appendRow({new QStandardItem("conv_4"), new QStandardItem("avx512")});
        QVERIFY(shown.settle());
        QCOMPARE(shown.count(), QString("2 of 3 rows"));
        model.clear();
        QVERIFY(shown.press(Qt::Key_Return));
        QCOMPARE(shown.count(), QString("nothing found"));
        QTest::keyClick(table, Qt::Key_Escape); // also from there
        QVERIFY(shown.bar->isHidden());
    }

    /// A tree opens as far as it must.
    void inATree() {
        QStandardItemModel model;
        auto outer = new QStandardItem("for n"), inner = new QStandardItem("for k");
        outer->appendRow(inner);
        inner->appendRow(new QStandardItem("store C"));
        model.appendRow(outer);
        model.appendRow(new QStandardItem("store D"));
        auto tree = new QTreeView;
        tree->setModel(&model);
        Shown shown({tree});
        QVERIFY(shown.bar->open(shown.page) && shown.seek("store"));
        QVERIFY(shown.press(Qt::Key_Return));
        QCOMPARE(tree->currentIndex().data().toString(), QString("store C"));
        QVERIFY(tree->isExpanded(inner->index()));
        QVERIFY(shown.press(Qt::Key_Return));
        QCOMPARE(tree->currentIndex().data().toString(), QString("store D"));
        QVERIFY(shown.press(Qt::Key_Return, Qt::ShiftModifier));
        QCOMPARE(shown.count(), QString("1 of 2 rows"));
    }

    void keysGoThroughTheBar() {
        auto view = new CodeView("Loops");
        Shown shown({view});
        QVERIFY(shown.bar->open(shown.page));
        QWidgetList seen;
        for (QWidget* at = shown.field; seen.size() < 5; at = at->nextInFocusChain())
            if (at->focusPolicy() & Qt::TabFocus && at->isVisible())
                seen << at;
        for (QWidget* each : std::as_const(seen))
            QVERIFY(shown.bar->isAncestorOf(each) && !each->accessibleName().isEmpty());
        QCOMPARE(seen.last()->accessibleName(), QString("Close (Esc)"));
        QTest::mouseClick(seen.last(), Qt::LeftButton);
        QVERIFY(shown.bar->isHidden());
    }

    /// A hundred thousand lines in which a letter stands half a million times, and a table of as many rows.
    void largeOnes_data() {
        QTest::addColumn<bool>("text");
        QTest::newRow("text") << true;
        QTest::newRow("table") << false;
    }
    void largeOnes() {
        QFETCH(bool, text);
        constexpr int lines = 100'000;
        auto view = new CodeView("Assembly");
        auto table = new QTableView;
        QStandardItemModel model(text ? 0 : lines, 4);
        views::setUpTable(*table, model);
        Shown shown({text ? static_cast<QWidget*>(view) : table});
        if (text) {
            QString code;
            for (int line = 0; line < lines; ++line)
                code += QStringLiteral("%1: vfmadd231ps ymm%2, ymm3, ymm4\n").arg(line, 8, 16).arg(line % 16);
            view->setOriginText({code, {}});
        } else {
            for (int line = 0; line < lines; ++line)
                model.setData(model.index(line, 2), QStringLiteral("ymm%1").arg(line % 16));
        }
        QTest::qWait(50);
        QVERIFY(shown.bar->open(shown.page));
        double last = cpuOfTurns(), longest = 0;
        connect(QAbstractEventDispatcher::instance(), &QAbstractEventDispatcher::awake, shown.bar, [&] {
            longest = std::max(longest, cpuOfTurns() - last);
            last = cpuOfTurns();
        });
        QVERIFY(shown.seek("m"));
        QCOMPARE(shown.count(), text ? QString("700,000 places") : QString("100,000 rows"));
        QVERIFY(shown.seek("ymm15"));
        QCOMPARE(shown.count(), text ? QString("6,250 places") : QString("6,250 rows"));
        QVERIFY(shown.press(Qt::Key_Return, Qt::ShiftModifier));
        QCOMPARE(shown.count(), text ? QString("6,250 of 6,250 places") : QString("6,250 of 6,250 rows"));
        qInfo("longest turn: %.0f ms", longest);
        QVERIFY2(longest < 100, qPrintable(QString::number(longest)));
    }
};

Test test() {
    return {makes<TestFind>, Application::Window};
}

} // namespace lathe::testing::test_find

#include "test_find.moc"
