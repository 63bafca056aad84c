// SPDX-License-Identifier: Apache-2.0
//
// Layers of Keras, compiled and run, where no fixture has them. Masks: recurrent layers hold their state over masked
// steps, means leave them out, layers keep or lose masks. Layers that make features of numbers, pools of any size, and
// what only training sees. Values by hand.
// Needs: lathe-runner
#include "frontend/keras/masks.h"
#include "support/file_result.h"
#include "support/hdf5_file.h"
#include "support/program_of_tests.h"
#include "support/zip_file.h"

#include <QTest>
#include <fmt/format.h>

namespace lathe::testing::test_keras_layers {

namespace {

std::string layer(const std::string& className, const std::string& name, const std::string& config = "") {
    return fmt::format(R"({{"module": "keras.layers", "class_name": "{}", "config": {{"name": "{}"{}{}}}}})", className,
                       name, config.empty() ? "" : ", ", config);
}

/// A state that each step adds its input and 1 to.
std::string sums(const std::string& name, const std::string& more) {
    return layer("SimpleRNN", name, R"("units": 1, "activation": "linear", )" + more);
}

Hdf5Group ones(const std::vector<std::vector<uint64_t>>& shapes) {
    Hdf5Group group;
    for (size_t i = 0; i < shapes.size(); ++i)
        group.groups["vars"].arrays[std::to_string(i)] = {shapes[i], {1}};
    return group;
}

/// A model of Keras 3 whose weights are all 1.
std::string modelOf(const std::string& shape, const std::string& layers, const char* dtype = "float32") {
    Hdf5Group weights;
    auto& groups = weights.groups["layers"].groups;
    const Hdf5Group cell = ones({{1, 1}, {1, 1}, {1}});
    groups["simple_rnn"].groups["cell"] = cell;
    groups["dense"] = ones({{1, 1}});
    groups["spectral_normalization"].groups["layer"] = ones({{1, 1}});
    for (const char* part : {"forward_layer", "backward_layer"})
        groups["bidirectional"].groups[part].groups["cell"] = cell;
    const std::string input =
        layer("InputLayer", "x", fmt::format(R"("batch_shape": {}, "dtype": "{}")", shape, dtype));
    return zipOf({{"metadata.json", R"({"keras_version": "3.1.0"})"},
                  {"config.json", fmt::format(R"({{"class_name": "Sequential", "config": {{"name": "s", "layers": )"
                                              R"([{}, {}]}}}})",
                                              input, layers)},
                  {"assets/layers/integer_lookup/vocabulary.txt", "-1\n20\n10"},
                  {"model.weights.h5", hdf5Of(weights)}});
}

Values floatsOf(const model::HostTensor& tensor) {
    Values values;
    for (size_t i = 0; i < static_cast<size_t>(tensor.elements()); ++i)
        values.push_back(static_cast<float>(model::elementAsDouble(tensor.dtype, tensor.bytes, i)));
    return values;
}

const char* const all = R"("return_sequences": true)";

model::Node called(const std::string& op, std::vector<std::string> inputs, std::vector<std::string> labels,
                   int version) {
    model::Node node;
    node.op = op;
    node.version = version;
    node.inputs = std::move(inputs);
    node.attributes = {{"arguments", std::move(labels)}};
    return node;
}

} // namespace

class TestKerasLayers : public QObject {
    Q_OBJECT

private slots:
    void masks_data() {
        QTest::addColumn<std::string>("layers");
        QTest::addColumn<Values>("expected");
        const std::string backwards = std::string(all) + R"(, "go_backwards": true)";
        const std::string zeros = std::string(all) + R"(, "zero_output_for_mask": true)";
        const std::string mean = layer("GlobalAveragePooling1D", "mean");
        const std::string both = fmt::format(R"("merge_mode": "sum", "layer": {}, "backward_layer": {})",
                                             sums("f", all), sums("b", backwards));
        // The input is 2, 0, 3, 0.
        QTest::newRow("what was shown is shown again") << sums("r", all) << Values{3, 3, 7, 7};
        QTest::newRow("backwards, zero at first") << sums("r", backwards) << Values{0, 4, 4, 7};
        QTest::newRow("zeros") << sums("r", zeros) << Values{3, 0, 7, 0};
        QTest::newRow("the last") << sums("r", R"("return_sequences": false)") << Values{7};
        QTest::newRow("the last, of zeros") << sums("r", R"("zero_output_for_mask": true)") << Values{0};
        QTest::newRow("both directions, of zeros") << layer("Bidirectional", "b", both) << Values{10, 0, 11, 0};
        QTest::newRow("the mean of what counts") << sums("r", all) + "," + mean << Values{5};
        QTest::newRow("a mask is kept") << layer("Dense", "d", R"("units": 1, "use_bias": false)") + "," + mean
                                        << Values{2.5F};
        QTest::newRow("a mask is lost") << layer("UpSampling1D", "u", R"("size": 1)") + "," + mean << Values{1.25F};
    }
    void masks() {
        QFETCH(std::string, layers);
        QFETCH(Values, expected);
        std::string problem;
        const std::string masked = layer("Masking", "m", R"("mask_value": 0.0)") + ", " + layers;
        const auto result = resultOfFile(modelOf("[1, 4, 1]", masked), "x",
                                         tensorOf(types::Float32, {1, 4, 1}, Values{2, 0, 3, 0}), {}, problem);
        QVERIFY2(problem.empty(), problem.c_str());
        QCOMPARE(valuesOf<float>(result), expected);
    }

