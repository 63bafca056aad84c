// SPDX-License-Identifier: Apache-2.0
// Needs: lathe-runner
// Links: onnx
//
// plugins/contrib against what ONNX Runtime gives: contrib/cases.json, which contrib/make_cases.py makes and which says the
// version.
#include "base/json.h"
#include "device/runner_client.h"
#include "driver/compile.h"
#include "driver/data_plugin.h"
#include "support/host_tensor.h"
#include "support/onnx_model.h"
#include "support/program_of_tests.h"

#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <set>

namespace lathe::testing::test_contrib {

namespace {

template <class T>
model::HostTensor tensorFrom(DataType dtype, const nlohmann::json& json) {
    return tensorOf<T>(dtype, json["dims"].get<std::vector<int64_t>>(), json["values"].get<std::vector<T>>());
}

model::HostTensor tensorFrom(const nlohmann::json& json) {
    const std::string type = json["type"];
    if (type == "float")
        return tensorFrom<float>(types::Float32, json);
    if (type == "int64")
        return tensorFrom<int64_t>(types::Int64, json);
    if (type == "int32")
        return tensorFrom<int32_t>(types::Int32, json);
    return type == "uint8" ? tensorFrom<uint8_t>(types::UInt8, json) : tensorFrom<int8_t>(types::Int8, json);
}

/// Empty if they are alike: floats up to rounding, in units of the largest that is expected, integers exactly.
std::string difference(const model::HostTensor& got, const model::HostTensor& wanted) {
    if (got.dtype != wanted.dtype || got.shape != wanted.shape)
        return "another type or shape";
    if (wanted.dtype != types::Float32)
        return got.bytes == wanted.bytes ? "" : "other integers";
    const std::vector<float> gotten = valuesOf<float>(got), expected = valuesOf<float>(wanted);
    for (size_t i = 0; i < expected.size(); ++i)
        if (!(std::fabs(gotten[i] - expected[i]) <= 2e-5F + 1e-5F * std::fabs(expected[i])))
            return fmt::format("element {}: {}, not {}", i, gotten[i], expected[i]);
    return {};
}

} // namespace

class TestContrib : public QObject {
    Q_OBJECT

    QTemporaryDir temporary_;
    nlohmann::json cases_;
    driver::Options options_;
    std::set<std::string> operators_;

    Result<driver::Artifact> compile(const std::string& bytes, const std::filesystem::path& out, driver::Trace& trace) {
        return driver::compileBytes(std::as_bytes(std::span(bytes)), "model.onnx", out, {}, options_, trace);
    }

private slots:
    void initTestCase() {
        qputenv("LATHE_CACHE", temporary_.filePath("cache").toLocal8Bit());
        std::ifstream file(LATHE_SOURCE_DIR "/tests/driver/contrib/cases.json");
        cases_ = nlohmann::json::parse(file)["cases"];
        const auto plugins = driver::findPlugins({.folders = {LATHE_SOURCE_DIR "/plugins/contrib"}, .without = {}}, {});
        QVERIFY2(plugins, plugins ? "" : toString(plugins.error()).c_str());
        for (const frontend::BodyRow& body : plugins->front().plugin.bodies)
            operators_.insert(body.name);
        options_.extensions = driver::extensionsOf(*plugins);
        QVERIFY(driver::checkExtensions(*options_.extensions));
    }

    void resultsAreThoseOfOnnxRuntime() {
        const std::filesystem::path out = temporary_.filePath("m.so").toStdString();
        std::set<std::string> seen;
        for (const nlohmann::json& each : cases_) {
            const std::string text = each["model"];
            driver::Trace trace;
            const auto compiled = compile(modelBytes(text), out, trace);
            QVERIFY2(compiled, (text + (compiled ? "" : toString(compiled.error()))).c_str());
            QCOMPARE(trace.graph->nodeCount, 1); // a node stays one
            seen.insert(trace.graph->nodes.front()->op);
            device::RunnerOptions runnerOptions;
            runnerOptions.program = LATHE_BINARY_DIR "/lathe-runner";
            device::RunnerClient runner(runnerOptions);
            QVERIFY(runner.load(out));
            for (const auto& [name, input] : each["inputs"].items())
                QVERIFY2(runner.setInput(name, tensorFrom(input)), text.c_str());
            QVERIFY2(runner.run(), text.c_str());
            for (size_t i = 0; i < each["outputs"].size(); ++i) {
                const auto output = runner.output(static_cast<int>(i));
                QVERIFY2(output, text.c_str());
                const std::string other = difference(*output, tensorFrom(each["outputs"][i]));
                QVERIFY2(other.empty(), (text + ": " + other).c_str());
            }
        }
        QCOMPARE(seen, operators_); // each operator has a case
    }

    void whatTheyDoNotSayIsRefusedByName() {
        for (const auto& [node, what] :
             {std::pair("y = com.microsoft.CDist <metric = \"euclidean\"> (x, x)", "metric"),
              std::pair("y = com.microsoft.FusedMatMul <transBatchA = 1> (x, x)", "transBatchA"),
              std::pair("y = com.microsoft.RotaryEmbedding <scale = 2.0> (x, x, x, x)", "scale"),
              std::pair("y, m = com.microsoft.SkipSimplifiedLayerNormalization (x, x, g)", "result 1"),
              std::pair("y = com.microsoft.Gelu <approximate = \"tanh\"> (x)", "approximate")}) {
            driver::Trace trace;
            const auto refused = compile(
                modelBytes("<ir_version: 10, opset_import: [\"\" : 21, \"com.microsoft\" : 1]> g (float[4,4] x, "
                           "float[4] g) => (float[4,4] y) { " +
                           std::string(node) + " }"),
                {}, trace);
            QVERIFY2(!refused && refused.error().what.contains(what), node);
        }
    }
};

Test test() {
    return {makes<TestContrib>};
}

} // namespace lathe::testing::test_contrib

#include "test_contrib.moc"
