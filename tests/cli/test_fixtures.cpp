// SPDX-License-Identifier: Apache-2.0
// Needs: lathe lathe-runner
// Links: onnx
//
// `lathe test` on fixtures, which say themselves what is expected: each outcome, and that runs go in order.
// In release alone: each test compiles models.
// Runs: release
#include "support/host_tensor.h"
#include "support/json_lines.h"
#include "support/npz_file.h"
#include "support/onnx_model.h"
#include "support/program.h"
#include "support/program_of_tests.h"

#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <fmt/format.h>

namespace lathe::testing::test_fixtures {

namespace fs = std::filesystem;

namespace {

model::HostTensor floats(const std::vector<float>& values) {
    return tensorOf<float>(types::Float32, {static_cast<int64_t>(values.size())}, values);
}

const std::string difference = "g (float[n] x, float[n] z) => (float[n] y) { y = Sub (x, z) }";
const std::string oneRun = R"("runs": [{"inputs": "inputs.npz", "outputs": "outputs.npz"}])";

} // namespace

class TestFixtures : public QObject {
    Q_OBJECT

    QTemporaryDir root_;

    /// A fixture whose run gives 1 and 2 less 3 and 5, in an order that is not the model's, and expects `y`.
    fs::path fixture(const std::string& name, const std::string& meta, const std::string& graph,
                     const std::vector<float>& y = {-2, -3}) const {
        const fs::path folder = fs::path(root_.path().toStdString()) / name;
        fs::create_directories(folder);
        writeFile(folder / "meta.json", "{\"format\": \"ONNX\", " + meta + "}");
        writeFile(folder / "model.onnx", graphBytes(graph));
        writeFile(folder / "inputs.npz", npzOf({{"z", floats({3, 5})}, {"x", floats({1, 2})}}));
        writeFile(folder / "outputs.npz", npzOf({{"y", floats(y)}}));
        return folder;
    }
    static QJsonObject resultOf(const fs::path& folder) {
        return jsonLines(runLathe({"test", "--json", QString::fromStdString(folder.string())}).out).value(0);
    }

private slots:
    void initTestCase() { qputenv("LATHE_CACHE", root_.filePath("cache").toLocal8Bit()); }

    void outcomes_data() {
        QTest::addColumn<std::string>("meta");
        QTest::addColumn<std::string>("graph");
        QTest::addColumn<QList<float>>("y");
        QTest::addColumn<QString>("outcome");
        QTest::addColumn<QString>("message");
        const auto row = [](const char* name, const std::string& meta, const std::string& graph, const QList<float>& y,
                            const char* outcome, const char* message) {
            QTest::newRow(name) << meta << graph << y << QString(outcome) << QString(message);
        };
        const std::string relative = R"("expect": "run", "tolerance": "1e-3 relative", )" + oneRun;
        const std::string unknown = "g (float[n] x, float[n] z) => (float[n] y) { y = Frobnicate (x, z) }";
        row("right", relative, difference, {-2, -3}, "passed", "");
        row("within the tolerance", relative, difference, {-2.002F, -3}, "passed", "");
        row("beyond it", relative, difference, {-2.02F, -3}, "wrong", "output 'y'");
        row("exact", R"("tolerance": "exact", )" + oneRun, difference, {-2.002F, -3}, "wrong", "output 'y'");
        row("another shape", relative, difference, {-2, -3, 0}, "wrong", "shape is [2], expected [3]");
        row("another name", relative, "g (float[n] x, float[n] z) => (float[n] w) { w = Sub (x, z) }", {-2, -3},
            "wrong", "no output 'y'");
        row("another input", relative, "g (float[n] x) => (float[n] y) { y = Neg (x) }", {-2, -3}, "wrong",
            "no input 'z'");
        row("no such file", R"("tolerance": "exact", "runs": [{"inputs": "inputs.npz", "outputs": "none.npz"}])",
            difference, {-2, -3}, "refused", "none.npz");
        row("no such inputs", R"("tolerance": "exact", "runs": [{"inputs": "none.npz", "outputs": "outputs.npz"}])",
            "g (float[] x, float[] z) => (float[] y) { y = Sub (x, z) }", {-2, -3}, "refused", "none.npz");
        row("no tolerance", oneRun, difference, {-2, -3}, "refused", "tolerance");
        row("no runs", R"("expect": "run", "runs": [])", difference, {-2, -3}, "refused", "no data");
        row("an unknown operator", relative, unknown, {-2, -3}, "refused", "Frobnicate");
        row("refused as it has to be", R"("expect": "refuse", "why": "Frobnicate", "tolerance": "-", "runs": [])",
            unknown, {}, "passed", "Frobnicate");
        row("accepted", R"("expect": "refuse", "why": "an odd thing", "runs": [])", difference, {}, "accepted",
            "an odd thing");
        row("either, refused", R"("expect": "run or refuse", "tolerance": "exact", )" + oneRun, unknown, {-2, -3},
            "refused", "Frobnicate");
        row("either, run", R"("expect": "run or refuse", "tolerance": "exact", )" + oneRun, difference, {-2, -3},
            "passed", "");
    }
    void outcomes() {
        QFETCH(std::string, meta);
        QFETCH(std::string, graph);
        QFETCH(QList<float>, y);
        QFETCH(QString, outcome);
        QFETCH(QString, message);
        const QJsonObject result = resultOf(fixture("one", meta, graph, {y.begin(), y.end()}));
        QVERIFY2(result["outcome"].toString() == outcome && result["message"].toString().contains(message),
                 qPrintable(result["outcome"].toString() + " " + result["message"].toString()));
        QVERIFY(outcome == "refused" || result["operator"].toString().isEmpty());
    }

