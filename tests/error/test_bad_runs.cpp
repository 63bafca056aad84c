// SPDX-License-Identifier: Apache-2.0
// Needs: lathe lathe-runner
// Links: onnx
//
// Inputs with which a compiled model cannot run: `lathe run` names file, node and what to do, ends with exit code 1 and
// saves nothing. The same model still runs with good inputs.
#include "support/json_lines.h"
#include "support/onnx_model.h"
#include "support/program.h"
#include "support/program_of_tests.h"

#include <QTemporaryDir>
#include <QTest>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <limits>

namespace lathe::testing::test_bad_runs {

namespace fs = std::filesystem;

namespace {

template <class T>
std::string tensorBytes(int32_t type, const std::vector<int64_t>& shape, const std::vector<T>& values) {
    ::onnx::TensorProto tensor;
    tensor.set_data_type(type);
    for (const int64_t dim : shape)
        tensor.add_dims(dim);
    tensor.set_raw_data(values.data(), values.size() * sizeof(T));
    return tensor.SerializeAsString();
}

std::string floats(const std::vector<int64_t>& shape) {
    int64_t count = 1;
    for (const int64_t dim : shape)
        count *= dim;
    return tensorBytes<float>(::onnx::TensorProto::FLOAT, shape, std::vector<float>(static_cast<size_t>(count), 1));
}

std::string int64s(const std::vector<int64_t>& values) {
    return tensorBytes<int64_t>(::onnx::TensorProto::INT64, {static_cast<int64_t>(values.size())}, values);
}

std::string int32s(const std::vector<int32_t>& values) {
    return tensorBytes<int32_t>(::onnx::TensorProto::INT32, {static_cast<int64_t>(values.size())}, values);
}

} // namespace

class TestBadRuns : public QObject {
    Q_OBJECT

    QTemporaryDir temporary_;
    fs::path folder_;
    using Inputs = std::vector<std::pair<std::string, std::string>>; // name, bytes of a TensorProto

    Outcome run(const Inputs& inputs, const QStringList& more = {}) {
        QStringList arguments = {"run", QString::fromStdString((folder_ / "model.onnx").string()), "--save",
                                 QString::fromStdString((folder_ / "saved").string())};
        arguments << more;
        for (const auto& [name, bytes] : inputs) {
            const fs::path file = folder_ / (name + ".pb");
            writeFile(file, bytes);
            arguments << "--input" << QString::fromStdString(name + "=" + file.string());
        }
        return runLathe(arguments);
    }

    void runs(const Inputs& inputs) {
        const Outcome outcome = run(inputs);
        QVERIFY2(outcome.code == 0, outcome.err.c_str());
        QVERIFY(fs::exists(folder_ / "saved" / "y.npy"));
        fs::remove_all(folder_ / "saved");
    }

    /// `file` is the one that is named.
    void fails(const Inputs& inputs, const std::string& node, const std::string& what, int code = 1,
               const std::string& file = "model.onnx") {
        const Outcome outcome = run(inputs);
        QVERIFY2(outcome.code == code, outcome.err.c_str());
        for (const std::string& part : {(folder_ / file).string(), node, what, std::string(" (")})
            QVERIFY2(outcome.err.find(part) != std::string::npos, (part + " is not in: " + outcome.err).c_str());
        for (const char* internal : {"select(", "dim0 ==", "cast:"})
            QVERIFY2(!outcome.err.contains(internal), outcome.err.c_str());
        QVERIFY2(!fs::exists(folder_ / "saved"), "something was saved");
    }

