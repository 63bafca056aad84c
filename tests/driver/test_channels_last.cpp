// SPDX-License-Identifier: Apache-2.0
// Links: onnx
//
// Networks in channels-last order, with Transposes around what Relay knows in another: "sink transposes" takes those
// away, and what is computed stays the same. All sizes are alike where that could hide which axis is meant.
#include "arith/analysis.h"
#include "driver/compile.h"
#include "driver/evaluator.h"
#include "relay/element.h"
#include "relay/text.h"
#include "relay/transform/common_subexpressions.h"
#include "relay/transform/dead_code.h"
#include "relay/transform/fold_constants.h"
#include "relay/transform/inline_functions.h"
#include "relay/transform/simplify_inference.h"
#include "relay/transform/sink_transposes.h"
#include "relay/verify.h"
#include "relay/visit.h"
#include "support/onnx_model.h"
#include "support/program_of_tests.h"

#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <cstring>
#include <random>

namespace lathe::testing::test_channels_last {

namespace transform = relay::transform;

namespace {

size_t count(const relay::Module& module, relay::Op op) {
    size_t found = 0;
    relay::visitBindings(module, [&](const relay::Binding& binding) {
        const relay::OpCall* call = binding.as<relay::OpCall>();
        found += call && call->op == op;
    });
    return found;
}

relay::ConstantPtr randomTensor(const relay::TensorType& type, std::mt19937& random) {
    const std::vector<int64_t> shape = relay::constantShape(type.shape).value();
    int64_t elements = 1;
    for (const int64_t dim : shape)
        elements *= dim;
    const auto size = static_cast<size_t>(type.dtype.bytes());
    auto bytes = std::make_shared<std::vector<std::byte>>(size * static_cast<size_t>(elements));
    for (size_t i = 0; i < static_cast<size_t>(elements); ++i)
        if (type.dtype.isFloat())
            relay::writeFloat(bytes->data() + i * size, type.dtype, static_cast<double>(random() % 4001) / 500 - 4);
        else
            relay::writeInt(bytes->data() + i * size, type.dtype, static_cast<int64_t>(random() % 2));
    return relay::makeConstant(type.dtype, shape, {bytes, std::span<const std::byte>(*bytes)});
}

std::vector<double> elements(const relay::Constant& constant) {
    const DataType dtype = relay::asTensor(constant.type)->dtype;
    const std::vector<std::byte> bytes = relay::copyElements(constant);
    std::vector<double> values;
    for (size_t at = 0; at < bytes.size(); at += static_cast<size_t>(dtype.bytes()))
        values.push_back(dtype.isFloat() ? relay::readFloat(bytes.data() + at, dtype)
                                         : static_cast<double>(relay::readInt(bytes.data() + at, dtype)));
    return values;
}

/// By the interpreter, which knows of no pass.
std::vector<std::vector<double>> run(const relay::Module& module, uint32_t seed) {
    std::mt19937 random(seed);
    std::vector<relay::ConstantPtr> args;
    for (const relay::Param& param : module.main().params)
        args.push_back(randomTensor(*relay::asTensor(param.type), random));
    driver::EvaluatorOptions options;
    options.interpretedSteps = int64_t{1} << 40;
    const auto results = driver::DriverEvaluator(options).evaluate(module, module.main(), args);
    if (!results)
        qFatal("%s\n%s", toString(results.error()).c_str(), relay::print(module).c_str());
    std::vector<std::vector<double>> values;
    for (const relay::ConstantPtr& result : *results)
        values.push_back(elements(*result));
    return values;
}

/// The largest difference between results; sums may be taken in another order.
double difference(const relay::Module& before, const relay::Module& after) {
    double largest = 0;
    for (uint32_t seed = 0; seed < 3; ++seed) {
        const auto expected = run(before, seed), found = run(after, seed);
        if (expected.size() != found.size())
            return INFINITY;
        for (size_t i = 0; i < expected.size(); ++i) {
            if (expected[i].size() != found[i].size())
                return INFINITY;
            for (size_t k = 0; k < expected[i].size(); ++k) {
                const double apart = std::abs(expected[i][k] - found[i][k]) / (1 + std::abs(expected[i][k]));
                if (!(apart <= largest))
                    largest = apart;
            }
        }
    }
    return largest;
}

constexpr double tolerance = 1e-5;

} // namespace

class TestChannelsLast : public QObject {
    Q_OBJECT

