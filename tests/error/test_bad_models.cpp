// SPDX-License-Identifier: Apache-2.0
// Needs: lathe
// Links: onnx
//
// Models that cannot be compiled: each gets a diagnostic that names file, node and what to do; `lathe compile` ends with
// exit code 1 and writes nothing.
#include "driver/compile.h"
#include "support/cpu_time.h"
#include "support/onnx_model.h"
#include "support/program.h"
#include "support/program_of_tests.h"

#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace lathe::testing::test_bad_models {

namespace fs = std::filesystem;

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int slowness = 10;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr int slowness = 10;
#else
constexpr int slowness = 1;
#endif
#else
constexpr int slowness = 1;
#endif

/// What a diagnostic must say. Empty: not asked for.
struct Expected {
    std::string node, op, what, kind = {};
};

std::set<std::string> filesIn(const fs::path& folder) {
    std::set<std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        files.insert(entry.path().string());
    return files;
}

} // namespace

class TestBadModels : public QObject {
    Q_OBJECT

    QTemporaryDir temporary_;
    fs::path folder_;

    /// Compiles the file in this process and by the program, and checks both.
    void refused(const fs::path& model, const Expected& expected) {
        const fs::path out = folder_ / "out.so";
        const std::set<std::string> before = filesIn(folder_);
        driver::Options options;
        options.cache = false;
        driver::Trace trace;
        const auto compiled = driver::compileFile(model, out, {}, options, trace);
        QVERIFY(!compiled);
        const Diagnostic& diagnostic = compiled.error();
        const std::string text = toString(diagnostic);
        QVERIFY2(diagnostic.file == model.string(), text.c_str());
        QVERIFY2(diagnostic.what.find(expected.what) != std::string::npos, text.c_str());
        QVERIFY2(diagnostic.node.find(expected.node) != std::string::npos, text.c_str());
        QVERIFY2(diagnostic.op.find(expected.op) != std::string::npos, text.c_str());
        QVERIFY2(expected.kind.empty() || toString(diagnostic.kind) == expected.kind, text.c_str());
        QVERIFY2(!diagnostic.hint.empty(), text.c_str());
        QVERIFY2(filesIn(folder_) == before, "something was written");

        const Outcome program =
            runLathe({"compile", QString::fromStdString(model.string()), "-o", QString::fromStdString(out.string())});
        QVERIFY2(program.code == 1, program.err.c_str());
        QVERIFY2(program.err.find(text) != std::string::npos, program.err.c_str());
        QVERIFY2(filesIn(folder_) == before, "the program wrote something");
    }

    void refusedBytes(const std::string& bytes, const Expected& expected) {
        const fs::path model = folder_ / "model.onnx";
        writeFile(model, bytes);
        refused(model, expected);
    }

private slots:
    void initTestCase() { qputenv("LATHE_CACHE", temporary_.filePath("cache").toLocal8Bit()); }
    void init() {
        folder_ = fs::path(temporary_.path().toStdString()) / QTest::currentTestFunction();
        fs::create_directories(folder_);
    }

    void missing() { refused(folder_ / "model.onnx", {"", "", "cannot be opened", "invalid"}); }

    void folder() { refused(folder_, {"", "", "no model of a format", "invalid"}); }

