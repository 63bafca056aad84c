// SPDX-License-Identifier: Apache-2.0
//
// Models of two formats against each other: one network as ONNX and as TFLite have it, whose operators, orders of axes and names
// are all others, is equal; and what differs in it is said by what it computes.
// Links: onnx tflite_schema
#include "driver/compile.h"
#include "inspect/computation_diff.h"
#include "support/onnx_model.h"
#include "support/program_of_tests.h"
#include "support/tflite_model.h"

#include <QTemporaryDir>
#include <QTest>

namespace lathe::testing::test_computation_diff {

namespace {

using inspect::ImportedModel;

constexpr int channels = 3, filters = 2, side = 4, kernel = 2, classes = 5;

/// Of a filter's output channel, input channel, row and column.
float weight(int o, int c, int y, int x) {
    return 0.01F * static_cast<float>(((o * channels + c) * kernel + y) * kernel + x) - 0.1F;
}
/// Of the last layer.
float dense(int from, int to) {
    return 0.02F * static_cast<float>(from) - 0.03F * static_cast<float>(to);
}

/// By way of a file, which constants stay mapped from.
ImportedModel imported(const std::string& bytes, const std::string& name) {
    static const QTemporaryDir folder;
    static int count = 0;
    const auto path = std::filesystem::path(folder.filePath(QString::number(++count)).toStdString() + name);
    writeFile(path, bytes);
    driver::Trace trace;
    const auto module = driver::importFile(path, {}, trace);
    if (!module)
        qFatal("%s", toString(module.error()).c_str());
    return {trace.graph, *module};
}

/// A convolution, an activation, the mean over each channel's places, and a layer of weights. `text`: its nodes.
ImportedModel asOnnx(const std::string& nodes, float scale = 1) {
    ::onnx::ModelProto model = parseModel("<ir_version: 10, opset_import: [\"\" : 21]>\n"
                                          "g (float[1,3,4,4] image) => (float[1,5] scores) {" +
                                          nodes + "}");
    addWeights(model, "w", {filters, channels, kernel, kernel},
               [scale](int64_t i) { return scale * (0.01F * static_cast<float>(i) - 0.1F); });
    addWeights(model, "b", {filters}, [](int64_t i) { return static_cast<float>(i) + 0.5F; });
    addWeights(model, "m", {filters, classes},
               [](int64_t i) { return dense(static_cast<int>(i) / classes, static_cast<int>(i) % classes); });
    addWeights(model, "n", {classes}, [](int64_t i) { return static_cast<float>(i); });
    return imported(model.SerializeAsString(), ".onnx");
}

const char* const network = "[conv] a = Conv (image, w, b) [act] r = Relu (a) [mean] p = GlobalAveragePool (r) "
                            "[flat] f = Flatten (p) [product] q = MatMul (f, m) [sum] scores = Add (q, n)";

/// The same with channels last, weights in TFLite's orders, and three operators in the place of six.
::tflite::ModelT tfliteModel() {
    using namespace ::tflite;
    ModelT model = emptyTflite();
    SubGraphT& graph = *model.subgraphs[0];
    std::vector<float> w, b, m, n;
    for (int o = 0; o < filters; ++o)
        for (int y = 0; y < kernel; ++y)
            for (int x = 0; x < kernel; ++x)
                for (int c = 0; c < channels; ++c)
                    w.push_back(weight(o, c, y, x));
    for (int o = 0; o < filters; ++o)
        b.push_back(static_cast<float>(o) + 0.5F);
    for (int to = 0; to < classes; ++to)
        for (int from = 0; from < filters; ++from)
            m.push_back(dense(from, to));
    for (int to = 0; to < classes; ++to)
        n.push_back(static_cast<float>(to));
    const auto constant = [&](const char* name, std::vector<int32_t> shape, const auto& elements, TensorType type) {
        const uint32_t buffer = addBuffer(model, elements);
        return addTensor(graph, name, std::move(shape), type, buffer);
    };
    const int32_t x = addTensor(graph, "image", {1, side, side, channels});
    const int32_t y = addTensor(graph, "Identity", {1, classes});
    const int32_t a = addTensor(graph, "net/stem/Relu;net/stem/Conv2D", {1, side - 1, side - 1, filters});
    const int32_t p = addTensor(graph, "net/pool/Mean", {1, filters});
    const int32_t filter = constant("w", {filters, kernel, kernel, channels}, w, TensorType_FLOAT32);
    const int32_t bias = constant("b", {filters}, b, TensorType_FLOAT32);
    const int32_t axes = constant("axes", {2}, std::vector<int32_t>{1, 2}, TensorType_INT32);
    const int32_t matrix = constant("m", {classes, filters}, m, TensorType_FLOAT32);
    const int32_t offset = constant("n", {classes}, n, TensorType_FLOAT32);
    graph.inputs = {x};
    graph.outputs = {y};
    Conv2DOptionsT conv;
    conv.padding = Padding_VALID;
    conv.stride_w = conv.stride_h = 1;
    conv.dilation_w_factor = conv.dilation_h_factor = 1;
    conv.fused_activation_function = ActivationFunctionType_RELU;
    addOperator(model, graph, BuiltinOperator_CONV_2D, {x, filter, bias}, {a}).builtin_options.Set(std::move(conv));
    addOperator(model, graph, BuiltinOperator_MEAN, {a, axes}, {p}).builtin_options.Set(ReducerOptionsT());
    addOperator(model, graph, BuiltinOperator_FULLY_CONNECTED, {p, matrix, offset}, {y})
        .builtin_options.Set(FullyConnectedOptionsT());
    return model;
}

graph::ModelDiff difference(const ImportedModel& before, const ImportedModel& after) {
    auto diff = inspect::diffImported(before, after);
    if (!diff)
        qFatal("%s", toString(diff.error()).c_str());
    return *std::move(diff);
}

/// "act → #0 CONV_2D", sorted.
QStringList pairsOf(const graph::ModelDiff& diff) {
    QStringList pairs;
    for (const auto& [from, to] : diff.equal)
        pairs << QString::fromStdString(model::displayName(*from) + " → " + model::displayName(*to));
    pairs.sort();
    return pairs;
}

QStringList said(const graph::ModelDiff& diff) {
    QStringList lines;
    for (const graph::NodeChange& change : diff.nodes) {
        QString line = !change.before ? "+" : !change.after ? "-" : "~";
        for (const model::Node* node : {change.before, change.after})
            if (node)
                line += ' ' + QString::fromStdString(model::displayName(*node));
        for (const std::string& text : change.changes)
            line += "; " + QString::fromStdString(text);
        lines << line;
    }
    return lines;
}

} // namespace

class TestComputationDiff : public QObject {
    Q_OBJECT

