// SPDX-License-Identifier: GPL-3.0-or-later
// Models that pages seldom meet (without nodes, without inputs, with branches, with sizes left open): every kind of work ends, on
// every page, and what cannot be done is said as a fault of the model, not of the program. And wishes that come while a model runs.
// Needs: lathe-runner samples
// Timeout: 900
// Runs: release sanitized
#include "app/main_window.h"
#include "gui/window.h"
#include "support/onnx_model.h"
#include "support/program_of_tests.h"
#include "views/graph/compare_page.h"
#include "views/log/log_panel.h"
#include "views/passes/passes_page.h"
#include "views/profile/profile_page.h"

#include <QTemporaryDir>
#include <QTest>

namespace lathe::testing::test_odd_models {

using app::MainWindow;

class TestOddModels : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    template <class Start>
    static bool settles(MainWindow& window, Start start) {
        Settled settled(window);
        start();
        return !window.isBusy() || settled.wait();
    }
    QString fileOf(const char* name, const char* graph) const {
        const QString path = folder_.filePath(QString(name) + ".onnx");
        writeFile(path.toStdString(), graphBytes(graph));
        return path;
    }

private slots:
    void initTestCase() { isolate(folder_, "test_odd_models"); }

    void allWorkEnds_data() {
        QTest::addColumn<QString>("graph");
        QTest::newRow("empty") << "g (float[2] x) => (float[2] x) { }";
        QTest::newRow("constant") << "g () => (float[2] y) { y = Constant <value = float[2] {1, 2}> () }";
        QTest::newRow("branches") << "g (bool c, float[2] x) => (float[2] y) { y = If (c) <"
                                     "then_branch = t () => (float[2] a) { a = Relu(x) }, "
                                     "else_branch = e () => (float[2] b) { b = Neg(x) }> }";
        QTest::newRow("open sizes") << "g (float[n, 3] x) => (float[n, 3] y) { y = Relu(x) }";
        QTest::newRow("sizes found late") << "g (float[n] x) => (int64[1, m] y) { y = NonZero(x) }";
    }
    void allWorkEnds() {
        QFETCH(QString, graph);
        const QString model = fileOf(QTest::currentDataTag(), graph.toUtf8().constData());
        MainWindow window;
        window.show();
        QVERIFY(openAndWait(window, model));
        QVERIFY(settles(window, [&] { window.compile(); }));
        QVERIFY(settles(window, [&] { window.run(); }));
        QVERIFY(settles(window, [&] { window.check(diagnose::AgainstUnoptimized{}); }));
        QVERIFY(settles(window, [&] { window.check(diagnose::AgainstNumerics{}); }));
        QVERIFY(settles(window, [&] { window.compareWith(model); }));
        QCOMPARE(window.comparePage()->model()->rowCount(), 0);
        QVERIFY(settles(window, [&] { window.compareWith(sample("small_cnn.onnx")); }));
        QVERIFY(window.comparePage()->model()->rowCount() > 0);
        QVERIFY(settles(window, [&] { window.writeReport(folder_.filePath("report.html")); }));
        const auto sound = [&] { return !window.logPanel()->text().contains("internal error"); };
        QVERIFY2(sound(), qPrintable(window.logPanel()->text()));
        for (const auto& entry : window.actions().entries()) // pages, and what they can do without asking
            if (entry.id.startsWith("view.theme") || entry.action->text().endsWith(QChar(0x2026)) ||
                entry.id.startsWith("file.") || entry.id.startsWith("help.") || entry.id == "model.bisect" ||
                entry.id == "log.clear")
                continue;
            else if (entry.action->isEnabled())
                QVERIFY2(settles(window, [&] { entry.action->trigger(); }), qPrintable(entry.id));
        QVERIFY2(sound(), qPrintable(window.logPanel()->text()));
    }

    /// What runs is not what is decided by then: in the end all pages show the code that was decided last.
    void wishesWhileItRuns() {
        MainWindow window;
        window.show();
        QVERIFY(openAndWait(window, sample("small_cnn.onnx")));
        QVERIFY(compileAndWait(window));
        window.passesPage()->choosePass(QStringLiteral("fuse"));
        {
            Settled settled(window);
            window.run();
            QTest::qWait(20);
            window.actions()["passes.off"]->trigger();
            QTest::qWait(20);
            window.actions()["edit.undo"]->trigger();
            window.actions()["edit.redo"]->trigger();
            QVERIFY(settled.wait());
        }
        QCOMPARE(window.decisions().skipPasses, std::set<std::string>{"fuse"});
        QVERIFY(window.compilation()->decisions == window.decisions());
        const auto& rows = window.profilePage()->model()->profile().rows;
        QVERIFY2(rows.empty() || rows.size() == window.compilation()->trace().calls.size(),
                 qPrintable(window.logPanel()->text()));
    }

    void closesWhileAllGoesOn() {
        for (const int ms : {0, 5, 50, 200}) {
            MainWindow window;
            window.show();
            QVERIFY(openAndWait(window, sample("small_cnn.onnx")));
            window.run();
            window.check(diagnose::AgainstUnoptimized{});
            window.compareWith(sample("small_transformer.onnx"));
            window.writeReport(folder_.filePath("closed.html"));
            QTest::qWait(ms);
            window.close();
            QVERIFY(window.finish(std::chrono::seconds(60)));
        }
    }
};

Test test() {
    return {makes<TestOddModels>, Application::Window};
}

} // namespace lathe::testing::test_odd_models

#include "test_odd_models.moc"