    void pipe() {
        QCOMPARE(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
        refused(folder_ / "pipe", {"", "", "not a regular file", "invalid"});
    }

    void empty() { refusedBytes("", {"", "", "empty", "invalid"}); }

    void noNodes() {
        refusedBytes(graphBytes("g (float[2] x) => (float[2] x) { }"), {"", "", "the graph has no nodes", "invalid"});
        const Outcome program = runLathe({"inspect", QString::fromStdString((folder_ / "model.onnx").string())});
        QVERIFY2((program.out + program.err).find("export the whole model") != std::string::npos, program.err.c_str());
    }

    void truncated() {
        const std::string bytes = graphBytes("g (float[2] x) => (float[2] y) { y = Relu(x) }");
        for (const size_t part : {1, 2, 3})
            refusedBytes(bytes.substr(0, bytes.size() * part / 4), {});
    }

    void huge() {
        const fs::path model = folder_ / "model.onnx";
        writeFile(model, graphBytes("g (float[2] x) => (float[2] y) { y = Relu(x) }"));
        if (truncate(model.c_str(), off_t{5} << 30) != 0) // sparse: takes no space
            QSKIP("the file system holds no file of 5 GiB");
        refused(model, {"", "", "more than the limit"});
    }

    void noModel_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::newRow("text") << QByteArray("# How to train the model\n\nFirst, ...\n");
        QTest::newRow("zip") << QByteArray("PK\x03\x04 and so on");
        QTest::newRow("elf") << QByteArray("\x7f"
                                           "ELF\x02\x01\x01");
        QTest::newRow("zeros") << QByteArray(1000, '\0');
        QTest::newRow("tensor") << QByteArray::fromStdString([] {
            ::onnx::TensorProto tensor;
            tensor.set_data_type(1);
            tensor.add_dims(1);
            tensor.add_float_data(1);
            return tensor.SerializeAsString();
        }());
    }
    void noModel() {
        QFETCH(QByteArray, bytes);
        refusedBytes(bytes.toStdString(), {"", "", "ONNX", "invalid"});
    }