    template <class T>
    void range(const std::string& type, int32_t code, const std::vector<T>& values) {
        QFETCH(QString, result);
        const std::string names[] = {"start", "limit", "delta"};
        Inputs inputs;
        std::string parameters;
        ::onnx::ModelProto known;
        for (size_t i = 0; i < 3; ++i) {
            parameters += (i ? ", " : "") + type + "[] " + names[i];
            inputs.emplace_back(names[i], tensorBytes<T>(code, {}, {values[i]}));
            ::onnx::TensorProto& constant = *known.mutable_graph()->add_initializer();
            constant.ParseFromString(inputs.back().second);
            constant.set_name(names[i]);
        }
        for (const bool constant : {false, true}) {
            ::onnx::ModelProto proto;
            proto.ParseFromString(graphBytes(
                fmt::format("g ({}) => ({}[k] y) {{ [many] y = Range(start, limit, delta) }}", parameters, type)));
            if (constant) {
                proto.mutable_graph()->clear_input();
                proto.mutable_graph()->mutable_initializer()->CopyFrom(known.graph().initializer());
            }
            writeFile(folder_ / "model.onnx", proto.SerializeAsString());
            const Inputs given = constant ? Inputs() : inputs;
            if (result.isEmpty()) {
                fails(given, "node 'many'", "has more than 1099511627776 elements, or no number of them");
                continue;
            }
            const Outcome outcome = run(given);
            QVERIFY2(outcome.code == 0, outcome.err.c_str());
            QVERIFY2(outcome.out.starts_with("y: " + result.toStdString()), outcome.out.c_str());
            fs::remove_all(folder_ / "saved");
        }
    }

    void model(const std::string& graph) { writeFile(folder_ / "model.onnx", graphBytes(graph)); }

private slots:
    void initTestCase() { qputenv("LATHE_CACHE", temporary_.filePath("cache").toLocal8Bit()); }
    void init() {
        folder_ = fs::path(temporary_.path().toStdString()) / QTest::currentTestFunction();
        fs::create_directories(folder_);
    }

    void gatherIndexOutOfRange() {
        model("g (float[3] x, int64[2] at) => (float[2] y) { [picked] y = Gather(x, at) }");
        runs({{"x", floats({3})}, {"at", int64s({2, -3})}});
        fails({{"x", floats({3})}, {"at", int64s({0, 3})}}, "node 'picked'", "index");
        fails({{"x", floats({3})}, {"at", int64s({0, -4})}}, "node 'picked'", "index");
        fails({{"x", floats({3})}, {"at", int64s({INT64_MIN, 0})}}, "node 'picked'", "index");
    }

    void scatterIndexOutOfRange() {
        model("g (float[3] x, int64[2] at, float[2] v) => (float[3] y) { [put] y = ScatterElements(x, at, v) }");
        runs({{"x", floats({3})}, {"at", int64s({2, -3})}, {"v", floats({2})}});
        fails({{"x", floats({3})}, {"at", int64s({0, 3})}, {"v", floats({2})}}, "node 'put'", "index");
    }

    void indexOfAnUnknownSize() {
        model("g (float[n] x, int64[m] at) => (float[m] y) { [picked] y = Gather(x, at) }");
        runs({{"x", floats({5})}, {"at", int64s({4, 0, -5})}});
        fails({{"x", floats({4})}, {"at", int64s({4})}}, "node 'picked'", "index");
    }

    void integerDivisionByZero() {
        model("g (int32[2] a, int32[2] b) => (int32[2] y) { [half] h = Add(a, b) [ratio] y = Div(h, b) }");
        runs({{"a", int32s({7, INT32_MIN})}, {"b", int32s({2, -1})}});
        fails({{"a", int32s({7, 8})}, {"b", int32s({2, 0})}}, "ratio", "division by zero");
    }

    void integerModuloByZero() {
        model("g (int64[2] a, int64[2] b) => (int64[2] y) { [rest] y = Mod(a, b) }");
        runs({{"a", int64s({7, 8})}, {"b", int64s({2, -3})}});
        fails({{"a", int64s({7, 8})}, {"b", int64s({0, 3})}}, "rest", "division by zero");
    }

    void sizesThatContradictASymbol() {
        model("g (float[n,2] a, float[n,2] b) => (float[n,2] y) { [sum] y = Add(a, b) }");
        runs({{"a", floats({3, 2})}, {"b", floats({3, 2})}});
        fails({{"a", floats({3, 2})}, {"b", floats({4, 2})}}, "input 'b'", "n");
        fails({{"a", floats({3, 5})}, {"b", floats({3, 5})}}, "input 'a'", "5", 1, "a.pb");
    }

