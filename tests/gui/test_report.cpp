// SPDX-License-Identifier: GPL-3.0-or-later
// File › Write a report: what the window knows, written beside other work, at any time.
// Needs: lathe-runner samples
// Timeout: 600
#include "app/main_window.h"
#include "gui/window.h"
#include "support/program_of_tests.h"
#include "support/report_page.h"
#include "views/log/log_panel.h"
#include "views/problems/problems_panel.h"

#include <QFile>
#include <QSettings>
#include <QTest>

namespace lathe::testing::test_report {

using app::MainWindow;

class TestReport : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    static bool reportAndWait(MainWindow& window, const QString& path) {
        Settled settled(window);
        window.writeReport(path);
        return settled.wait();
    }
    static Page read(const QString& path) {
        QFile file(path);
        return readPage(file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("there is none"));
    }
    static QString logOf(MainWindow& window) { return window.logPanel()->text(); }

private slots:
    void initTestCase() { isolate(folder_, "test_report"); }
    void init() { QSettings().clear(); }

    void whatIsKnownSoFar() {
        MainWindow window;
        window.show();
        QAction* action = window.actions()["file.report"];
        QVERIFY(!action->isEnabled()); // of what?
        QVERIFY(openAndWait(window, sample("small_cnn.onnx")));
        QVERIFY(action->isEnabled());
        const QString imported = folder_.filePath("imported.html"), ran = folder_.filePath("ran.html");
        QVERIFY(reportAndWait(window, imported));
        Page page = read(imported);
        QVERIFY2(wrongIn(page).isEmpty(), qPrintable(wrongIn(page).join('\n')));
        QVERIFY(page.ids.contains("graph"));
        QVERIFY(!page.ids.contains("kernels"));
        QVERIFY(compileAndWait(window));
        Settled settled(window);
        window.run();
        QVERIFY(settled.wait());
        QVERIFY(reportAndWait(window, ran));
        page = read(ran);
        QVERIFY2(wrongIn(page).isEmpty(), qPrintable(wrongIn(page).join('\n')));
        for (const char* section : {"graph", "passes", "fusion", "kernels", "profile", "roofline", "memory", "call-0"})
            QVERIFY2(page.ids.contains(section), section);
        QVERIFY(!page.ids.contains("problems"));
        QVERIFY2(logOf(window).contains(ran), qPrintable(logOf(window)));
        // Compiled anew, what ran before is no profile of it.
        QVERIFY(compileAndWait(window));
        QVERIFY(reportAndWait(window, ran));
        QVERIFY(!read(ran).ids.contains("roofline"));
    }

    void aPlaceThatCannotBeWritten() {
        MainWindow window;
        window.show();
        QVERIFY(openAndWait(window, sample("small_cnn.onnx")));
        QVERIFY(reportAndWait(window, folder_.filePath("no/such/page.html")));
        QCOMPARE(window.problems()->model()->errors(), 1);
        QVERIFY(logOf(window).contains("no report"));
    }
};

Test test() {
    return {makes<TestReport>, Application::Window};
}

} // namespace lathe::testing::test_report

#include "test_report.moc"