    void features_data() {
        QTest::addColumn<std::string>("layers");
        QTest::addColumn<std::vector<int32_t>>("x");
        QTest::addColumn<Values>("expected");
        const auto row = [](const char* name, const std::string& className, const std::string& config,
                            const std::vector<int32_t>& x, const Values& expected) {
            QTest::newRow(name) << layer(className, "f", config) << x << expected;
        };
        row("buckets", "Discretization", R"("bin_boundaries": [0.0, 1.5])", {-1, 0, 1, 2}, {0, 1, 1, 2});
        row("which classes", "CategoryEncoding", R"("num_tokens": 4, "output_mode": "multi_hot")", {1, 3, 1, 0},
            {1, 1, 0, 1});
        row("how many of each", "CategoryEncoding", R"("num_tokens": 4, "output_mode": "count")", {1, 3, 1, 0},
            {1, 2, 0, 1});
        row("a vocabulary", "IntegerLookup", R"("vocabulary": [20, 10], "num_oov_indices": 1)", {10, 7, 20, 0},
            {2, 0, 1, 0});
        row("a vocabulary with a mask", "IntegerLookup",
            R"("vocabulary": [20, 10], "mask_token": 0, "num_oov_indices": 2)", {10, 7, 20, 0}, {4, 2, 3, 0});
        row("a vocabulary backwards", "IntegerLookup", R"("vocabulary": [20, 10], "invert": true)", {2, 0, 1, 9},
            {10, -1, 20, -1});
        row("a vocabulary beside the weights", "IntegerLookup", R"("vocabulary": null, "num_oov_indices": 1)",
            {10, 7, 20, 0}, {2, 0, 1, 0});
    }
    void features() {
        QFETCH(std::string, layers);
        QFETCH(std::vector<int32_t>, x);
        QFETCH(Values, expected);
        std::string problem;
        const auto result =
            resultOfFile(modelOf("[1, 4]", layers, "int32"), "x", tensorOf(types::Int32, {1, 4}, x), {}, problem);
        QVERIFY2(problem.empty(), problem.c_str());
        QCOMPARE(floatsOf(result), expected);
    }

    void operations_data() {
        QTest::addColumn<std::string>("operation");
        QTest::addColumn<Values>("expected");
        const auto row = [](const char* className, const std::string& config, const Values& expected) {
            const std::string text = layer(className, "o", config);
            QTest::newRow(className) << std::string(text).replace(text.find("keras.layers"), 12, "keras.src.ops.numpy")
                                     << expected;
        };
        // The input is -3, -0.5, 0, 2.
        row("Clip", R"("x_min": -1.0, "x_max": 1.5)", {-1, -0.5F, 0, 1.5F});
        row("Elu", R"("alpha": 2.0)", {-1.9004259F, -0.78693868F, 0, 2});
        row("Floor", "", {-3, -1, 0, 2});
        row("Gelu", R"("approximate": true)", {-0.00363739F, -0.15428599F, 0, 1.9545977F});
        row("HardSigmoid", "", {0, 0.41666667F, 0.5F, 0.83333333F});
        row("HardSilu", "", {0, -0.20833333F, 0, 1.6666667F});
        row("LeakyRelu", R"("negative_slope": 0.5)", {-1.5F, -0.25F, 0, 2});
        row("Sign", "", {-1, -1, 0, 1});
        row("Sin", "", {-0.14112001F, -0.47942554F, 0, 0.90929743F});
        row("Softplus", "", {0.048587352F, 0.47407698F, 0.69314718F, 2.126928F});
        row("Softsign", "", {-0.75F, -0.33333333F, 0, 0.66666667F});
        row("Stack", R"("axis": -1)", {-3, -0.5F, 0, 2});
    }
    void operations() {
        QFETCH(std::string, operation);
        QFETCH(Values, expected);
        std::string problem;
        const auto result = resultOfFile(modelOf("[1, 4]", operation), "x",
                                         tensorOf(types::Float32, {1, 4}, Values{-3, -0.5F, 0, 2}), {}, problem);
        QVERIFY2(problem.empty(), problem.c_str());
        const Values found = valuesOf<float>(result);
        QCOMPARE(found.size(), expected.size());
        for (size_t i = 0; i < found.size(); ++i)
            QVERIFY2(std::abs(found[i] - expected[i]) <= 2e-6F, fmt::format("{}: {}", i, found[i]).c_str());
    }