    /// While the model runs, and where compiling knows the three. A length beyond int64 neither wraps nor runs out of memory.
    void rangesOfDoubles_data() {
        QTest::addColumn<double>("start");
        QTest::addColumn<double>("limit");
        QTest::addColumn<double>("delta");
        QTest::addColumn<QString>("result"); // empty: refused
        const double infinite = std::numeric_limits<double>::infinity();
        QTest::newRow("few") << 5.0 << 0.0 << -2.5 << "float64[2] 5 2.5";
        QTest::newRow("down to up") << 0.0 << -1e300 << 1e-300 << "float64[0]";
        QTest::newRow("beyond float64") << 0.0 << 1e300 << 1e-300 << "";
        QTest::newRow("beyond int64") << 0.0 << 1e19 << 1.0 << "";
        QTest::newRow("beyond the limit") << 0.0 << 1.1e12 << 1.0 << "";
        QTest::newRow("without end") << 0.0 << infinite << 1.0 << "";
        QTest::newRow("to no number") << 0.0 << std::numeric_limits<double>::quiet_NaN() << 1.0 << "";
    }
    void rangesOfDoubles() {
        QFETCH(double, start);
        QFETCH(double, limit);
        QFETCH(double, delta);
        range<double>("double", ::onnx::TensorProto::DOUBLE, {start, limit, delta});
    }

    void rangesOfIntegers_data() {
        QTest::addColumn<qint64>("start");
        QTest::addColumn<qint64>("limit");
        QTest::addColumn<qint64>("delta");
        QTest::addColumn<QString>("result"); // empty: refused
        constexpr qint64 least = INT64_MIN, most = INT64_MAX, quarter = qint64{1} << 62;
        QTest::newRow("few") << qint64{5} << qint64{0} << qint64{-2} << "int64[3] 5 3 1";
        QTest::newRow("up to down") << most << least << qint64{1} << "int64[0]";
        QTest::newRow("all up") << least << most << qint64{1} << "";
        QTest::newRow("all down") << most << least << qint64{-1} << "";
        QTest::newRow("beyond the limit") << qint64{0} << most << qint64{1} << "";
        QTest::newRow("in quarters") << least << most << quarter
                                     << "int64[4] -9223372036854775808 -4611686018427387904 0 4611686018427387904";
        QTest::newRow("in a long step") << most << least << least << "int64[2] 9223372036854775807 -1";
        QTest::newRow("in two long steps") << qint64{0} << least << -most << "int64[2] 0 -9223372036854775807";
    }
    void rangesOfIntegers() {
        QFETCH(qint64, start);
        QFETCH(qint64, limit);
        QFETCH(qint64, delta);
        range<int64_t>("int64", ::onnx::TensorProto::INT64, {start, limit, delta});
    }

    void sizesThatMeetWhileRunning() {
        model("g (float[n] a, float[m] b) => (float[k] y) { [sum] y = Add(a, b) }");
        runs({{"a", floats({3})}, {"b", floats({3})}});
        runs({{"a", floats({3})}, {"b", floats({1})}});
        fails({{"a", floats({3})}, {"b", floats({4})}}, "sum", "");
    }

    void anotherType() {
        model("g (float[2] a) => (float[2] y) { y = Relu(a) }");
        fails({{"a", int64s({1, 2})}}, "input 'a'", "int64", 1, "a.pb");
    }

    void anotherRank() {
        model("g (float[2] a) => (float[2] y) { y = Relu(a) }");
        fails({{"a", floats({2, 1})}}, "input 'a'", "float32[2,1]", 1, "a.pb");
    }

    void anotherName() {
        model("g (float[2] a) => (float[2] y) { y = Relu(a) }");
        fails({{"b", floats({2})}}, "'b'", "no input", 2, "b.pb");
    }

    void damagedInput() {
        model("g (float[2] a) => (float[2] y) { y = Relu(a) }");
        const Outcome outcome = run({{"a", "no tensor"}});
        QVERIFY2(outcome.code == 1, outcome.err.c_str());
        QVERIFY2(outcome.err.find("a.pb") != std::string::npos, outcome.err.c_str());
    }

