// SPDX-License-Identifier: GPL-3.0-or-later
// What may be tried from the window, with real clicks on a real model: passes that are off, other variants and layouts, and
// the search for a pass that is broken on purpose (support/broken_passes.cpp).
// Needs: lathe-runner samples
// Links: lathe_broken_passes
// Timeout: 900
#include "app/main_window.h"
#include "gui/window.h"
#include "support/program_of_tests.h"
#include "views/fusion/fusion_page.h"
#include "views/models/window/problem_model.h"
#include "views/passes/bisect_dialog.h"
#include "views/passes/passes_page.h"
#include "views/problems/problems_panel.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QTableView>
#include <QTest>
#include <QTreeView>
#include <algorithm>

namespace lathe::testing::test_what_ifs {

using app::MainWindow;
using views::passes::BisectDialog;

class TestWhatIfs : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    static bool trigger(MainWindow& window, const char* action) {
        Settled settled(window);
        if (!window.actions()[action]->isEnabled())
            return false;
        window.actions()[action]->trigger();
        return settled.wait();
    }
    static const driver::PassRecord& pass(MainWindow& window, const char* name) {
        return *std::ranges::find(window.provenance()->trace().passes, name, &driver::PassRecord::name);
    }
    static std::vector<std::byte> bytesOf(const app::CompilationPtr& compilation) {
        QFile file(QString::fromStdString(compilation->artifact->path().string()));
        if (!file.open(QIODevice::ReadOnly))
            return {};
        const QByteArray all = file.readAll();
        const auto* first = reinterpret_cast<const std::byte*>(all.data());
        return {first, first + all.size()};
    }
    static qint64 newKernels(MainWindow& window) {
        return std::ranges::count(window.provenance()->trace().kernels, false, &driver::KernelRecord::cached);
    }

private slots:
    void initTestCase() { isolate(folder_, "test_what_ifs"); }
    /// What one function compiled is not there for the next.
    void init() { qputenv("LATHE_CACHE", folder_.filePath(QTest::currentTestFunction()).toUtf8()); }

    void aPassIsSwitchedOffAndOnAgain() {
        MainWindow window;
        window.show();
        QVERIFY(openAndWait(window, sample("small_cnn.onnx")));
        QVERIFY(!window.actions()["passes.off"]->isEnabled());
        QVERIFY(compileAndWait(window));
        window.passesPage()->choosePass(QStringLiteral("import"));
        QVERIFY(!window.actions()["passes.off"]->isEnabled()); // it is required
        window.passesPage()->choosePass(QStringLiteral("choose variants"));
        QVERIFY(pass(window, "choose variants").changed);
        QVERIFY(trigger(window, "passes.off"));
        QVERIFY(!pass(window, "choose variants").enabled);
        QVERIFY(pass(window, "fuse").enabled);
        QCOMPARE(window.decisions().skipPasses, std::set<std::string>{"choose variants"});
        // Off, it is still there to be switched on.
        window.passesPage()->choosePass(QStringLiteral("choose variants"));
        QVERIFY(window.actions()["passes.off"]->isChecked());
        QVERIFY(trigger(window, "passes.off"));
        QVERIFY(pass(window, "choose variants").changed);
        QVERIFY(trigger(window, "edit.undo"));
        QVERIFY(!pass(window, "choose variants").enabled);
    }

    void passesRunUpToOne() {
        MainWindow window;
        window.show();
        QVERIFY(openAndWait(window, sample("small_cnn.onnx")));
        QVERIFY(compileAndWait(window));
        window.passesPage()->choosePass(QStringLiteral("canonical forms")); // a required one: up to it
        QVERIFY(trigger(window, "passes.up_to"));
        QVERIFY(pass(window, "fold scale").enabled && !pass(window, "choose variants").enabled);
        QVERIFY(!pass(window, "unroll").enabled);
        QVERIFY(trigger(window, "passes.all"));
        QVERIFY(pass(window, "unroll").enabled);
        QVERIFY(window.decisions() == driver::Decisions());
    }

    /// Another variant of one convolution: its kernel alone is new, and undoing gives the same bytes.
    void anotherVariantIsChosenAndUndone() {
        MainWindow window;
        window.show();
        QVERIFY(openAndWait(window, sample("small_cnn.onnx")));
        QVERIFY(compileAndWait(window));
        const auto before = bytesOf(window.compilation());
        QVERIFY(!before.empty());
        std::set<std::string> known;
        for (const driver::KernelRecord& kernel : window.provenance()->trace().kernels)
            known.insert(kernel.workload);
        window.showPage("fusion");
        auto* page = window.fusionPage();
        auto* tree = page->findChild<QTreeView*>();
        auto* menu = page->findChild<QMenu*>();
        int row = 0;
        while (row < tree->model()->rowCount() && !tree->model()->index(row, 0).data().toString().contains("winograd"))
            ++row;
        QVERIFY(row < tree->model()->rowCount());
        tree->setCurrentIndex(tree->model()->index(row, 0));
        QVERIFY(menu->menuAction()->isEnabled());
        emit menu->aboutToShow();
        const auto options = menu->actions();
        const auto direct = std::ranges::find_if(options, [](const QAction* each) {
            return !each->isSeparator() && !each->isChecked() && each->text().startsWith("direct");
        });
        QVERIFY(direct != options.end());
        {
            Settled settled(window);
            (*direct)->trigger();
            QVERIFY(settled.wait());
        }
        QVERIFY(window.isCompiled());
        QCOMPARE(window.decisions().variants.size(), size_t{1});
        // What is new is compiled, and nothing else.
        qint64 others = 0;
        for (const driver::KernelRecord& kernel : window.provenance()->trace().kernels)
            others += !known.contains(kernel.workload);
        QVERIFY(others >= 1 && others < qint64(known.size()));
        QCOMPARE(newKernels(window), others);
        QVERIFY(bytesOf(window.compilation()) != before);
        QVERIFY(trigger(window, "edit.undo"));
        QCOMPARE(newKernels(window), 0);
        QVERIFY(bytesOf(window.compilation()) == before);
    }