    /// A mean of integers is a real number.
    void meanOfIntegers() {
        std::string text = layer("Mean", "o", R"("axis": null)"), problem;
        text.replace(text.find("keras.layers"), 12, "keras.src.ops.numpy");
        const auto result = resultOfFile(modelOf("[1, 4]", text, "int32"), "x",
                                         tensorOf(types::Int32, {1, 4}, std::vector<int32_t>{1, 2, 3, 4}), {}, problem);
        QVERIFY2(problem.empty(), problem.c_str());
        QCOMPARE(valuesOf<float>(result), Values{2.5F});
    }

    void sequences_data() {
        QTest::addColumn<std::string>("layers");
        QTest::addColumn<Values>("expected");
        // The input is 1, 2, 3, 4.
        QTest::newRow("parts that overlap")
            << layer("AdaptiveAveragePooling1D", "p", R"("output_size": 3)") << Values{1.5F, 2.5F, 3.5F};
        QTest::newRow("parts of one size") << layer("AdaptiveMaxPooling1D", "p", R"("output_size": 2)") << Values{2, 4};
        QTest::newRow("a layer that training normalizes")
            << layer("SpectralNormalization", "n",
                     R"("layer": )" + layer("Dense", "d", R"("units": 1, "use_bias": false)"))
            << Values{1, 2, 3, 4};
        QTest::newRow("softmax over all but the batch")
            << layer("Rescaling", "r", R"("scale": 0.0)") + ", " + layer("Softmax", "s", R"("axis": [1, 2])")
            << Values{0.25F, 0.25F, 0.25F, 0.25F};
        QTest::newRow("changes at random") << layer("RandomContrast", "c", R"("factor": 0.5)") << Values{1, 2, 3, 4};
    }
    void sequences() {
        QFETCH(std::string, layers);
        QFETCH(Values, expected);
        std::string problem;
        const auto result = resultOfFile(modelOf("[1, 4, 1]", layers), "x",
                                         tensorOf(types::Float32, {1, 4, 1}, Values{1, 2, 3, 4}), {}, problem);
        QVERIFY2(problem.empty(), problem.c_str());
        QCOMPARE(floatsOf(result), expected);
    }

    /// Keras 3's attention takes the masks off its operands: what runs later finds none there.
    void attentionTakesMasks() {
        for (const int version : {2, 3}) {
            model::Graph graph;
            graph.nodes = {
                called("MultiHeadAttention", {"x", "v", "m"}, {"arg.0", "arg.1", "call.attention_mask"}, version),
                called("Add", {"y", "x"}, {"arg.0.0", "arg.0.1"}, version), called("Dense", {"m"}, {"arg.0"}, version)};
            frontend::keras::noteTakenMasks(graph);
            QCOMPARE(graph.nodes[0].attributes.size(), 1U);
            QCOMPARE(graph.nodes[2].attributes.size(), 1U);
            QCOMPARE(graph.nodes[1].attributes.size(), version == 3 ? 2U : 1U);
            if (version == 3)
                QCOMPARE(std::get<std::vector<int64_t>>(graph.nodes[1].attributes[1].value), std::vector<int64_t>{1});
        }
    }
};

Test test() {
    return {.make = makes<TestKerasLayers>};
}

} // namespace lathe::testing::test_keras_layers

#include "test_keras_layers.moc"