    void refusedGraph_data() {
        QTest::addColumn<QString>("graph");
        QTest::addColumn<QString>("node");
        QTest::addColumn<QString>("op");
        QTest::addColumn<QString>("what");
        QTest::addColumn<QString>("kind");
        QTest::newRow("cycle")
            << "g (float[2] x) => (float[2] y) { [first] a = Add(x, b) [second] b = Relu(a) [third] y = Relu(b) }"
            << "second" << "ai.onnx.Relu" << "cycle" << "invalid";
        QTest::newRow("unknown operator") << "g (float[2] x) => (float[2] y) { [odd] y = Frobnicate(x) }" << "odd"
                                          << "ai.onnx.Frobnicate" << "no operator Frobnicate" << "invalid";
        QTest::newRow("missing attribute")
            << "g (float[2,2] x) => (float[2,2] y) { [joined] y = Concat(x) }" << "joined"
            << "ai.onnx.Concat" << "axis" << "invalid";
        QTest::newRow("attribute of another type")
            << "g (float[2,2] x) => (float[2,2] y) { [joined] y = Concat <axis = \"one\"> (x, x) }" << "joined"
            << "ai.onnx.Concat" << "axis" << "invalid";
        QTest::newRow("shapes that disagree, Add")
            << "g (float[2,3] x, float[2,4] z) => (float[2,3] y) { [sum] y = Add(x, z) }"
            << "sum" << "ai.onnx.Add" << "" << "invalid";
        QTest::newRow("groups that do not divide, ConvTranspose")
            << "g (float[1,4,4] x, float[4,3,3] w) => (float[1,9,9] y) "
               "{ [odd] y = ConvTranspose <group = 3, strides = [2]> (x, w) }"
            << "odd" << "ai.onnx.ConvTranspose" << "" << "invalid";
        QTest::newRow("a stride over nothing, ConvTranspose")
            << "g (float[1,2,0] x, float[2,3,3] w) => (float[1,3,1] y) "
               "{ [odd] y = ConvTranspose <strides = [2]> (x, w) }"
            << "odd" << "ai.onnx.ConvTranspose" << "not 0" << "invalid";
        QTest::newRow("shapes that disagree, MatMul")
            << "g (float[2,3] x, float[4,5] z) => (float[2,5] y) { [product] y = MatMul(x, z) }" << "product"
            << "ai.onnx.MatMul" << "" << "invalid";
        QTest::newRow("shapes that disagree, Concat")
            << "g (float[2,3] x, float[2,3,1] z) => (float[n] y) { [joined] y = Concat <axis = 0> (x, z) }" << "joined"
            << "ai.onnx.Concat" << "" << "invalid";
        QTest::newRow("shapes that disagree, Reshape")
            << "g (float[2,3] x) => (float[4] y) <int64[1] to = {4}> { [shaped] y = Reshape(x, to) }" << "shaped"
            << "ai.onnx.Reshape" << "" << "invalid";
        QTest::newRow("an operand that would widen the others, Gemm")
            << "g (float[1,2] x, float[2,3] z, float[5,3] c) => (float[5,3] y) { [gemm] y = Gemm(x, z, c) }" << "gemm"
            << "ai.onnx.Gemm" << "[5,3] does not broadcast to [1,3]" << "invalid";
        QTest::newRow("an operand that would widen the others, PRelu")
            << "g (float[1,3] x, float[2,3] s) => (float[2,3] y) { [prelu] y = PRelu(x, s) }" << "prelu"
            << "ai.onnx.PRelu" << "[2,3] does not broadcast to [1,3]" << "invalid";
        QTest::newRow("an operand that would widen the others, LayerNormalization")
            << "g (float[2,1] x, float[3] w) => (float[2,3] y) { [norm] y = LayerNormalization(x, w) }" << "norm"
            << "ai.onnx.LayerNormalization" << "[3] does not broadcast to [2,1]" << "invalid";
        QTest::newRow("parts that do not cover a dim")
            << "g (float[5] x) => (float[2] y, float[2] z) <int64[2] parts = {2, 2}> { [split] y, z = Split(x, parts) }"
            << "split" << "ai.onnx.Split" << "cover a dim of 5" << "invalid";
        QTest::newRow("types that disagree") << "g (float[2] x, int64[2] z) => (float[2] y) { [sum] y = Add(x, z) }"
                                             << "sum" << "ai.onnx.Add" << "" << "invalid";
        QTest::newRow("too few inputs") << "g (float[2] x) => (float[2] y) { [sum] y = Add(x) }" << "sum"
                                        << "ai.onnx.Add" << "" << "invalid";
        QTest::newRow("an axis of a scalar to be padded")
            << "g (float x, int64[2] p) => (float y) <int64[1] a = {0}> { [wide] y = Pad (x, p, , a) }" << "wide"
            << "ai.onnx.Pad" << "out of range for a tensor of rank 0" << "invalid";
        QTest::newRow("one value of two")
            << "g (int64[3] x) => (float[3,4] y) <int64 d = {4}, float v = {1}> { [hot] y = OneHot (x, d, v) }" << "hot"
            << "ai.onnx.OneHot" << "rank 0 where at least 1 is needed" << "invalid";
        QTest::newRow("an axis that is not there")
            << "g (float[2,3] x) => (float[2,3] y) { [soft] y = Softmax <axis = 5> (x) }" << "soft" << "ai.onnx.Softmax"
            << "5" << "invalid";
        QTest::newRow("reads what nothing produces") << "g (float[2] x) => (float[2] y) { [sum] y = Add(x, ghost) }"
                                                     << "sum" << "ai.onnx.Add" << "ghost" << "invalid";
        QTest::newRow("output that nothing produces")
            << "g (float[2] x) => (float[2] y, float[2] ghost) { y = Relu(x) }"
            << "" << "" << "ghost" << "invalid";
        QTest::newRow("produced twice") << "g (float[2] x) => (float[2] y) { [one] y = Relu(x) [two] y = Abs(x) }"
                                        << "two"
                                        << "ai.onnx.Abs" << "produced twice" << "invalid";
        QTest::newRow("overflowing input")
            << "g (float[9223372036854775807,9223372036854775807] x) => (float[n] y) { y = Relu(x) }" << "" << ""
            << "limit" << "unsupported";
        QTest::newRow("overflowing initializer")
            << "g (float[2] x) => (float[2] y) <float[4294967296,4294967296,4294967296] w = {1}> { [sum] y = Add(x, w) "
               "}"
            << "sum" << "" << "limit" << "";
        QTest::newRow("overflowing product")
            << "g (float[1099511627776,1] x, float[1,1099511627776] z) => (float[n,m] y) { [product] y = MatMul(x, z) }"
            << "product" << "ai.onnx.MatMul" << "elements" << "unsupported";
        QTest::newRow("overflowing Expand") << "g (float[1] x) => (float[n,m] y) <int64[3] to = {3037000500, "
                                               "3037000500, 3037000500}> { [big] y = Expand(x, to) }"
                                            << "big" << "ai.onnx.Expand" << "elements" << "unsupported";
        QTest::newRow("overflowing ConstantOfShape")
            << "g (float[1] x) => (float[n] y) <int64[2] to = {4611686018427387904, 4}> { [big] a = "
               "ConstantOfShape(to) y = Add(x, a) }"
            << "big" << "ai.onnx.ConstantOfShape" << "elements" << "unsupported";
        QTest::newRow("negative size")
            << "g (float[1] x) => (float[n] y) <int64[1] to = {-5}> { [odd] a = ConstantOfShape(to) y = Add(x, a) }"
            << "odd" << "ai.onnx.ConstantOfShape" << "" << "invalid";
        QTest::newRow("operand of a type that the operator does not take")
            << "g (float[1,4,4] b, uint8[1,1,4] s) => (int64[n,3] y) { [kept] y = NonMaxSuppression(b, s) }" << "kept"
            << "ai.onnx.NonMaxSuppression"
            << "input 1 (scores) is uint8; the operator takes tensor(float)" << "invalid";
        QTest::newRow("operands of two types")
            << "g (float[2] a, int64[2] b) => (float[2] y) { [sum] y = Add(a, b) }" << "sum" << "ai.onnx.Add"
            << "input 1 (B) is int64, input 0 (A) is float32" << "invalid";
        QTest::newRow("condition that is no bool")
            << "g (int64 n, bool go, float[2] x) => (float[2] y) { [repeat] y = Loop(n, go, x) < body = step (int64 i, "
               "bool c, float[2] v) => (int64 d, float[2] w) { d = Identity(i) w = Add(v, v) } > }"
            << "repeat" << "ai.onnx.Loop" << "not bool[]" << "invalid";
        QTest::newRow("loop with more outputs than its body")
            << "g (int64 n, bool go, float[2] x) => (float[2] y) { [repeat] y, all = Loop(n, go, x) < body = step "
               "(int64 "
               "i, bool c, float[2] v) => (bool d, float[2] w) { d = Identity(c) w = Add(v, v) } > }"
            << "repeat" << "ai.onnx.Loop" << "the body gives 1 values, the node has 2 outputs" << "invalid";
        QTest::newRow("scan with more outputs than its body")
            << "g (float[2] s, float[3,2] x) => (float[2] y) { [walk] y, rows = Scan < num_scan_inputs = 1, body = "
               "step "
               "(float[2] a, float[2] b) => (float[2] c) { c = Add(a, b) } > (s, x) }"
            << "walk" << "ai.onnx.Scan" << "do not fit" << "invalid";
        QTest::newRow("no node") << "g (float[2] x) => (float[2] y) { }" << "" << "" << "nothing produces" << "invalid";
        QTest::newRow("a carried value of another type each time")
            << "g (int64 n, bool go, float[2] x) => (float[2] y) { [repeat] y = Loop (n, go, x) < body = step (int64 "
               "i, "
               "bool c, float[2] v) => (bool d, int64[2] w) { d = Identity (c) w = Cast <to = 7> (v) } > }"
            << "repeat" << "ai.onnx.Loop" << "carried value 1" << "invalid";
        QTest::newRow("a carried value of another rank each time")
            << "g (int64 n, bool go, float[2] x) => (float[2] y) { [repeat] y = Loop (n, go, x) < body = step (int64 "
               "i, "
               "bool c, float[2] v) => (bool d, float[2,1] w) { d = Identity (c) one = Constant <value = int64[1] {1}> "
               "() w = Unsqueeze (v, one) } > }"
            << "repeat" << "ai.onnx.Loop" << "carried value 1" << "unsupported";
        QTest::newRow("a loop over sequences without iterations")
            << "g (float[2] x) => (float[m,2] y) { n = Constant <value = int64 {0}> () s = SequenceConstruct (x) "
               "[walk] "
               "t, y = Loop (n, , s) < body = step (int64 i, bool c, seq(float[2]) q) => (bool d, seq(float[2]) r, "
               "float[2] z) { d = Identity (c) r = SequenceInsert (q, x) z = Neg (x) } > }"
            << "walk" << "ai.onnx.Loop" << "without iterations" << "unsupported";
        QTest::newRow("a sequence of too many parts")
            << "g (float[200000] x) => (float[n] y) { [parts] s = SplitToSequence <axis = 0> (x) "
               "y = ConcatFromSequence <axis = 0> (s) }"
            << "parts" << "ai.onnx.SplitToSequence" << "more than" << "unsupported";
        QTest::newRow("parts whose sum wraps")
            << "g (float[4] x) => (float[n] y) <int64[2] sizes = {1, 9223372036854775807}> { [parts] s = "
               "SplitToSequence <axis = 0> (x, sizes) y = ConcatFromSequence <axis = 0> (s) }"
            << "parts" << "ai.onnx.SplitToSequence" << "the parts do not fit a dim of 4" << "invalid";
        QTest::newRow("a sequence of sequences that is joined")
            << "g (float[4] x) => (float[n] y) { s = SequenceConstruct (x) e = SequenceEmpty () "
               "t = SequenceInsert (e, s) [join] y = ConcatFromSequence <axis = 0> (t) }"
            << "join" << "ai.onnx.ConcatFromSequence" << "no tensor" << "invalid";
        QTest::newRow("an optional without value that is joined")
            << "g (float[4] x) => (float[n] y) { o = Optional <type = float[4]> () e = SequenceEmpty () "
               "t = SequenceInsert (e, o) [join] y = ConcatFromSequence <axis = 0> (t) }"
            << "join" << "ai.onnx.ConcatFromSequence" << "no tensor" << "invalid";
        QTest::newRow("an image that is too large")
            << "g (float[1,4,1] x) => (float[n,m,h,w] y) <int64[2] image = {16777216, 16777216}, int64[2] block = {2, "
               "2}> { [fold] y = Col2Im (x, image, block) }"
            << "fold" << "ai.onnx.Col2Im" << "too large" << "unsupported";
    }
    void refusedGraph() {
        QFETCH(QString, graph);
        QFETCH(QString, node);
        QFETCH(QString, op);
        QFETCH(QString, what);
        QFETCH(QString, kind);
        refusedBytes(graphBytes(graph.toStdString()),
                     {node.toStdString(), op.toStdString(), what.toStdString(), kind.toStdString()});
    }