    const ImportedModel tflite_ = imported(bytesOf(tfliteModel()), ".tflite");

private slots:
    void oneNetworkInTwoFormats() {
        const ImportedModel onnx = asOnnx(network);
        QVERIFY(inspect::areOfTwoFormats(onnx, tflite_) && !inspect::areOfTwoFormats(onnx, onnx));
        const graph::ModelDiff diff = difference(onnx, tflite_);
        QCOMPARE(said(diff), QStringList());
        QCOMPARE(pairsOf(diff), (QStringList{"act → #0 CONV_2D", "conv → #0 CONV_2D", "mean → #1 MEAN",
                                             "product → #2 FULLY_CONNECTED", "sum → #2 FULLY_CONNECTED"}));
        // Names and types of inputs and outputs are what programs see.
        QCOMPARE(diff.values.size(), size_t{2});
        QCOMPARE(diff.values[0].before + diff.values[0].after, std::string("float32[1,3,4,4]float32[1,4,4,3]"));
        QCOMPARE(diff.values[1].before + ", " + diff.values[1].after,
                 std::string("scores float32[1,5], Identity float32[1,5]"));
        QCOMPARE(pairsOf(difference(tflite_, onnx)).size(), 5);
    }

    void whatDiffers_data() {
        QTest::addColumn<QString>("from");
        QTest::addColumn<QString>("to");
        QTest::addColumn<float>("scale");
        QTest::addColumn<QString>("expected"); // among what is said
        QTest::newRow("weights") << "" << "" << 2.F << "~ conv #0 CONV_2D; conv: operand 1: other values, constant";
        QTest::newRow("an operator that is more") << "[flat] f = Flatten (p)"
                                                  << "[more] s = Exp (p) [flat] f = Flatten (s)" << 1.F << "- more";
        QTest::newRow("another activation") << "[act] r = Relu (a)" << "[act] r = Sigmoid (a)" << 1.F << "relu: added";
        QTest::newRow("an attribute") << "Conv (image, w, b)"
                                      << "Conv <pads = [1,0,0,1]> (image, w, b)" << 1.F << "conv: attribute before";
    }
    void whatDiffers() {
        QFETCH(QString, from);
        QFETCH(QString, to);
        QFETCH(float, scale);
        QFETCH(QString, expected);
        QString nodes = network;
        QVERIFY(from.isEmpty() || nodes.contains(from));
        if (!from.isEmpty())
            nodes.replace(from, to);
        const ImportedModel onnx = asOnnx(nodes.toStdString(), scale); // the difference names its nodes
        const graph::ModelDiff diff = difference(onnx, tflite_);
        const QString all = said(diff).join('\n');
        QVERIFY2(all.contains(expected), qPrintable(all));
        QVERIFY(!diff.sameStructure());
        // The rest of the network is what it was.
        QVERIFY2(pairsOf(diff).filter("product → #2 FULLY_CONNECTED").size() == 1 ||
                     all.contains("product #2 FULLY_CONNECTED"),
                 qPrintable(all));
        QVERIFY2(!all.contains("+ "), qPrintable(all));
    }
};

Test test() {
    return {makes<TestComputationDiff>};
}

} // namespace lathe::testing::test_computation_diff

#include "test_computation_diff.moc"
