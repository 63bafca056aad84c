// SPDX-License-Identifier: Apache-2.0
//
// Masks of Keras models, compiled and run: recurrent layers hold their state over masked steps, means leave them out,
// layers keep, join or lose masks. Values by hand: the layers add.
// Needs: lathe-runner
#include "frontend/keras/masks.h"
#include "support/file_result.h"
#include "support/hdf5_file.h"
#include "support/program_of_tests.h"
#include "support/zip_file.h"

#include <QTest>
#include <fmt/format.h>

namespace lathe::testing::test_keras_masks {

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

/// A model of Keras 3 over [1, 4, 1], masked where the input is 0, whose weights are all 1.
std::string modelOf(const std::string& layers) {
    Hdf5Group weights;
    auto& groups = weights.groups["layers"].groups;
    const Hdf5Group cell = ones({{1, 1}, {1, 1}, {1}});
    groups["simple_rnn"].groups["cell"] = cell;
    groups["dense"] = ones({{1, 1}});
    for (const char* part : {"forward_layer", "backward_layer"})
        groups["bidirectional"].groups[part].groups["cell"] = cell;
    const std::string input = R"({"class_name": "InputLayer", "config": {"name": "x", "batch_shape": [1, 4, 1]}})";
    return zipOf({{"metadata.json", R"({"keras_version": "3.1.0"})"},
                  {"config.json", fmt::format(R"({{"class_name": "Sequential", "config": {{"name": "s", "layers": )"
                                              R"([{}, {}, {}]}}}})",
                                              input, layer("Masking", "m", R"("mask_value": 0.0)"), layers)},
                  {"model.weights.h5", hdf5Of(weights)}});
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

class TestKerasMasks : public QObject {
    Q_OBJECT

private slots:
    void values_data() {
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
    void values() {
        QFETCH(std::string, layers);
        QFETCH(Values, expected);
        std::string problem;
        const auto result =
            resultOfFile(modelOf(layers), "x", tensorOf(types::Float32, {1, 4, 1}, Values{2, 0, 3, 0}), {}, problem);
        QVERIFY2(problem.empty(), problem.c_str());
        QCOMPARE(valuesOf<float>(result), expected);
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
    return {.make = makes<TestKerasMasks>};
}

} // namespace lathe::testing::test_keras_masks

#include "test_keras_masks.moc"