    /// A model that is right but beyond a limit is not called wrong; a name that ONNX does not have is no lack of Lathe's.
    void kinds_data() {
        QTest::addColumn<QString>("opset");
        QTest::addColumn<QString>("graph");
        QTest::addColumn<bool>("valid");
        QTest::addColumn<QString>("what");
        QString ones = "1";
        for (int i = 1; i < 40; ++i)
            ones += ",1";
        QTest::newRow("opset to come") << "99" << "g (float[2] x) => (float[2] y) { y = Relu(x) }" << true
                                       << "the model uses opset 99 of ai.onnx";
        QTest::newRow("rank") << "21" << "g (float[" + ones + "] x) => (float[" + ones + "] y) { y = Relu(x) }" << true
                              << "has rank 40";
        QTest::newRow("input") << "21" << "g (float[1099511627776,1099511627776] x) => (float[n,m] y) { y = Relu(x) }"
                               << true << "more elements";
        QTest::newRow("result") << "21"
                                << "g (float[1099511627776,1] x, float[1,1099511627776] z) => (float[n,m] y) "
                                   "{ y = MatMul(x, z) }"
                                << true << "elements";
        QTest::newRow("misspelt") << "21" << "g (float[2] x) => (float[2] y) { y = Rleu(x) }" << false
                                  << "domain ai.onnx has no operator Rleu: did you mean 'Relu'?";
        QTest::newRow("like none") << "21" << "g (float[2] x) => (float[2] y) { y = Frobnicate(x) }" << false
                                   << "domain ai.onnx has no operator Frobnicate";
    }
    void kinds() {
        QFETCH(QString, opset);
        QFETCH(QString, graph);
        QFETCH(bool, valid);
        QFETCH(QString, what);
        const fs::path model = folder_ / "model.onnx";
        writeFile(model, modelBytes("<ir_version: 10, opset_import: [\"\" : " + opset.toStdString() + "]>\n" +
                                    graph.toStdString()));
        driver::Trace trace;
        const auto compiled = driver::compileFile(model, {}, {}, {}, trace);
        QVERIFY(!compiled);
        const std::string text = toString(compiled.error());
        QVERIFY2(compiled.error().kind == (valid ? ErrorKind::Unsupported : ErrorKind::Invalid), text.c_str());
        QVERIFY2(text.find(what.toStdString()) != std::string::npos, text.c_str());
        QVERIFY2(!compiled.error().hint.empty() && !(valid && compiled.error().hint.starts_with("correct")),
                 text.c_str());
    }

