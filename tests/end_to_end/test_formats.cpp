// SPDX-License-Identifier: Apache-2.0
// Links: onnx tflite_schema
//
// One network in several formats has one text after "canonical forms", up to names: what is convolved, its calls,
// attributes and types. That a format has channels last shows at the edges alone, as Transposes. A small network is
// written here; the others are fixtures.
#include "driver/compile.h"
#include "relay/text.h"
#include "support/fixtures.h"
#include "support/hdf5_file.h"
#include "support/onnx_model.h"
#include "support/program_of_tests.h"
#include "support/tflite_model.h"
#include "support/zip_file.h"

#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

namespace lathe::testing::test_formats {

namespace {

/// Kernels as formats store them: which of output channel, input channel, row and column each dim is.
using Order = std::array<int, 4>;
constexpr Order onnxOrder{0, 1, 2, 3}, tfliteOrder{0, 2, 3, 1}, tensorflowOrder{2, 3, 1, 0};

std::vector<int64_t> inOrder(const std::vector<int64_t>& sizes, const Order& order) {
    std::vector<int64_t> dims;
    for (const int axis : order)
        dims.push_back(sizes[static_cast<size_t>(axis)]);
    return dims;
}

/// Elements that tell by their value where they stand.
std::vector<float> kernel(const std::vector<int64_t>& sizes, const Order& order) {
    const std::vector<int64_t> dims = inOrder(sizes, order);
    std::vector<float> values;
    std::vector<int64_t> at(4);
    for (int64_t i = 0; i < dims[0] * dims[1] * dims[2] * dims[3]; ++i) {
        int64_t rest = i;
        for (size_t d = 4; d-- > 0; rest /= dims[d])
            at[static_cast<size_t>(order[d])] = rest % dims[d];
        const int64_t place = ((at[0] * sizes[1] + at[1]) * sizes[2] + at[2]) * sizes[3] + at[3];
        values.push_back(static_cast<float>(place % 17) / 8 - 1);
    }
    return values;
}

// x: 8 by 8 with 3 channels; a convolution of 3 by 3 that takes every second one, its bias, relu6; one of 1 by 1, its
// bias, sigmoid.
const std::vector<int64_t> first{4, 3, 3, 3}, second{2, 4, 1, 1};
const std::vector<float> firstBias{1, 2, 3, 4}, secondBias{5, 6};

/// With the padding in the convolution, or before it.
std::string onnxFile(bool padsBefore) {
    const std::string conv = padsBefore ? "padded = Pad (x, around) h = Conv <strides = [2, 2]> (padded, w, b)"
                                        : "h = Conv <strides = [2, 2], pads = [0, 0, 1, 1]> (x, w, b)";
    ::onnx::ModelProto model =
        parseModel("<ir_version: 10, opset_import: [\"\" : 21]>\ng (float[1,3,8,8] x) => (float[1,2,4,4] y) { "
                   "around = Constant <value_ints = [0, 0, 0, 0, 0, 0, 1, 1]> () lo = Constant <value_float = 0.0> () "
                   "hi = Constant <value_float = 6.0> () " +
                   conv + " r = Clip (h, lo, hi) c = Conv (r, v, d) y = Sigmoid (c) }");
    const auto add = [&](const std::string& name, const std::vector<int64_t>& dims, const std::vector<float>& values) {
        addWeights(model, name, dims, [&](int64_t i) { return values[static_cast<size_t>(i)]; });
    };
    add("w", first, kernel(first, onnxOrder));
    add("b", {4}, firstBias);
    add("v", second, kernel(second, onnxOrder));
    add("d", {2}, secondBias);
    return model.SerializeAsString();
}

std::string tfliteFile() {
    ::tflite::ModelT model = emptyTflite();
    ::tflite::SubGraphT& graph = *model.subgraphs[0];
    const auto constant = [&](const std::string& name, const std::vector<int64_t>& dims,
                              const std::vector<float>& values) {
        return addTensor(graph, name, std::vector<int32_t>(dims.begin(), dims.end()), ::tflite::TensorType_FLOAT32,
                         addBuffer(model, values));
    };
    const auto convolve = [&](int32_t from, const std::vector<int64_t>& sizes, const std::vector<float>& bias,
                              int32_t to, int32_t stride, ::tflite::ActivationFunctionType activation) {
        const int32_t weights = constant("w", inOrder(sizes, tfliteOrder), kernel(sizes, tfliteOrder));
        const int32_t added = constant("b", {static_cast<int64_t>(bias.size())}, bias);
        ::tflite::OperatorT& made =
            addOperator(model, graph, ::tflite::BuiltinOperator_CONV_2D, {from, weights, added}, {to});
        ::tflite::Conv2DOptionsT options;
        options.padding = ::tflite::Padding_SAME;
        options.stride_w = options.stride_h = stride;
        options.fused_activation_function = activation;
        made.builtin_options.Set(options);
    };
    const int32_t x = addTensor(graph, "x", {1, 8, 8, 3}), h = addTensor(graph, "h", {1, 4, 4, 4}),
                  c = addTensor(graph, "c", {1, 4, 4, 2}), y = addTensor(graph, "y", {1, 4, 4, 2});
    convolve(x, first, firstBias, h, 2, ::tflite::ActivationFunctionType_RELU6);
    convolve(h, second, secondBias, c, 1, ::tflite::ActivationFunctionType_NONE);
    addOperator(model, graph, ::tflite::BuiltinOperator_LOGISTIC, {c}, {y});
    graph.inputs = {x};
    graph.outputs = {y};
    return bytesOf(model);
}

std::string graphDefFile() {
    const std::string type = "attr { key: 'T' value { type: DT_FLOAT } } ";
    const auto shape = [](const std::vector<int64_t>& dims) {
        std::string text;
        for (const int64_t dim : dims)
            text += fmt::format("dim {{ size: {} }} ", dim);
        return text;
    };
    const auto constant = [&](const std::string& name, const std::vector<int64_t>& dims,
                              const std::vector<float>& values) {
        return fmt::format("node {{ name: '{}' op: 'Const' attr {{ key: 'dtype' value {{ type: DT_FLOAT }} }} "
                           "attr {{ key: 'value' value {{ tensor {{ dtype: DT_FLOAT tensor_shape {{ {}}} "
                           "float_val: [{}] }} }} }} }}\n",
                           name, shape(dims), fmt::join(values, ", "));
    };
    const auto conv = [&](const std::string& name, const std::string& x, const std::string& w, int stride) {
        return fmt::format("node {{ name: '{}' op: 'Conv2D' input: '{}' input: '{}' {}attr {{ key: 'strides' value {{ "
                           "list {{ i: [1, {}, {}, 1] }} }} }} attr {{ key: 'padding' value {{ s: 'SAME' }} }} }}\n",
                           name, x, w, type, stride, stride);
    };
    const auto node = [&](const std::string& name, const std::string& op, const std::string& inputs) {
        return fmt::format("node {{ name: '{}' op: '{}' {} {}}}\n", name, op, inputs, type);
    };
    return "node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } attr { key: 'shape' "
           "value { shape { " +
           shape({1, 8, 8, 3}) + "} } } }\n" +
           constant("w", inOrder(first, tensorflowOrder), kernel(first, tensorflowOrder)) +
           constant("b", {4}, firstBias) +
           constant("v", inOrder(second, tensorflowOrder), kernel(second, tensorflowOrder)) +
           constant("d", {2}, secondBias) + conv("h", "x", "w", 2) + node("hb", "BiasAdd", "input: 'h' input: 'b'") +
           node("r", "Relu6", "input: 'hb'") + conv("c", "r", "v", 1) + node("cb", "BiasAdd", "input: 'c' input: 'd'") +
           node("y", "Sigmoid", "input: 'cb'");
}

std::string kerasFile() {
    const auto layer = [](const std::string& name, int filters, int size, int stride, const std::string& activation) {
        return fmt::format(R"({{"module": "keras.layers", "class_name": "Conv2D", "config": {{"name": "{}", )"
                           R"("filters": {}, "kernel_size": [{}, {}], "strides": [{}, {}], "padding": "same", )"
                           R"("data_format": "channels_last", "dilation_rate": [1, 1], "groups": 1, )"
                           R"("activation": "{}", "use_bias": true}}}})",
                           name, filters, size, size, stride, stride, activation);
    };
    const auto variables = [](const std::vector<int64_t>& sizes, const std::vector<float>& bias) {
        const std::vector<int64_t> dims = inOrder(sizes, tensorflowOrder);
        Hdf5Group group;
        group.groups["vars"].arrays["0"] = {std::vector<uint64_t>(dims.begin(), dims.end()),
                                            kernel(sizes, tensorflowOrder)};
        group.groups["vars"].arrays["1"] = {{bias.size()}, bias};
        return group;
    };
    Hdf5Group weights;
    weights.groups["layers"].groups["conv2d"] = variables(first, firstBias);
    weights.groups["layers"].groups["conv2d_1"] = variables(second, secondBias);
    const std::string config =
        R"({"class_name": "Sequential", "config": {"name": "s", "layers": [{"module": "keras.layers", )"
        R"("class_name": "InputLayer", "config": {"name": "x", "batch_shape": [1, 8, 8, 3], "dtype": "float32"}}, )" +
        layer("one", 4, 3, 2, "relu6") + ", " + layer("two", 2, 1, 1, "sigmoid") + "]}}";
    return zipOf({{"metadata.json", R"({"keras_version": "3.1.0"})"},
                  {"config.json", config},
                  {"model.weights.h5", hdf5Of(weights)}});
}

/// The calls of main that its input leads to, with results of as many dims as that has or more, without Transposes:
/// values are numbered, constants are named by their type, those of no dims by what they hold too. An open batch is 1.
QStringList convolutions(const relay::Module& module) {
    const auto dims = qsizetype(relay::asTensor(module.main().params.front().type)->shape.size());
    relay::PrintOptions options;
    options.spans = false;
    QString text = QString::fromStdString(relay::print(module.main(), module, "main", options));
    text.replace("size_0_of_x", "1");
    static const QRegularExpression constant(R"(^  (%\d+) = const (\w+\[[^\]]*\])(.*)$)"),
        call(R"(^  (%\d+) = (\w+)\(([^)]*)\)( \{.*\})? : (\w+\[[^\]]*\]))"), argument(R"(%\d+)");
    QHash<QString, QString> names{{"%1", "input"}};
    QStringList calls;
    for (const QString& line : text.split('\n')) {
        if (const auto found = constant.match(line); found.hasMatch()) {
            const bool isScalar = found.captured(2).endsWith("[]");
            names[found.captured(1)] = found.captured(2) + (isScalar ? found.captured(3).section(" as ", 0, 0) : "");
        } else if (const auto made = call.match(line); made.hasMatch()) {
            QStringList args;
            for (auto each = argument.globalMatch(made.captured(3)); each.hasNext();)
                args << names.value(each.next().captured(), "other");
            if (made.captured(2) == "transpose") {
                names[made.captured(1)] = args.value(0);
            } else if (made.captured(5).count(',') + 1 >= dims && !args.contains("other")) {
                names[made.captured(1)] = "v" + QString::number(calls.size());
                calls << made.captured(2) + '(' + args.join(", ") + ')' + made.captured(4) + " : " + made.captured(5);
            }
        }
    }
    return calls;
}

} // namespace

class TestFormats : public QObject {
    Q_OBJECT

