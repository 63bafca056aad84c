// SPDX-License-Identifier: Apache-2.0
// Needs: lathe-runner
// Links: onnx
//
// Whoever cancels before there is a study waits for no compilation.
#include "driver/tune_model.h"
#include "support/onnx_model.h"

#include <QTemporaryDir>
#include <QTest>

using namespace lathe;
using namespace lathe::testing;

class TestTuneModel : public QObject {
    Q_OBJECT

private slots:
    void cancelledWhileItCompiles() {
        QTemporaryDir folder;
        qputenv("LATHE_CACHE", folder.path().toLocal8Bit());
        const std::string model = folder.filePath("model.onnx").toStdString();
        writeFile(model, graphBytes("g (float[8,8] x) => (float[8,8] y) { y = MatMul (x, x) }"));
        driver::TuneOptions options;
        options.runner.cancelled = [] { return true; };
        int stages = 0;
        driver::Progress progress;
        progress.report = [&](std::string_view, double) { ++stages; };
        const auto tuned = driver::tuneModel(model, options, {}, progress);
        QVERIFY(!tuned && tuned.error().kind == ErrorKind::Cancelled);
        QVERIFY2(stages <= 2, qPrintable(QString::number(stages)));
    }
};

QTEST_GUILESS_MAIN(TestTuneModel)
#include "test_tune_model.moc"