    void unknownDomain() {
        refusedBytes(modelBytes("<ir_version: 10, opset_import: [\"\" : 21, \"com.acme\" : 1]>\n"
                                "g (float[2] x) => (float[2] y) { [odd] y = com.acme.Warp(x) }"),
                     {"odd", "com.acme.Warp", "com.acme", "unsupported"});
    }

    void domainThatIsNotImported() {
        refusedBytes(graphBytes("g (float[2] x) => (float[2] y) { [odd] y = com.acme.Warp(x) }"),
                     {"odd", "com.acme.Warp", "com.acme", "invalid"});
    }

    void newerOpset() {
        refusedBytes(modelBytes("<ir_version: 10, opset_import: [\"\" : 9999]>\n"
                                "g (float[2] x) => (float[2] y) { y = Relu(x) }"),
                     {"", "", "9999"});
    }

    void functionThatCallsItself() {
        refusedBytes(modelBytes("<ir_version: 10, opset_import: [\"\" : 21, \"own\" : 1]>\n"
                                "g (float[2] x) => (float[2] y) { y = own.again(x) }\n"
                                "<opset_import: [\"\" : 21, \"own\" : 1], domain: \"own\">\n"
                                "again (x) => (y) { y = own.again(x) }"),
                     {"", "", "nested more than"});
    }