    QTemporaryDir temporary_;

    std::filesystem::path written(const std::string& name, const std::string& bytes) {
        const std::filesystem::path file = std::filesystem::path(temporary_.path().toStdString()) / name;
        writeFile(file, bytes);
        return file;
    }

    QStringList canonical(const std::filesystem::path& file, const driver::Shapes& shapes = {}) {
        driver::Options options;
        options.shapes = shapes;
        options.cache = false;
        options.emitCode = false;
        driver::Trace trace;
        const auto compiled = driver::compileFile(file, {}, {}, options, trace);
        if (!compiled)
            return {QString::fromStdString(toString(compiled.error()))};
        for (const driver::PassRecord& pass : trace.passes)
            if (pass.name == "canonical forms" && pass.after)
                return convolutions(*pass.after);
        return {};
    }

private slots:
    void whatIsWrittenHere_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("bytes");
        const auto row = [](const char* name, const std::string& bytes) {
            QTest::newRow(name) << QString(name) << QByteArray::fromStdString(bytes);
        };
        row("padded.onnx", onnxFile(true));
        row("model.tflite", tfliteFile());
        row("model.pbtxt", graphDefFile());
        row("model.keras", kerasFile());
    }
    void whatIsWrittenHere() {
        QFETCH(QString, name);
        QFETCH(QByteArray, bytes);
        const QString conv = "conv(%1, float32[%2]) {strides=[%3, %3], dilations=[1, 1], before=[0, 0], "
                             "after=[%4, %4]} : float32[1, %5, 4, 4]";
        const QStringList expected{conv.arg("input", "4, 3, 3, 3").arg(2).arg(1).arg(4),
                                   "add(v0, float32[4, 1, 1]) : float32[1, 4, 4, 4]",
                                   "relu(v1) : float32[1, 4, 4, 4]",
                                   "minimum(v2, float32[] [6]) : float32[1, 4, 4, 4]",
                                   conv.arg("v3", "2, 4, 1, 1").arg(1).arg(0).arg(2),
                                   "add(v4, float32[2, 1, 1]) : float32[1, 2, 4, 4]",
                                   "sigmoid(v5) : float32[1, 2, 4, 4]"};
        QCOMPARE(canonical(written("model.onnx", onnxFile(false))), expected);
        QCOMPARE(canonical(written(name.toStdString(), bytes.toStdString())), expected);
    }