    QTemporaryDir temporary_;

    /// The Relay of a model, as it is before the pass.
    relay::Module imported(const ::onnx::ModelProto& model) {
        const std::filesystem::path file = temporary_.filePath("model.onnx").toStdString();
        writeFile(file, model.SerializeAsString());
        driver::Trace trace;
        const auto module = driver::importFile(file, {}, trace);
        if (!module)
            qFatal("%s", toString(module.error()).c_str());
        auto flat = transform::inlineFunctions(**module);
        if (!flat)
            qFatal("%s", toString(flat.error()).c_str());
        driver::DriverEvaluator evaluator({});
        Budget budget;
        return transform::commonSubexpressions(
            transform::foldConstants(transform::deadCode(transform::simplifyInference(*flat)), evaluator, budget));
    }

private slots:
    void operators_data() {
        QTest::addColumn<QStringList>("lines"); // of %2, which is %1 in channels-last order, and %3: the result is %9
        QTest::addColumn<QString>("type");
        QTest::addColumn<bool>("comesBack"); // a Transpose to channels-first order follows
        const auto row = [](const char* name, QStringList lines, const char* type, bool comesBack = true) {
            QTest::newRow(name) << lines << QString(type) << comesBack;
        };
        const char* same = "float32[2, 4, 4, 4]";
        row("unary", {"%9 = tanh(%2) : float32[2, 4, 4, 4]"}, same);
        row("cast", {"%9 = cast(%2) {dtype=int32} : int32[2, 4, 4, 4]"}, "int32[2, 4, 4, 4]");
        row("channels", {"%4 = const float32[4] [1, 2, 3, 4]", "%9 = add(%2, %4) : float32[2, 4, 4, 4]"}, same);
        row("columns", {"%4 = const float32[4, 1] [1, 2, 3, 4]", "%9 = subtract(%4, %2) : float32[2, 4, 4, 4]"}, same);
        row("rows", {"%4 = const float32[4, 1, 1] [1, 2, 3, 4]", "%9 = maximum(%2, %4) : float32[2, 4, 4, 4]"}, same);
        row("number", {"%4 = const float32[] [3]", "%9 = multiply(%4, %2) : float32[2, 4, 4, 4]"}, same);
        row("plane",
            {"%4 = const float32[4, 4] [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]",
             "%9 = add(%2, %4) : float32[2, 4, 4, 4]"},
            same);
        row("the same twice", {"%9 = multiply(%2, %2) : float32[2, 4, 4, 4]"}, same);
        row("where",
            {"%4 = const float32[] [0]", "%5 = greater(%2, %4) : bool[2, 4, 4, 4]",
             "%6 = const float32[4] [1, 2, 3, 4]", "%7 = multiply(%2, %6) : float32[2, 4, 4, 4]",
             "%9 = where(%5, %2, %7) : float32[2, 4, 4, 4]"},
            same);
        row("concat of channels",
            {"%4 = relu(%2) : float32[2, 4, 4, 4]", "%9 = concat(%2, %4) {axis=3} : float32[2, 4, 4, 8]"},
            "float32[2, 4, 4, 8]");
        row("concat of rows",
            {"%4 = relu(%2) : float32[2, 4, 4, 4]", "%9 = concat(%4, %2) {axis=1} : float32[2, 8, 4, 4]"},
            "float32[2, 8, 4, 4]");
        row("slice",
            {"%9 = slice(%2) {begin=[0, 3, 0, 1], size=[2, 2, 3, 2], step=[1, -2, 1, 2]} : float32[2, 2, 3, 2]"},
            "float32[2, 2, 3, 2]");
        row("pad", {"%9 = pad(%2) {before=[0, 1, 0, 2], after=[0, 0, 3, 0]} : float32[2, 5, 7, 6]"},
            "float32[2, 5, 7, 6]");
        row("reflect",
            {"%9 = pad(%2) {mode=\"reflect\", before=[0, 1, 2, 0], after=[0, 0, 1, 0]} : float32[2, 5, 7, 4]"},
            "float32[2, 5, 7, 4]");
        row("tile", {"%9 = tile(%2) {repeats=[1, 2, 1, 3]} : float32[2, 8, 4, 12]"}, "float32[2, 8, 4, 12]");
        row("reverse", {"%9 = reverse(%2) {axes=[2, 3]} : float32[2, 4, 4, 4]"}, same);
        row("broadcast",
            {"%4 = reduce(%2) {kind=\"max\", axes=[3], keepDims=true} : float32[2, 4, 4, 1]",
             "%9 = broadcast_to(%4) {shape=[2, 4, 4, 3]} : float32[2, 4, 4, 3]"},
            "float32[2, 4, 4, 3]");
        row("softmax of channels", {"%9 = softmax(%2) {axis=3} : float32[2, 4, 4, 4]"}, same);
        row("log_softmax of rows", {"%9 = log_softmax(%2) {axis=1} : float32[2, 4, 4, 4]"}, same);
        row("cum_sum", {"%9 = cum_sum(%2) {axis=2} : float32[2, 4, 4, 4]"}, same);
        row("mean", {"%9 = reduce(%2) {kind=\"mean\", axes=[1, 2], keepDims=true} : float32[2, 1, 1, 4]"},
            "float32[2, 1, 1, 4]");
        row("mean without dims", {"%9 = reduce(%2) {kind=\"mean\", axes=[1, 2]} : float32[2, 4]"}, "float32[2, 4]",
            false);
        row("sum of channels", {"%9 = reduce(%2) {kind=\"sum\", axes=[3]} : float32[2, 4, 4]"}, "float32[2, 4, 4]",
            false);
        row("largest channel", {"%9 = arg_reduce(%2) {axis=3} : int64[2, 4, 4]"}, "int64[2, 4, 4]", false);
        row("last largest row", {"%9 = arg_reduce(%2) {axis=1, keepDims=true, selectLast=true} : int64[2, 1, 4, 4]"},
            "int64[2, 1, 4, 4]");
        row("resize", {"%9 = resize(%2) {sizes=[2, 8, 6, 4], mode=\"linear\"} : float32[2, 8, 6, 4]"},
            "float32[2, 8, 6, 4]");
        row("nearest",
            {"%9 = resize(%2) {sizes=[2, 3, 8, 4], scales=[1, 0.75, 2, 1], coordinate=\"asymmetric\", "
             "nearest=\"floor\"} : float32[2, 3, 8, 4]"},
            "float32[2, 3, 8, 4]");
        row("reshapes",
            {"%4 = reshape(%2) {shape=[2, 16, 4]} : float32[2, 16, 4]", "%5 = softmax(%4) {axis=1} : float32[2, 16, 4]",
             "%9 = reshape(%5) {shape=[2, 4, 4, 4]} : float32[2, 4, 4, 4]"},
            same);
        row("quantized",
            {"%4 = const float32[4] [0.5, 0.25, 2, 1]", "%5 = divide(%2, %4) : float32[2, 4, 4, 4]",
             "%6 = round(%5) : float32[2, 4, 4, 4]", "%7 = cast(%6) {dtype=int8} : int8[2, 4, 4, 4]",
             "%8 = cast(%7) {dtype=float32} : float32[2, 4, 4, 4]", "%9 = multiply(%8, %4) : float32[2, 4, 4, 4]"},
            same);
    }
    void operators() {
        QFETCH(QStringList, lines);
        QFETCH(QString, type);
        QFETCH(bool, comesBack);
        lines.prepend("%2 = transpose(%1) {axes=[0, 2, 3, 1]} : float32[2, 4, 4, 4]");
        QString result = "%9";
        if (comesBack) {
            const QStringList dims = type.section('[', 1).chopped(1).split(", ");
            type = QString("%1[%2, %3, %4, %5]").arg(type.section('[', 0, 0), dims[0], dims[3], dims[1], dims[2]);
            lines << "%10 = transpose(%9) {axes=[0, 3, 1, 2]} : " + type;
            result = "%10";
        }
        QString text = "module next %99\n\nfn main(%1: float32[2, 4, 4, 4]) -> " + type + " {\n";
        for (const QString& line : lines)
            text += "  " + line + " @{0}\n";
        text += "  -> " + result + "\n}\n";
        const auto module = relay::parse(text.toStdString(), {});
        QVERIFY2(module, module ? "" : toString(module.error()).c_str());
        const relay::Module after = transform::sinkTransposes(*module, false);
        const auto good = relay::verify(after);
        QVERIFY2(good, good ? "" : (toString(good.error()) + relay::print(after)).c_str());
        QVERIFY2(count(after, relay::Op::Transpose) == 0, relay::print(after).c_str());
        const double apart = difference(*module, after);
        QVERIFY2(apart <= tolerance, (std::to_string(apart) + relay::print(after)).c_str());
    }