    void reshapeThatDoesNotFit() {
        model("g (float[n] x, int64[2] to) => (float[p,q] y) { [shaped] y = Reshape(x, to) }");
        runs({{"x", floats({6})}, {"to", int64s({2, -1})}});
        const std::string what = "[n] can be reshaped to [?,?], which takes as many elements (with x: 6)";
        fails({{"x", floats({6})}, {"to", int64s({4, 2})}}, "shaped", what);
        fails({{"x", floats({6})}, {"to", int64s({-7, 2})}}, "shaped", what);
    }

    void reshapeToAKnownSizeThatDoesNotFit() {
        model(
            "g (float[n] x) => (float[2,4] y) { to = Constant <value_ints = [2, 4]> () [shaped] y = Reshape(x, to) }");
        runs({{"x", floats({8})}});
        fails({{"x", floats({6})}}, "node 'shaped'",
              "[n] can be reshaped to [2,4], which takes as many elements (8) (with x: 6)");
    }

    void sizesThatOverflow() {
        model("g (float[1] x, int64[2] to) => (float[p,q] y) { [big] y = Expand(x, to) }");
        runs({{"x", floats({1})}, {"to", int64s({2, 3})}});
        fails({{"x", floats({1})}, {"to", int64s({INT64_C(1) << 40, INT64_C(1) << 40})}}, "", "");
        fails({{"x", floats({1})}, {"to", int64s({-1, 1})}}, "node 'big'",
              "the size [dim0,dim1] of float32 is negative");
    }

    void conditionOfSeveralElements() {
        model(
            "g (float[2] x, int64[n] k) => (float[2] y) { c = Cast <to: int = 9> (k) [choice] y = If (c) < then_branch "
            "= a () => (float[2] t) { t = Abs(x) }, else_branch = b () => (float[2] f) { f = Neg(x) } > }");
        runs({{"x", floats({2})}, {"k", int64s({1})}});
        fails({{"x", floats({2})}, {"k", int64s({})}}, "choice", "reshaped to []");
        fails({{"x", floats({2})}, {"k", int64s({1, 0})}}, "choice", "reshaped to []");
    }

    /// Whatever finds it: a kernel, or what stands around the kernels.
    void nodeOfAFailureForPrograms_data() {
        QTest::addColumn<QString>("graph");
        QTest::addColumn<std::string>("to");
        QTest::addColumn<QString>("op");
        QTest::newRow("of a kernel") << "(float[n] x, int64[2] to) => (float[2] y) { [late] y = Gather(x, to) }"
                                     << int64s({0, 6}) << "ai.onnx.Gather-13";
        QTest::newRow("of sizes") << "(float[n] x, int64[2] to) => (float[p,q] y) { [late] y = Reshape(x, to) }"
                                  << int64s({4, 2}) << "ai.onnx.Reshape-21";
        QTest::newRow("of a size") << "(float[n] x, int64[2] to) => (float[p,q] y) { [late] y = Expand(x, to) }"
                                   << int64s({-1, 1}) << "ai.onnx.Expand-13";
    }
    void nodeOfAFailureForPrograms() {
        QFETCH(QString, graph);
        QFETCH(std::string, to);
        QFETCH(QString, op);
        model("g " + graph.toStdString());
        const Outcome outcome = run({{"x", floats({6})}, {"to", to}}, {"--json"});
        QCOMPARE(outcome.code, 1);
        const QJsonObject failure = jsonLines(outcome.err).value(0);
        QCOMPARE(failure["node"].toString(), "late");
        QCOMPARE(failure["operator"].toString(), op);
        QVERIFY2(!failure["what"].toString().contains("late"), outcome.err.c_str());
    }

    void artifactThatIsDamaged() {
        const fs::path artifact = folder_ / "model.onnx"; // the name that run() opens
        writeFile(artifact, std::string(4096, 'x') + "LATHEWTS" + std::string(24, '\0'));
        const Outcome outcome = run({});
        QVERIFY2(outcome.code == 1, outcome.err.c_str());
        QVERIFY2(outcome.err.find(artifact.string()) != std::string::npos, outcome.err.c_str());
    }
};

Test test() {
    return {makes<TestBadRuns>};
}

} // namespace lathe::testing::test_bad_runs

#include "test_bad_runs.moc"