    void networks_data() {
        QTest::addColumn<QString>("network");
        QTest::addColumn<QString>("file");
        QTest::addColumn<driver::Shapes>("shapes"); // of a script, which declares none
        const auto row = [](const char* network, const char* file, const driver::Shapes& shapes = {}) {
            QTest::newRow(fmt::format("{}/{}", network, file).c_str()) << network << file << shapes;
        };
        const std::pair<const char*, std::vector<int64_t>> sizesOf[] = {{"same_cnn", {1, 3, 12, 12}},
                                                                        {"same_cnn_bn", {1, 3, 16, 12}},
                                                                        {"same_trap_hwc", {1, 8, 8, 8}},
                                                                        {"same_cnn_conv_lstm2d", {1, 4, 6, 10}},
                                                                        {"same_cnn_lstm", {1, 20, 6}}};
        for (const auto& [network, sizes] : sizesOf) {
            for (const char* file : {"model.keras", "model.h5", "model.pt2"})
                row(network, file);
            for (const char* file : {"model_script.pt", "model_trace.pt"})
                row(network, file, {{"x", sizes}});
            // TFLite and TensorFlow write a convolution along one axis as one along two, of which one has length 1.
            if (sizes.size() == 4)
                for (const char* file : {"model.tflite", "saved_model"})
                    row(network, file);
        }
    }
    /// Each against its ONNX file.
    void networks() {
        QFETCH(QString, network);
        QFETCH(QString, file);
        QFETCH(driver::Shapes, shapes);
        const std::string folder = "formats/F_same/" + network.toStdString() + "/";
        const std::filesystem::path model = fixture(folder + file.toStdString()), same = fixture(folder + "model.onnx");
        if (model.empty() || same.empty())
            QSKIP("the networks in several formats are not unpacked");
        const QStringList expected = canonical(same);
        QVERIFY2(expected.size() >= 4, qPrintable(expected.join('\n')));
        QVERIFY2(expected.front().startsWith("conv(input, "), qPrintable(expected.front()));
        QCOMPARE(canonical(model, shapes), expected);
    }
};

Test test() {
    return {makes<TestFormats>};
}

} // namespace lathe::testing::test_formats

#include "test_formats.moc"