    /// Each run has its own sizes, and the first that is wrong ends it.
    void runsGoInOrder() {
        const fs::path folder =
            fixture("ordered", R"("tolerance": "exact", "runs": [{"inputs": "inputs.npz", "outputs": "outputs.npz"},
                {"inputs": "inputs_1.npz", "outputs": "outputs_1.npz"},
                {"inputs": "inputs_2.npz", "outputs": "outputs_2.npz"}])",
                    difference);
        const auto write = [&](int run, const std::vector<float>& x, const std::vector<float>& y) {
            writeFile(folder / fmt::format("inputs_{}.npz", run),
                      npzOf({{"x", floats(x)}, {"z", floats(std::vector<float>(x.size(), 1))}}));
            writeFile(folder / fmt::format("outputs_{}.npz", run), npzOf({{"y", floats(y)}}));
        };
        write(1, {1, 2, 3}, {0, 1, 2});
        write(2, {7}, {6});
        QJsonObject result = resultOf(folder);
        QVERIFY2(result["outcome"] == "passed", qPrintable(result["message"].toString()));
        write(2, {7}, {5});
        result = resultOf(folder);
        QCOMPARE(result["outcome"].toString(), QString("wrong"));
        QVERIFY2(result["message"].toString().startsWith("inputs_2.npz: "), qPrintable(result["message"].toString()));
        write(1, {1, 2, 3}, {0, 1, 0});
        result = resultOf(folder);
        QVERIFY2(result["message"].toString().startsWith("inputs_1.npz: "), qPrintable(result["message"].toString()));
    }

    /// What no frontend knows is a test too; what is accepted and has to be refused fails.
    void counts() {
        const std::string refuse = R"("expect": "refuse", "runs": [])";
        fixture("all/right", R"("tolerance": "exact", )" + oneRun, difference);
        fixture("all/accepted", refuse, difference);
        const fs::path other = fixture("all/other", R"("tolerance": "exact", )" + oneRun, difference);
        fs::remove(other / "model.onnx");
        writeFile(other / "model.other", "noise");
        // Cut off: what it was a test of, nobody knows. Another kind of JSON is somebody else's.
        writeFile(fixture("all/cut", oneRun, difference) / "meta.json", "{\"format\": \"ONNX\", \"runs\": [");
        fs::remove(fs::path(root_.filePath("all/cut").toStdString()) / "model.onnx");
        fs::create_directories(root_.filePath("all/foreign").toStdString());
        writeFile(fs::path(root_.filePath("all/foreign").toStdString()) / "meta.json", "[1, 2]");
        const QString all = root_.filePath("all");
        const Outcome outcome = runLathe({"test", "--json", all});
        QCOMPARE(outcome.code, 1);
        const QList<QJsonObject> lines = jsonLines(outcome.out);
        QCOMPARE(lines.size(), 5);
        const QJsonObject counts = lines.back();
        QCOMPARE(counts["passed"].toInt(), 1);
        QCOMPARE(counts["accepted"].toInt(), 1);
        QCOMPARE(counts["refused"].toInt(), 2);
        const Outcome rest = runLathe({"test", "--except", "accepted", all});
        QCOMPARE(rest.code, 0);
        QVERIFY2(rest.out.contains("1 passed, 0 wrong, 0 accepted, 2 refused, 0 crashed, 0 timeout"), rest.out.c_str());
        QVERIFY2(rest.out.contains("model.other"), rest.out.c_str());
        QVERIFY2(rest.out.contains("meta.json: this is no description of a test"), rest.out.c_str());
    }
};

Test test() {
    return {makes<TestFixtures>};
}

} // namespace lathe::testing::test_fixtures

#include "test_fixtures.moc"
