// SPDX-License-Identifier: Apache-2.0
// Timeout: 1200
//
// Text and provenance after every pass of the networks that Lathe is measured by, from the fixtures.
#include "end_to_end/whole_model.h"
#include "support/program_of_tests.h"

#include <QTest>

namespace lathe::testing::test_whole_networks {

class TestWholeNetworks : public QObject {
    Q_OBJECT

    void report(const Findings& findings) {
        qInfo("%s", findings.figures.c_str());
        for (const std::string& wrong : findings.wrong)
            qWarning("%s", wrong.c_str());
        QVERIFY(findings.wrong.empty());
    }

private slots:
    void holds_data() {
        QTest::addColumn<QString>("path");
        for (const char* path :
             {"perf/resnet50/model.onnx", "perf/bert-base/model.onnx", "perf/bert-base-dynamic/model.onnx",
              "models/silero-vad-v5-rates/model.onnx", "models/nms-yolov8/nms-yolov8.onnx"})
            QTest::newRow(path) << path;
    }
    void holds() {
        QFETCH(QString, path);
        const auto file = fixture(path.toStdString());
        if (file.empty() && !fixturesExpected())
            QSKIP("there is no folder to unpack the fixtures from");
        QVERIFY2(!file.empty(), "the fixture is not unpacked: ./dev test does that");
        driver::Options options;
        options.cache = false;
        options.verify = true;
        options.emitCode = false;
        const auto trace = std::make_shared<driver::Trace>();
        const auto compiled = driver::compileFile(file, {}, {}, options, *trace);
        QVERIFY2(compiled, compiled ? "" : toString(compiled.error()).c_str());
        report(checkTexts(*trace));
        report(checkChanges(*trace));
        report(checkProvenance(*trace));
        report(checkWays(trace, 0.98));
    }
};

Test test() {
    return {makes<TestWholeNetworks>};
}

} // namespace lathe::testing::test_whole_networks

#include "test_whole_networks.moc"
