// SPDX-License-Identifier: GPL-3.0-or-later
// Runs: release
// Needs: lathe-runner
// Timeout: 900
//
// Ctrl+F on the pages of a network that was compiled and run: it stays on the page and searches what the user is in. Counts are
// held against those of the texts and tables themselves. In release alone: it compiles a network.
#include "app/main_window.h"
#include "gui/window.h"
#include "support/fixtures.h"
#include "support/program_of_tests.h"
#include "views/find/find_bar.h"
#include "views/graph/model_page.h"
#include "views/log/log_panel.h"
#include "views/loops/loops_page.h"
#include "views/passes/passes_page.h"
#include "views/profile/profile_page.h"
#include "views/text/code_view.h"

#include <QApplication>
#include <QDockWidget>
#include <QLabel>
#include <QLineEdit>
#include <QTabWidget>
#include <QTableView>
#include <QTest>
#include <QTreeView>

namespace lathe::testing::test_find_in_networks {

using app::MainWindow;
using views::find::FindBar;
using views::models::KernelLevel;
using views::text::CodeView;

class TestFindInNetworks : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    MainWindow window_;

    FindBar* bar() { return window_.findBar(); }
    QLineEdit* field() { return bar()->findChild<QLineEdit*>(); }
    QString count() { return bar()->findChild<QLabel*>("count")->text(); }
    void press(Qt::Key key, Qt::KeyboardModifiers with = Qt::NoModifier) {
        QTest::keyClick(window_.focusWidget() ? window_.focusWidget() : &window_, key, with);
        QTest::qWait(1);
        QVERIFY(QTest::qWaitFor([&] { return bar()->isSettled(); }, patience));
        QTest::qWait(1); // a step that waited
    }
    /// Ctrl+F, and the words.
    void seek(const QString& words) {
        press(Qt::Key_F, Qt::ControlModifier);
        QVERIFY(bar()->isVisible() && field()->hasFocus());
        QTest::keyClick(field(), Qt::Key_Delete);
        QTest::keyClicks(field(), words);
        QVERIFY(QTest::qWaitFor([&] { return bar()->isSettled(); }, patience));
    }
    CodeView* view(KernelLevel level) { return window_.loopsPage()->view(level); }
    static int rowsWith(const QAbstractItemModel& model, const QString& words) {
        int rows = 0;
        for (int row = 0; row < model.rowCount(); ++row)
            for (int column = 0; column < model.columnCount(); ++column)
                if (model.index(row, column).data().toString().contains(words, Qt::CaseInsensitive)) {
                    ++rows;
                    break;
                }
        return rows;
    }

private slots:
    void initTestCase() {
        isolate(folder_, "test_find_in_networks");
        const auto file = fixture("perf/mobilenet-v2/model.onnx");
        if (file.empty() && !fixturesExpected())
            QSKIP("there is no folder to unpack the fixtures from");
        window_.resize(1600, 900);
        window_.show();
        QApplication::setActiveWindow(&window_);
        QVERIFY(QTest::qWaitForWindowActive(&window_));
        QVERIFY(openAndWait(window_, QString::fromStdString(file.string())));
        QVERIFY(compileAndWait(window_));
        Settled ran(window_);
        window_.run();
        QVERIFY(ran.wait());
    }

    void inTheAssemblyOfAKernel() {
        int call = 0;
        const auto& calls = window_.provenance()->trace().calls;
        while (!calls[size_t(call)].function.starts_with("fused_conv"))
            ++call;
        window_.showPage("loops");
        window_.selection().set({window_.provenance()->nodesOf(call, -1), call});
        CodeView* assembly = view(KernelLevel::Assembly);
        QVERIFY(
            QTest::qWaitFor([&] { return assembly->lines() > 3 && view(KernelLevel::Loops)->lines() > 3; }, patience));
        assembly->setFocus();
        const auto expected = assembly->text().count("FMADD", Qt::CaseInsensitive);
        QVERIFY(expected > 3);
        seek("FMADD");
        QVERIFY(window_.loopsPage()->isVisible()); // it throws nobody elsewhere
        QCOMPARE(count(), QStringLiteral("%1 places").arg(expected));
        press(Qt::Key_Return);
        QCOMPARE(count(), QStringLiteral("1 of %1 places").arg(expected));
        QVERIFY(field()->hasFocus());
        QCOMPARE(assembly->selectedText().toUpper(), QString("FMADD"));
        // As if it had been clicked on: its statement stands out in the other texts.
        QTRY_VERIFY(!view(KernelLevel::Loops)->statementLines().empty());
        press(Qt::Key_F3);
        QCOMPARE(count(), QStringLiteral("2 of %1 places").arg(expected));
        press(Qt::Key_F3, Qt::ShiftModifier);
        press(Qt::Key_F3, Qt::ShiftModifier);
        QCOMPARE(count(), QStringLiteral("%1 of %1 places").arg(expected));
        press(Qt::Key_Escape);
        QVERIFY(bar()->isHidden() && assembly->hasFocus());
        // The other text, when it has the focus; F3 goes on with the words of before.
        view(KernelLevel::Loops)->setFocus();
        seek("for ");
        QCOMPARE(field()->accessibleName(), QString("Find in Loops"));
        press(Qt::Key_Escape);
        press(Qt::Key_F3);
        QVERIFY(bar()->isVisible() && count().startsWith("1 of "));
        QCOMPARE(view(KernelLevel::Loops)->selectedText(), QString("for "));
        window_.showPage("profile");
        QVERIFY(bar()->isHidden()); // what it searched is not seen
    }

