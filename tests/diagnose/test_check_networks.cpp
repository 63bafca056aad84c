// SPDX-License-Identifier: Apache-2.0
// Needs: lathe-runner
// Links: lathe_broken_passes
// Runs: release
// Timeout: 900
//
// In the middle of networks an operator's kernel is made to compute something else (support/broken_passes.cpp), in the
// compilation that is checked alone: the check names its value, and no other, as where it goes wrong. Without that all
// values are within the tolerance. In release alone: all values of networks are compared element by element, which takes many
// minutes under sanitizers; test_diagnose_check sees the same code there.
#include "diagnose/check.h"
#include "support/fixtures.h"
#include "support/program_of_tests.h"

#include <QTemporaryDir>
#include <QTest>
#include <algorithm>

namespace lathe::testing::test_check_networks {

using diagnose::CheckRow;
namespace fs = std::filesystem;

class TestCheckNetworks : public QObject {
    Q_OBJECT

    QTemporaryDir temporary_;

    static Result<diagnose::Check> ask(const fs::path& model) {
        diagnose::CheckQuestion question;
        question.runner.program = LATHE_BINARY_DIR "/lathe-runner";
        question.runner.timeout = std::chrono::minutes(10); // a whole network, unoptimized, perhaps on a busy machine
        driver::Session session(model);
        return diagnose::check(session, question);
    }

    /// The calls of a kernel that the middle one of those with such an operator calls, in order.
    static std::vector<const driver::CallRecord*> middleKernel(const driver::Trace& trace, const std::string& op) {
        std::vector<const driver::CallRecord*> calls;
        for (const driver::CallRecord& call : trace.calls)
            if (call.kernel.find(op) != std::string::npos)
                calls.push_back(&call);
        if (calls.empty())
            return {};
        const std::string kernel = calls[calls.size() / 2]->kernel;
        std::erase_if(calls, [&](const driver::CallRecord* call) { return call->kernel != kernel; });
        return calls;
    }

    static bool computes(const driver::CallRecord& call, int32_t node, const diagnose::Check& check) {
        const std::vector<int32_t>& nodes = check.trace->graph->spans->ids(call.span);
        return std::ranges::find(nodes, node) != nodes.end();
    }

private slots:
    void initTestCase() { qputenv("LATHE_CACHE", temporary_.filePath("cache").toLocal8Bit()); }
    void init() { qunsetenv("LATHE_BROKEN_PASS"); }

    void findsTheWrongOperator_data() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<QString>("op");
        QTest::newRow("mobilenet-v2, a convolution") << "perf/mobilenet-v2/model.onnx" << "conv";
        QTest::newRow("squeezenet, a convolution") << "perf/squeezenet1.1/model.onnx" << "conv";
        QTest::newRow("squeezenet, a pooling") << "perf/squeezenet1.1/model.onnx" << "max_pool";
        QTest::newRow("resnet50, a convolution") << "perf/resnet50/model.onnx" << "conv";
        QTest::newRow("bert-toy, a product") << "models/bert-toy/bert_toy_optimized.onnx" << "matmul";
        QTest::newRow("mobilenet-qdq, a convolution") << "models/mobilenet-qdq/model.onnx" << "conv";
    }
    void findsTheWrongOperator() {
        QFETCH(QString, model);
        QFETCH(QString, op);
        const fs::path path = fixture(model.toStdString());
        if (path.empty() && !fixturesExpected())
            QSKIP("there is no folder to unpack the fixtures from");
        const auto right = ask(path);
        QVERIFY2(right, right ? "" : toString(right.error()).c_str());
        QCOMPARE(right->count(diagnose::CheckState::Diverges), size_t(0));
        QVERIFY(right->count(diagnose::CheckState::Within) > 5);
        const auto spoilt = middleKernel(*right->trace, op.toStdString());
        QVERIFY(!spoilt.empty());
        qInfo("spoilt: %s, called %zu times", spoilt[0]->kernel.c_str(), spoilt.size());
        qputenv("LATHE_BROKEN_PASS", "schedule:wrong:" + QByteArray::fromStdString(spoilt[0]->kernel));
        const auto wrong = ask(path);
        QVERIFY2(wrong, wrong ? "" : toString(wrong.error()).c_str());
        std::vector<const CheckRow*> first;
        for (const CheckRow& row : wrong->rows)
            if (row.first)
                first.push_back(&row);
        QVERIFY(!first.empty() && first.size() <= spoilt.size());
        for (const CheckRow* row : first) {
            qInfo("diverges first: %s, %s", row->value.c_str(), row->why.c_str());
            QVERIFY(std::ranges::any_of(spoilt, [&](const auto* call) { return computes(*call, row->node, *wrong); }));
        }
        // The first of its calls is where it begins; all operators in it that have no value of their own are named with it.
        QVERIFY(computes(*spoilt[0], first[0]->node, *wrong));
        for (const CheckRow& row : wrong->rows)
            if (row.why == "fused into '" + spoilt[0]->function + "'")
                QVERIFY2(std::ranges::find(first[0]->nodes, row.node) != first[0]->nodes.end(), row.value.c_str());
        // What lies before it is right, and it is not alone.
        for (const CheckRow& row : wrong->rows) {
            if (&row == first[0])
                break;
            QVERIFY(row.state != diagnose::CheckState::Diverges);
        }
        QVERIFY(wrong->count(diagnose::CheckState::Diverges) > 1);
    }
};

Test test() {
    return {makes<TestCheckNetworks>};
}

} // namespace lathe::testing::test_check_networks

#include "test_check_networks.moc"