    /// 2^40 calls in 2.6 KB, and no function holds anything but calls: counted before one is put in place.
    void functionsThatCallEachTwo() {
        constexpr int levels = 40;
        ::onnx::ModelProto proto = parseModel("<ir_version: 10, opset_import: [\"\" : 21, \"own\" : 1]>\n"
                                              "g (float[2] x) => (float[2] y) { y = Relu(x) }");
        const auto addCall = [](auto& into, int function) {
            ::onnx::NodeProto* call = into.add_node();
            call->set_op_type("f" + std::to_string(function));
            call->set_domain("own");
        };
        addCall(*proto.mutable_graph(), 0);
        for (int i = 0; i <= levels; ++i) {
            ::onnx::FunctionProto* function = proto.add_functions();
            function->set_name("f" + std::to_string(i));
            function->set_domain("own");
            for (int call = 0; call < 2 && i < levels; ++call)
                addCall(*function, i + 1);
        }
        const fs::path model = folder_ / "model.onnx";
        writeFile(model, proto.SerializeAsString());
        const double start = cpuSeconds();
        driver::Trace trace;
        const auto compiled = driver::importFile(model, {}, trace);
        QVERIFY(!compiled);
        const double took = cpuSeconds() - start;
        QVERIFY2(took < slowness, qPrintable(QString::number(took)));
        refused(model, {"", "", "nodes and calls"});
    }

    /// Each sparse tensor is small enough, all of them are not.
    void sparseTensorsThatAreLargeTogether() {
        ::onnx::ModelProto model = parseModel("<ir_version: 10, opset_import: [\"\" : 21]>\n"
                                              "g (float[1] x) => (float[n] y) { [sum] y = Add(x, w39) }");
        for (int i = 0; i < 40; ++i) {
            ::onnx::SparseTensorProto* sparse = model.mutable_graph()->add_sparse_initializer();
            sparse->add_dims(int64_t{1} << 26);
            sparse->mutable_values()->set_name("w" + std::to_string(i));
            sparse->mutable_values()->set_data_type(::onnx::TensorProto::FLOAT);
            sparse->mutable_values()->add_dims(0);
            sparse->mutable_indices()->set_data_type(::onnx::TensorProto::INT64);
            sparse->mutable_indices()->add_dims(0);
        }
        refusedBytes(model.SerializeAsString(), {"", "", "sparse"});
    }

