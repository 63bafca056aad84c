// SPDX-License-Identifier: Apache-2.0
//
// Reports of networks of real size: well-formed, with a picture of the graph, and small enough to attach.
// In release alone: networks of real size take minutes under sanitizers, where test_report_report makes the same parts.
// Timeout: 600
// Runs: release
#include "report/report.h"
#include "support/fixtures.h"
#include "support/program_of_tests.h"
#include "support/report_page.h"

#include <QTest>

namespace lathe::testing::test_networks {

class TestNetworks : public QObject {
    Q_OBJECT

private slots:
    void attachable_data() {
        QTest::addColumn<QString>("path");
        for (const char* path : {"perf/resnet50/model.onnx", "perf/bert-base-dynamic/model.onnx",
                                 "perf/unet-attention/model.onnx", "models/silero-vad-v5-rates/model.onnx"})
            QTest::newRow(path) << path;
    }
    void attachable() {
        QFETCH(QString, path);
        const auto file = fixture(path.toStdString());
        if (file.empty() && !fixturesExpected())
            QSKIP("there is no folder to unpack the fixtures from");
        QVERIFY2(!file.empty(), "the fixture is not unpacked: ./dev test does that");
        const auto trace = std::make_shared<driver::Trace>();
        report::Report report{
            .trace = trace, .model = file, .options = {}, .decisions = {}, .profile = {}, .peaks = {}, .problems = {}};
        report.options.emitCode = false;
        QVERIFY(driver::compileFile(file, {}, {}, report.options, *trace));
        const std::string html = report::toHtml(report);
        qInfo("%.2f MB", double(html.size()) / 1e6);
        QVERIFY(html.size() < 5'000'000);
        const Page page = readPage(QByteArray::fromStdString(html));
        QVERIFY2(wrongIn(page).isEmpty(), qPrintable(wrongIn(page).join('\n')));
        QVERIFY(page.tags.contains("svg"));
        for (const driver::KernelRecord& kernel : trace->kernels)
            QCOMPARE(page.ids.count(QString::fromStdString("kernel-" + kernel.name)), 1);
    }
};

Test test() {
    return {makes<TestNetworks>};
}

} // namespace lathe::testing::test_networks

#include "test_networks.moc"
