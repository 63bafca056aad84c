// SPDX-License-Identifier: Apache-2.0
// Links: onnx
// Timeout: 600
//
// Text and provenance of whole models after every pass: small ones that are written here, and those of the fixtures that
// are quickly compiled. test_whole_networks has the large ones.
#include "end_to_end/whole_model.h"
#include "support/onnx_model.h"
#include "support/program_of_tests.h"
#include "support/sample_models.h"

#include <QTest>
#include <cstddef>

namespace lathe::testing::test_whole_models {

class TestWholeModels : public QObject {
    Q_OBJECT

    static void add(const char* name, const std::string& text) {
        QTest::newRow(name) << QByteArray::fromStdString(text);
    }

    void report(const Findings& findings) {
        qInfo("%s", findings.figures.c_str());
        for (const std::string& wrong : findings.wrong)
            qWarning("%s", wrong.c_str());
        QVERIFY(findings.wrong.empty());
    }

private slots:
    void holds_data() {
        QTest::addColumn<QByteArray>("bytes");
        for (const SampleModel& sample : sampleModels)
            add(sample.name, graphBytes(sample.graph));
        for (const char* path : {"models/mnist-8/model.onnx", "models/nested-if/gh_issue_18338.onnx",
                                 "models/nms-yolov8/nms-yolov8.onnx", "models/bert-toy/bert_toy_optimized.onnx"})
            if (const auto file = fixture(path); !file.empty()) {
                std::ifstream stream(file, std::ios::binary);
                add(path, std::string(std::istreambuf_iterator<char>(stream), {}));
            } else {
                QVERIFY2(!fixturesExpected(), (std::string(path) + " is not unpacked: ./dev test does that").c_str());
            }
    }
    void holds() {
        QFETCH(QByteArray, bytes);
        driver::Options options;
        options.cache = false;
        options.verify = true;
        options.emitCode = false;
        const auto trace = std::make_shared<driver::Trace>();
        const auto compiled =
            driver::compileBytes(std::as_bytes(std::span(bytes.constData(), static_cast<size_t>(bytes.size()))),
                                 QTest::currentDataTag(), {}, {}, options, *trace);
        QVERIFY2(compiled, compiled ? "" : toString(compiled.error()).c_str());
        report(checkTexts(*trace));
        report(checkChanges(*trace));
        report(checkProvenance(*trace));
        report(checkWays(trace, 0.98));
    }
};

Test test() {
    return {makes<TestWholeModels>};
}

} // namespace lathe::testing::test_whole_models

#include "test_whole_models.moc"