    /// As converters of such models write them; height, width and channels may all be as many.
    void networks_data() {
        QTest::addColumn<int>("height");
        QTest::addColumn<int>("width");
        QTest::newRow("all alike") << 4 << 4;
        QTest::newRow("wide") << 4 << 6;
    }
    void networks() {
        QFETCH(int, height);
        QFETCH(int, width);
        const QString graph = QString(R"(<ir_version: 10, opset_import: ["" : 21]>
g (float[1, %1, %2, 4] x) => (float[1, 9] y, int64[1, %1, %2] best, float[1, %1, %2, 4] plain)
<float zero = {0}, float six = {6}, int64[8] pads = {0, 1, 1, 0, 0, 1, 1, 0}, float[4] scales = {1, 2, 2, 1},
 int64[2] spatial = {1, 2}, int64[2] flat = {1, -1}> {
  x1 = Transpose <perm = [0, 3, 1, 2]> (x)
  c1 = Conv <pads = [1, 1, 1, 1]> (x1, w1)
  n1 = Transpose <perm = [0, 2, 3, 1]> (c1)
  b1 = Add (n1, bias)
  s1 = Add (b1, column)
  r1 = Clip (s1, zero, six)
  p1 = Pad (r1, pads)
  x2 = Transpose <perm = [0, 3, 1, 2]> (p1)
  c2 = Conv <group = 4> (x2, w2)
  n2 = Transpose <perm = [0, 2, 3, 1]> (c2)
  a2 = Add (n2, r1)
  both = Concat <axis = 3> (a2, r1)
  more = Concat <axis = -1> (both, a2)
  large = Resize <mode = "linear"> (more, , scales)
  x3 = Transpose <perm = [0, 3, 1, 2]> (large)
  c3 = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (x3)
  n3 = Transpose <perm = [0, 2, 3, 1]> (c3)
  x4 = Transpose <perm = [0, 3, 1, 2]> (n3)
  c4 = Conv (x4, w4)
  n4 = Transpose <perm = [0, 2, 3, 1]> (c4)
  m = ReduceMean <keepdims = 0> (n4, spatial)
  f = Reshape (n4, flat)
  d = MatMul (f, w5)
  y = Concat <axis = 1> (m, d)
  best = ArgMax <axis = 3, keepdims = 0> (n4)
  e = Sigmoid (n4)
  x5 = Transpose <perm = [0, 3, 1, 2]> (e)
  c5 = Conv (x5, w6)
  plain = Transpose <perm = [0, 2, 3, 1]> (c5)
})")
                                  .arg(height)
                                  .arg(width);
        ::onnx::ModelProto model = parseModel(graph.toStdString());
        std::mt19937 random(7);
        const auto any = [&](int64_t) { return static_cast<float>(random() % 2001) / 1000 - 1; };
        addWeights(model, "w1", {4, 4, 3, 3}, any);
        addWeights(model, "bias", {4}, any);
        addWeights(model, "column", {width, 1}, any);
        addWeights(model, "w2", {4, 1, 3, 3}, any);
        addWeights(model, "w4", {4, 12, 1, 1}, any);
        addWeights(model, "w5", {int64_t{height} * width * 4, 5}, any);
        addWeights(model, "w6", {4, 4, 1, 1}, any);
        const relay::Module module = imported(model);
        QVERIFY(count(module, relay::Op::Transpose) >= 8);
        const relay::Module after = transform::sinkTransposes(module, false);
        const auto good = relay::verify(after);
        QVERIFY2(good, good ? "" : (toString(good.error()) + relay::print(after)).c_str());
        // Where the input comes in and where the image goes out; none inside.
        QVERIFY2(count(after, relay::Op::Transpose) == 2, relay::print(after).c_str());
        const double apart = difference(module, after);
        QVERIFY2(apart <= tolerance, (std::to_string(apart) + relay::print(after)).c_str());
    }
};

Test test() {
    return {makes<TestChannelsLast>};
}

} // namespace lathe::testing::test_channels_last

#include "test_channels_last.moc"