    void externalDataMissing() { refusedBytes(external("weights.bin", "0", "8"), {"sum", "", "weights.bin"}); }

    void externalDataTooShort() {
        writeFile(folder_ / "weights.bin", "1234");
        refusedBytes(external("weights.bin", "0", "8"), {"sum", "", "has 4 bytes"});
    }

    void externalDataBeyondTheEnd() {
        writeFile(folder_ / "weights.bin", "12345678");
        refusedBytes(external("weights.bin", "9223372036854775807", "8"), {"sum", "", "weights.bin"});
    }

    void externalDataOfAnotherLength() {
        writeFile(folder_ / "weights.bin", "12345678");
        refusedBytes(external("weights.bin", "0", "4"), {"sum", "", ""});
    }

    void externalDataOutside_data() {
        QTest::addColumn<QString>("location");
        QTest::addColumn<QString>("said");
        QTest::newRow("above") << "../weights.bin" << "lies outside of the model's folder";
        QTest::newRow("absolute") << "/etc/hostname" << "lies outside of the model's folder";
        QTest::newRow("around") << "sub/../../weights.bin" << "lies outside of the model's folder";
        QTest::newRow("link") << "link.bin" << "is a link to a place outside of the model's folder";
        QTest::newRow("circle") << "circle.bin" << "cannot be followed: its links lead in a circle";
    }
    void externalDataOutside() {
        QFETCH(QString, location);
        QFETCH(QString, said);
        writeFile(folder_.parent_path() / "weights.bin", "12345678");
        fs::create_directories(folder_ / "sub");
        std::error_code exists;
        fs::create_symlink("../weights.bin", folder_ / "link.bin", exists);
        fs::create_symlink("circle.bin", folder_ / "circle.bin", exists);
        refusedBytes(external(location.toStdString(), "0", "8"), {"sum", "", said.toStdString()});
    }

    /// As hubs keep models: the model and its data are links to files that lie side by side elsewhere, with other names.
    void externalDataBesideTheModelItself() {
        const fs::path blobs = folder_ / "blobs", snapshot = folder_ / "snapshots" / "1";
        fs::create_directories(blobs);
        fs::create_directories(snapshot);
        writeFile(blobs / "abc", external("weights.bin", "0", "8"));
        writeFile(blobs / "def", "12345678");
        std::error_code exists;
        fs::create_symlink("../../blobs/abc", snapshot / "model.onnx", exists);
        fs::create_symlink("../../blobs/def", snapshot / "weights.bin", exists);
        driver::Trace trace;
        const auto imported = driver::importFile(snapshot / "model.onnx", {}, trace);
        QVERIFY2(imported, imported ? "" : toString(imported.error()).c_str());

        // The model alone is a link: its data lie beside the file.
        const fs::path other = folder_ / "elsewhere";
        fs::create_directories(other);
        writeFile(blobs / "weights.bin", "12345678");
        fs::create_symlink(blobs / "abc", other / "linked.onnx", exists);
        driver::Trace again;
        const auto linked = driver::importFile(other / "linked.onnx", {}, again);
        QVERIFY2(linked, linked ? "" : toString(linked.error()).c_str());
    }

private:
    static std::string external(const std::string& location, const std::string& offset, const std::string& length) {
        return graphBytes("g (float[2] x) => (float[2] y) <float[2] w = [\"location\" : \"" + location +
                          "\", \"offset\" : \"" + offset + "\", \"length\" : \"" + length +
                          "\"]> { [sum] y = Add(x, w) }");
    }
};

Test test() {
    return {makes<TestBadModels>};
}

} // namespace lathe::testing::test_bad_models

#include "test_bad_models.moc"