    void bisectFindsTheBrokenPass() {
        qputenv("LATHE_BROKEN_PASS", "hoist conditions:wrong");
        MainWindow window;
        window.show();
        QVERIFY(openAndWait(window, sample("small_cnn.onnx")));
        QVERIFY(compileAndWait(window));
        window.actions()["model.bisect"]->trigger();
        BisectDialog* dialog = window.bisectDialog();
        QVERIFY(dialog && dialog->isVisible());
        const auto button = [&](const char* text) {
            const auto buttons = dialog->findChildren<QPushButton*>();
            return *std::ranges::find_if(buttons, [&](QPushButton* each) { return each->text().remove('&') == text; });
        };
        auto* table = dialog->findChild<QTableView*>();
        const QAbstractItemModelTester tester(table->model());
        QVERIFY(!button("Show the pass")->isEnabled());
        {
            Settled settled(window);
            QTest::mouseClick(button("Start"), Qt::LeftButton);
            QVERIFY(settled.wait());
        }
        const auto labels = dialog->findChildren<QLabel*>();
        QVERIFY(std::ranges::any_of(labels, [](const QLabel* label) {
            return label->text().startsWith(
                "Guilty: \"hoist conditions\". Without it alone all is good. In the kernel ");
        }));
        QVERIFY(table->model()->rowCount() >= 3);
        QTest::mouseClick(button("Show the pass"), Qt::LeftButton);
        QCOMPARE(window.passesPage()->findChild<QTableView*>()->currentIndex().siblingAtColumn(0).data().toString(),
                 QString("hoist conditions"));
        {
            Settled settled(window);
            QTest::mouseClick(button("Switch it off"), Qt::LeftButton);
            QVERIFY(settled.wait());
        }
        QVERIFY(!pass(window, "hoist conditions").enabled);
        qunsetenv("LATHE_BROKEN_PASS");
    }

    /// What was decided counts for the next run, also where its compilation was cancelled; and it can all be dropped.
    void aCancelledWhatIfIsCompiledByTheNextRun() {
        MainWindow window;
        window.show();
        QVERIFY(openAndWait(window, sample("small_cnn.onnx")));
        QVERIFY(compileAndWait(window));
        window.passesPage()->choosePass(QStringLiteral("fuse"));
        {
            Settled settled(window);
            window.actions()["passes.off"]->trigger();
            window.cancel();
            QVERIFY(settled.wait());
        }
        QVERIFY(window.compilation()->decisions == driver::Decisions());
        QVERIFY(trigger(window, "model.run"));
        QVERIFY(window.compilation()->decisions == window.decisions());
        QVERIFY(!pass(window, "fuse").enabled);
        QVERIFY(trigger(window, "model.drop_decisions"));
        QVERIFY(window.decisions() == driver::Decisions());
        QVERIFY(trigger(window, "edit.undo"));
        QCOMPARE(window.decisions().skipPasses, std::set<std::string>{"fuse"});
    }

    /// The dialog stays open when another file takes the model's place.
    void bisectOfWhatIsNoModel() {
        MainWindow window;
        window.show();
        QVERIFY(openAndWait(window, sample("small_cnn.onnx")));
        window.actions()["model.bisect"]->trigger();
        QFile text(folder_.filePath("text.onnx"));
        QVERIFY(text.open(QIODevice::WriteOnly) && text.write("no model") > 0);
        text.close();
        QVERIFY(openAndWait(window, text.fileName()));
        const auto buttons = window.bisectDialog()->findChildren<QPushButton*>();
        auto* start = *std::ranges::find_if(buttons, [](QPushButton* each) { return each->text() == "&Start"; });
        QTest::mouseClick(start, Qt::LeftButton);
        QCOMPARE(start->text(), QString("&Start"));
        const auto labels = window.bisectDialog()->findChildren<QLabel*>();
        QVERIFY(std::ranges::any_of(labels,
                                    [](const QLabel* label) { return label->text().startsWith("There is no model"); }));
    }

    void bisectIsCancelled() {
        MainWindow window;
        window.show();
        QVERIFY(openAndWait(window, sample("small_cnn.onnx")));
        window.actions()["model.bisect"]->trigger(); // without a compilation before
        BisectDialog* dialog = window.bisectDialog();
        Settled settled(window);
        const auto buttons = dialog->findChildren<QPushButton*>();
        auto* start = *std::ranges::find_if(buttons, [](QPushButton* each) { return each->text() == "&Start"; });
        QTest::mouseClick(start, Qt::LeftButton);
        QCOMPARE(start->text(), QString("&Cancel"));
        QTest::mouseClick(start, Qt::LeftButton);
        QVERIFY(settled.wait());
        QCOMPARE(start->text(), QString("&Start"));
        // An operator that is none is a problem that is said.
        dialog->findChild<QComboBox*>()->setCurrentIndex(3);
        dialog->findChild<QLineEdit*>()->setText("frobnicate");
        Settled refused(window);
        QTest::mouseClick(start, Qt::LeftButton);
        QVERIFY(refused.wait());
        QCOMPARE(start->text(), QString("&Start"));
        QVERIFY(window.problems()->model()->errors() > 0);
    }
};

Test test() {
    return {makes<TestWhatIfs>, Application::Window};
}

} // namespace lathe::testing::test_what_ifs

#include "test_what_ifs.moc"
