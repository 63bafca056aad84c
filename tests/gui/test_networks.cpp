// SPDX-License-Identifier: GPL-3.0-or-later
// Needs: lathe-runner
// Links: lathe_broken_passes
// Timeout: 900
//
// What-ifs on networks: what is changed alone is compiled again, the two run side by side, and undoing gives the same bytes. And
// kernels that fault or hang while they run: the window says so within the limit, and goes on.
#include "app/main_window.h"
#include "gui/window.h"
#include "support/fixtures.h"
#include "support/program_of_tests.h"
#include "views/fusion/fusion_page.h"
#include "views/models/window/problem_model.h"
#include "views/problems/problems_panel.h"
#include "views/profile/change_panel.h"
#include "views/profile/profile_page.h"

#include <QMenu>
#include <QTest>
#include <QToolButton>
#include <QTreeView>
#include <algorithm>
#include <set>

namespace lathe::testing::test_networks {

using app::MainWindow;

class TestNetworks : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    static QByteArray bytesOf(const app::CompilationPtr& compilation) {
        QFile file(QString::fromStdString(compilation->artifact->path().string()));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    static std::set<std::string> workloads(const MainWindow& window) {
        std::set<std::string> all;
        for (const driver::KernelRecord& kernel : window.provenance()->trace().kernels)
            all.insert(kernel.workload);
        return all;
    }
    /// What the what-if asks for: it alone is compiled, compared with what was there, and undone.
    static void tryAndUndo(MainWindow& window, const std::function<void()>& wish) {
        const QByteArray before = bytesOf(window.compilation());
        QVERIFY(!before.isEmpty());
        const std::set<std::string> known = workloads(window);
        {
            Settled settled(window);
            wish();
            QVERIFY(settled.wait());
        }
        QVERIFY(window.isCompiled());
        qint64 others = 0, compiled = 0;
        for (const driver::KernelRecord& kernel : window.provenance()->trace().kernels) {
            others += !known.contains(kernel.workload);
            compiled += !kernel.cached;
        }
        qInfo("%lld of %zu kernels compiled", compiled, window.provenance()->trace().kernels.size());
        QVERIFY(others >= 1 && others <= 6);
        QCOMPARE(compiled, others);
        QVERIFY(bytesOf(window.compilation()) != before);
        {
            Settled settled(window);
            window.actions()["model.compare"]->trigger();
            QVERIFY(settled.wait());
        }
        const auto* changes = window.profilePage()->changes()->model();
        QVERIFY(changes->before().medianMs > 0 && changes->after().medianMs > 0);
        QVERIFY(changes->before().lowMs <= changes->before().medianMs);
        QVERIFY(changes->rowCount() > 10);
        {
            Settled settled(window);
            window.actions()["edit.undo"]->trigger();
            QVERIFY(settled.wait());
        }
        QVERIFY(bytesOf(window.compilation()) == before);
    }

private slots:
    void initTestCase() { isolate(folder_, "test_networks"); }

    void oneGroupOfMobilenetIsTakenApart() {
        MainWindow window;
        window.resize(1500, 900);
        window.show();
        const auto file = fixture("perf/mobilenet-v2/model.onnx");
        if (file.empty() && !fixturesExpected())
            QSKIP("there is no folder to unpack the fixtures from");
        QVERIFY(openAndWait(window, QString::fromStdString(file.string())));
        QVERIFY(compileAndWait(window));
        window.showPage("fusion");
        auto* tree = window.fusionPage()->findChild<QTreeView*>();
        tree->setCurrentIndex(tree->model()->index(0, 0));
        const auto buttons = window.fusionPage()->findChildren<QToolButton*>();
        auto* apart = *std::ranges::find_if(
            buttons, [](QToolButton* each) { return each->text().remove('&') == "Take the function apart"; });
        tryAndUndo(window, [&] { QTest::mouseClick(apart, Qt::LeftButton); });
    }

    void anotherLayoutOfOneConvolutionOfResnet() {
        MainWindow window;
        window.resize(1500, 900);
        window.show();
        const auto file = fixture("perf/resnet50/model.onnx");
        if (file.empty() && !fixturesExpected())
            QSKIP("there is no folder to unpack the fixtures from");
        QVERIFY(openAndWait(window, QString::fromStdString(file.string())));
        QVERIFY(compileAndWait(window));
        window.showPage("fusion");
        auto* tree = window.fusionPage()->findChild<QTreeView*>();
        auto* menu = window.fusionPage()->findChild<QMenu*>();
        QAction* layout = nullptr;
        for (int row = 5; row < tree->model()->rowCount() && !layout; ++row) {
            tree->setCurrentIndex(tree->model()->index(row, 0));
            emit menu->aboutToShow();
            for (QAction* each : menu->actions())
                if (!each->isSeparator() && !each->isChecked() && each->text().startsWith("blocks of"))
                    layout = each;
        }
        QVERIFY(layout);
        tryAndUndo(window, [&] { layout->trigger(); });
    }

    void kernelsThatFaultOrHang_data() {
        QTest::addColumn<QByteArray>("damage");
        QTest::addColumn<QString>("words");
        QTest::newRow("a fault") << QByteArray("hoist conditions:faults") << "crashed";
        QTest::newRow("a hang") << QByteArray("hoist conditions:hangs") << "did not run within 60 s and was ended";
    }
    void kernelsThatFaultOrHang() {
        QFETCH(QByteArray, damage);
        QFETCH(QString, words);
        const auto file = fixture("models/mnist-8/model.onnx");
        if (file.empty() && !fixturesExpected())
            QSKIP("there is no folder to unpack the fixtures from");
        qputenv("LATHE_BROKEN_PASS", damage);
        MainWindow window;
        window.show();
        QVERIFY(openAndWait(window, QString::fromStdString(file.string())));
        QVERIFY(compileAndWait(window));
        qunsetenv("LATHE_BROKEN_PASS");
        {
            Settled settled(window);
            window.run();
            QVERIFY(settled.wait());
        }
        QCOMPARE(window.problems()->model()->rowCount(), 1);
        QString said;
        for (int column = 0; column < window.problems()->model()->columnCount(); ++column)
            said += window.problems()->model()->index(0, column).data().toString();
        QVERIFY2(said.contains(words), qPrintable(said));
        // The window goes on: without the damage it is compiled anew, and runs.
        window.selection().set({{1}});
        QVERIFY(compileAndWait(window));
        Settled settled(window);
        window.run();
        QVERIFY(settled.wait());
        QVERIFY(!window.profilePage()->model()->profile().rows.empty());
    }
};

Test test() {
    return {makes<TestNetworks>, Application::Window};
}

} // namespace lathe::testing::test_networks

#include "test_networks.moc"