    void inTheTablesOfProfile() {
        window_.showPage("profile");
        auto* tabs = window_.profilePage()->findChild<QTabWidget*>();
        tabs->setCurrentIndex(0);
        auto* functions = window_.profilePage()->findChild<QTableView*>("functions");
        const int expected = rowsWith(*functions->model(), "conv");
        QVERIFY(expected > 10 && expected < functions->model()->rowCount());
        functions->setFocus();
        seek("conv");
        QVERIFY2(count().endsWith(QStringLiteral("%1 rows").arg(expected)), qPrintable(count()));
        press(Qt::Key_Return);
        QVERIFY(functions->currentIndex().siblingAtColumn(0).data().toString().contains("conv"));
        QVERIFY(window_.selection().place().call >= 0); // other pages follow
        const QString before = count();
        press(Qt::Key_Return);
        QVERIFY(count() != before);
        press(Qt::Key_Escape);
        QVERIFY(functions->hasFocus());
        // The tab alone says where, if nothing in it has the focus.
        for (int tab = 0; tab < tabs->count(); ++tab)
            if (tabs->tabText(tab) == "Memory")
                tabs->setCurrentIndex(tab);
        tabs->tabBar()->setFocus();
        seek("conv");
        QVERIFY2(count().endsWith(" rows"), qPrintable(count()));
        press(Qt::Key_Escape);
    }

    void inThePassesAndTheLog() {
        window_.showPage("passes");
        auto* passes = window_.passesPage()->findChild<QTableView*>();
        passes->setFocus();
        seek("fuse");
        QVERIFY2(count().contains("row"), qPrintable(count()));
        press(Qt::Key_Return);
        QString row;
        for (int column = 0; column < passes->model()->columnCount(); ++column)
            row += passes->currentIndex().siblingAtColumn(column).data().toString() + '\n';
        QVERIFY2(row.contains("fuse", Qt::CaseInsensitive), qPrintable(row));
        press(Qt::Key_Escape);
        auto* log = window_.logPanel()->findChild<QTableView*>();
        qobject_cast<QDockWidget*>(window_.logPanel()->parentWidget())->raise();
        QTRY_VERIFY(log->isVisible());
        log->setFocus();
        seek("opening mobilenet");
        QCOMPARE(count().right(5), QString("1 row"));
        press(Qt::Key_Escape);
        QVERIFY(log->hasFocus());
    }

    /// There is a search of its own, of the graph.
    void onModelTheGraphIsSearched() {
        window_.showPage("model");
        window_.modelPage()->setFocus();
        window_.actions()["edit.find"]->trigger();
        QVERIFY(bar()->isHidden());
        auto* own = window_.modelPage()->findChild<QLineEdit*>();
        QVERIFY(own->hasFocus());
        QTest::keyClicks(own, "Conv");
        const auto found = window_.modelPage()->nodesFound();
        QVERIFY(found.size() > 10);
        press(Qt::Key_F3);
        QCOMPARE(window_.selection().nodes(), std::vector<int>{found[0]});
        press(Qt::Key_F3);
        QCOMPARE(window_.selection().nodes(), std::vector<int>{found[1]});
        press(Qt::Key_F3, Qt::ShiftModifier);
        QCOMPARE(window_.selection().nodes(), std::vector<int>{found[0]});
    }
};

Test test() {
    return {makes<TestFindInNetworks>, Application::Window};
}

} // namespace lathe::testing::test_find_in_networks

#include "test_find_in_networks.moc"
