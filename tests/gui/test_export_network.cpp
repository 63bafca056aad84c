// SPDX-License-Identifier: GPL-3.0-or-later
// Needs: lathe lathe-runner runtimes
// Runs: release
// Timeout: 900
//
// ResNet-50 from the file to a bundle that runs, by clicks and keys alone: opened, compiled, exported for this machine with
// what the network's data say, checked; and the bundle alone, by its own `check`, without Lathe.
#include "app/main_window.h"
#include "gui/window.h"
#include "support/fixtures.h"
#include "support/program.h"
#include "support/program_of_tests.h"
#include "views/exporting/export_wizard.h"

#include <QAbstractButton>
#include <QApplication>
#include <QLabel>
#include <QLineEdit>
#include <QRegularExpression>
#include <QTableWidget>
#include <QTest>

namespace lathe::testing::test_export_network {

using views::exporting::ExportWizard;

class TestExportNetwork : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

private slots:
    void initTestCase() { isolate(folder_, "test_export_network"); }

    void resnet50() {
        const auto model = fixture("perf/resnet50/model.onnx");
        if (model.empty() && !fixturesExpected())
            QSKIP("there is no folder to unpack the fixtures from");
        QVERIFY(!model.empty());
        app::MainWindow window;
        window.show();
        QApplication::setActiveWindow(&window);
        QVERIFY(QTest::qWaitForWindowActive(&window));
        QVERIFY(openAndWait(window, QString::fromStdString(model.string())));
        Settled settled(window);
        QTest::keyClick(&window, Qt::Key_F5);
        QVERIFY(settled.wait());
        QTest::keyClick(&window, Qt::Key_E, Qt::ControlModifier);
        ExportWizard* wizard = window.exportWizard();
        QVERIFY(wizard);
        while (wizard->currentId() < ExportWizard::Checks) {
            const int before = wizard->currentId();
            QTest::mouseClick(wizard->button(QWizard::NextButton), Qt::LeftButton);
            QVERIFY(wizard->currentId() > before);
        }
        const auto text = [&](const char* name) { return wizard->currentPage()->findChild<QLabel*>(name)->text(); };
        QVERIFY2(!text("warnings").contains("computed here"), qPrintable(text("warnings"))); // its data lie beside it
        const QRegularExpression size("the compiled model ([0-9.]+) MB");
        const double megabytes = size.match(text("footer")).captured(1).toDouble();
        QVERIFY2(megabytes > 102, qPrintable(text("footer"))); // 25.6 million weights of 4 bytes
        QTest::mouseClick(wizard->button(QWizard::NextButton), Qt::LeftButton);
        QCOMPARE(wizard->currentId(), int(ExportWizard::Summary));
        auto out = wizard->currentPage()->findChild<QLineEdit*>("out");
        out->setFocus();
        out->selectAll();
        QTest::keyClicks(out, folder_.filePath("exported"));
        QVERIFY(settled.wait());
        QVERIFY2(wizard->button(QWizard::CommitButton)->isEnabled(), qPrintable(text("problem")));
        QTest::mouseClick(wizard->button(QWizard::CommitButton), Qt::LeftButton);
        QVERIFY(settled.wait());
        QCOMPARE(wizard->currentId(), int(ExportWizard::Result));
        QVERIFY2(text("verdict").contains("Whole, and right"), qPrintable(text("verdict")));
        qInfo("%s", qPrintable(text("verdict").simplified()));
        auto figures = wizard->currentPage()->findChild<QTableWidget*>("figures");
        for (int row = 0; row < figures->rowCount(); ++row)
            qInfo("%s: %s", qPrintable(figures->item(row, 0)->text()), qPrintable(figures->item(row, 1)->text()));
        const Outcome checked = runProgram(folder_.filePath("exported/check"), {});
        QVERIFY2(checked.code == 0, (checked.out + checked.err).c_str());
    }
};

Test test() {
    return {makes<TestExportNetwork>, Application::Window};
}

} // namespace lathe::testing::test_export_network

#include "test_export_network.moc"
