// SPDX-License-Identifier: Apache-2.0
//
// Keras models to graphs: both forms of a file, weights by the order of layers, models in models, calls, names; and
// what is refused, with the layer that it concerns.
#include "frontend/common/members.h"
#include "frontend/keras/graph_reader.h"
#include "frontend/keras/import.h"
#include "frontend/keras/weight_specs.h"
#include "model/host_tensor.h"
#include "support/hdf5_file.h"
#include "support/program_of_tests.h"
#include "support/zip_file.h"

#include <QtTest>

#include <fmt/format.h>

namespace lathe::testing::test_keras {

namespace {

model::Bytes owned(std::string bytes) {
    const auto owner = std::make_shared<const std::string>(std::move(bytes));
    return {owner, std::as_bytes(std::span(*owner))};
}

frontend::Imported imported(const std::string& bytes) {
    const model::Bytes file = owned(bytes);
    const frontend::Source source{"model", {}, file, {}, frontend::membersIn(file)};
    if (!frontend::keras::probe(source))
        qFatal("not known as a Keras model");
    return frontend::keras::importModel(source, nullptr, {});
}

std::string reasons(const frontend::Imported& model) {
    std::string all;
    for (const Diagnostic& diagnostic : model.diagnostics)
        all += toString(diagnostic) + "\n";
    return all;
}

std::string archive(const std::string& config, const Hdf5Group& weights) {
    return zipOf({{"metadata.json", R"({"keras_version": "3.1.0"})"},
                  {"config.json", config},
                  {"model.weights.h5", hdf5Of(weights)}});
}

std::string layer(const std::string& className, const std::string& config, const std::string& more = "") {
    return fmt::format(R"({{"module": "keras.layers", "class_name": "{}", "config": {{{}}}{}{}}})", className, config,
                       more.empty() ? "" : ", ", more);
}

std::string input(const std::string& name, const std::string& shape, const std::string& more = "") {
    return layer("InputLayer", fmt::format(R"("name": "{}", "batch_shape": {}, "dtype": "float32")", name, shape),
                 more);
}

std::string dense(const std::string& name, int units, const std::string& more = "") {
    return layer("Dense", fmt::format(R"("name": "{}", "units": {}, "activation": "relu")", name, units), more);
}

std::string sequential(const std::string& name, const std::string& layers) {
    return fmt::format(R"({{"class_name": "Sequential", "config": {{"name": "{}", "layers": [{}]}}}})", name, layers);
}

Hdf5Array filled(std::vector<uint64_t> dims, float value) {
    uint64_t count = 1;
    for (const uint64_t dim : dims)
        count *= dim;
    return {std::move(dims), std::vector<float>(count, value)};
}

/// What a layer of Keras 3 has in a file.
Hdf5Group variables(const std::vector<Hdf5Array>& arrays) {
    Hdf5Group layer;
    layer.groups["vars"];
    for (size_t i = 0; i < arrays.size(); ++i)
        layer.groups["vars"].arrays[std::to_string(i)] = arrays[i];
    return layer;
}

/// A row of an older file: the weights of an outermost layer, in the order given; each is filled with its number.
Hdf5Group listed(const std::vector<std::pair<std::string, std::vector<uint64_t>>>& weights) {
    Hdf5Group layer;
    for (const auto& [name, dims] : weights) {
        layer.arrays[name] = filled(dims, static_cast<float>(layer.texts["weight_names"].size()));
        layer.texts["weight_names"].push_back(name);
    }
    return layer;
}

double firstOf(const model::Graph& graph, const std::string& name) {
    for (const model::Initializer& initializer : graph.initializers)
        if (initializer.name == name)
            return model::elementAsDouble(initializer.tensor->dtype, initializer.tensor->bytes.view, 0);
    return -1;
}

} // namespace

class TestKeras : public QObject {
    Q_OBJECT

private slots:
    void archiveIsRead() {
        Hdf5Group weights;
        weights.groups["layers"].groups["dense"] = variables({filled({3, 2}, 7), filled({2}, 0)});
        const auto model = imported(archive(sequential("s", input("x", "[null, 3]") + "," + dense("d", 2)), weights));
        QVERIFY2(model.module, reasons(model).c_str());
        const model::Graph& graph = *model.graph->graph;
        QCOMPARE(graph.inputs.size(), 1U);
        QCOMPARE(graph.inputs[0].name, std::string("x"));
        QCOMPARE(graph.outputs[0].name, std::string("output_0"));
        QCOMPARE(graph.nodes.size(), 1U);
        QCOMPARE(graph.nodes[0].op, std::string("Dense"));
        QCOMPARE(graph.nodes[0].inputs, (std::vector<std::string>{"x", "d/kernel", "d/bias"}));
        QCOMPARE(firstOf(graph, "d/kernel"), 7.0);
    }

    /// Of a model in a model an older file lists what training changes first; a frozen layer's weights go with the
    /// rest.
    void weightsOfInnerModelsAreInTrainingsOrder() {
        const std::string frozen = layer("Dense", R"("name": "f", "units": 2, "trainable": false)");
        const std::string norm = layer("BatchNormalization", R"("name": "b", "axis": [1], "trainable": true)");
        const std::string inner =
            sequential("inner", input("i", "[null, 2]") + "," + norm + "," + frozen + "," + dense("d", 2));
        Hdf5Group file;
        file.text["model_config"] = sequential("s", input("x", "[null, 2]") + "," + inner);
        file.text["keras_version"] = "2.9.0";
        file.groups["model_weights"].groups["inner"] = listed({{"b/gamma:0", {2}},
                                                               {"b/beta:0", {2}},
                                                               {"d/kernel:0", {2, 2}},
                                                               {"d/bias:0", {2}},
                                                               {"b/mean:0", {2}},
                                                               {"b/variance:0", {2}},
                                                               {"f/kernel:0", {2, 2}},
                                                               {"f/bias:0", {2}}});
        // The names have a slash: each is a group and an array in it.
        Hdf5Group& group = file.groups["model_weights"].groups["inner"];
        for (const auto& [name, array] : std::exchange(group.arrays, {}))
            group.groups[name.substr(0, name.find('/'))].arrays[name.substr(name.find('/') + 1)] = array;
        const auto model = imported(hdf5Of(file));
        QVERIFY2(model.module, reasons(model).c_str());
        const model::Graph& graph = *model.graph->graph;
        const std::vector<std::string> names = {"b/gamma",           "b/beta",   "d/kernel", "d/bias", "b/moving_mean",
                                                "b/moving_variance", "f/kernel", "f/bias"};
        for (size_t i = 0; i < names.size(); ++i)
            QCOMPARE(firstOf(graph, "inner/" + names[i]), static_cast<double>(i));
        QCOMPARE(graph.nodes.back().name, std::string("inner"));
        QCOMPARE(graph.nodes[1].scope, std::vector<std::string>{"inner"});
    }

    /// One layer called twice: two nodes, the same weights. The config lists the later layer first.
    void sharedLayersAreSeveralNodes() {
        const auto tensor = [](const std::string& name, int call) {
            return fmt::format(R"({{"class_name": "__keras_tensor__", "config": {{"keras_history": ["{}", {}, 0]}}}})",
                               name, call);
        };
        const auto called = [&](const std::string& args) {
            return fmt::format(R"({{"args": [{}], "kwargs": {{}}}})", args);
        };
        const std::string shared = dense(
            "d", 2,
            fmt::format(R"("name": "d", "inbound_nodes": [{}, {}])", called(tensor("a", 0)), called(tensor("b", 0))));
        const std::string sum = layer("Add", R"("name": "sum")",
                                      fmt::format(R"("name": "sum", "inbound_nodes": [{}])",
                                                  called("[" + tensor("d", 0) + "," + tensor("d", 1) + "]")));
        const std::string config = fmt::format(
            R"({{"class_name": "Functional", "config": {{"name": "m", "layers": [{}, {}, {}, {}], )"
            R"("input_layers": [["b", 0, 0], ["a", 0, 0]], "output_layers": {{"total": ["sum", 0, 0]}}}}}})",
            input("a", "[null, 2]", R"("name": "a", "inbound_nodes": [])"),
            input("b", "[null, 2]", R"("name": "b", "inbound_nodes": [])"), sum, shared);
        Hdf5Group weights;
        weights.groups["layers"].groups["dense"] = variables({filled({2, 2}, 1), filled({2}, 0)});
        const auto model = imported(archive(config, weights));
        QVERIFY2(model.module, reasons(model).c_str());
        const model::Graph& graph = *model.graph->graph;
        QCOMPARE(graph.inputs[0].name, std::string("b"));
        QCOMPARE(graph.outputs[0].name, std::string("total"));
        QCOMPARE(graph.nodes.size(), 3U);
        QCOMPARE(graph.initializers.size(), 2U);
        QCOMPARE(graph.nodes[0].inputs[1], graph.nodes[1].inputs[1]);
        QCOMPARE(graph.nodes[2].op, std::string("Add"));
    }

    void refused_data() {
        QTest::addColumn<std::string>("layers");
        QTest::addColumn<std::string>("says");
        const std::string in = input("x", "[null, 3]") + ",";
        const std::string lambda = layer("Lambda", R"("name": "l", "function": {"class_name": "__lambda__"})");
        QTest::newRow("Lambda") << in + lambda << std::string("a Lambda layer holds a program");
        QTest::newRow("Lambda within") << in + sequential("inner", in + lambda) << std::string("a Lambda layer");
        QTest::newRow("Lambda over time")
            << in + layer("TimeDistributed", R"("name": "t", "layer": )" + lambda) << std::string("a Lambda layer");
        QTest::newRow("another class") << in + layer("Odd", R"("name": "o")")
                                       << std::string("layer class 'Odd' is unknown");
        QTest::newRow("another module") << in + R"({"module": "os", "class_name": "Dense", "config": {"name": "d"}})"
                                        << std::string("layer class 'os.Dense' is unknown");
        QTest::newRow("other sizes") << in + dense("d", 5) << std::string("weight 'kernel' is [3,2]");
        QTest::newRow("no weights") << in + dense("d", 2) + "," + dense("e", 2)
                                    << std::string("does not hold its weight");
        QTest::newRow("in training") << in + layer("Dropout", R"("name": "d", "rate": 0.5, "call.training": true)")
                                     << std::string("as in training");
        QTest::newRow("no shape") << layer("InputLayer", R"("name": "x")") + "," + dense("d", 2)
                                  << std::string("an input has no shape");
        QTest::newRow("no layers") << std::string() << std::string("no layers");
    }
    void refused() {
        QFETCH(std::string, layers);
        QFETCH(std::string, says);
        Hdf5Group weights;
        weights.groups["layers"].groups["dense"] = variables({filled({3, 2}, 1), filled({2}, 0)});
        const auto model = imported(archive(sequential("s", layers), weights));
        QVERIFY(!model.module);
        QVERIFY2(reasons(model).find(says) != std::string::npos, reasons(model).c_str());
    }

    /// Each model calls the one within it three times, and gives nothing: millions of calls in a short text.
    void modelsInModelsEnd() {
        std::string inner = dense("d", 2);
        for (int depth = 0; depth < 15; ++depth)
            inner = fmt::format(
                R"({{"class_name": "Functional", "config": {{"name": "m", "layers": [{}], "input_layers": [], )"
                R"("output_layers": []}}, "name": "m", )"
                R"("inbound_nodes": [{{"args": []}}, {{"args": []}}, {{"args": []}}]}})",
                inner);
        const auto model = imported(archive(inner, {}));
        QVERIFY(!model.module);
        QVERIFY2(reasons(model).find("more than") != std::string::npos, reasons(model).c_str());
    }

    void weightsAloneAreRefused() {
        Hdf5Group weights;
        weights.groups["layers"].groups["dense"] = variables({filled({3, 2}, 1)});
        const auto model = imported(hdf5Of(weights));
        QVERIFY(!model.module);
        QVERIFY(reasons(model).find("holds weights, no architecture") != std::string::npos);
    }

    /// Bytes changed in a whole model: a reason, or a module, and an end.
    void changedAnywhereIsSurvived() {
        Hdf5Group file;
        file.text["model_config"] = sequential("s", input("x", "[null, 3]") + "," + dense("d", 2));
        file.text["keras_version"] = "3.1.0";
        file.groups["model_weights"].groups["d"] = listed({{"kernel", {3, 2}}, {"bias", {2}}});
        const std::string whole = hdf5Of(file);
        QVERIFY(imported(whole).module);
        for (size_t i = 8; i < whole.size(); ++i) {
            std::string changed = whole;
            changed[i] = static_cast<char>(changed[i] ^ (i % 2 ? 0x08 : 0xff));
            const auto model = imported(changed);
            QVERIFY(model.module || !model.diagnostics.empty());
        }
    }

    void classesHaveNamesInFiles() {
        for (const auto& [name, snake] : std::initializer_list<std::pair<const char*, const char*>>{
                 {"Dense", "dense"},
                 {"Conv2DTranspose", "conv2d_transpose"},
                 {"ConvLSTM2D", "conv_lstm2d"},
                 {"GlobalAveragePooling1D", "global_average_pooling1d"},
                 {"PReLU", "p_re_lu"},
                 {"LeakyReLU", "leaky_re_lu"},
                 {"SimpleRNN", "simple_rnn"},
                 {"LSTM", "lstm"},
                 {"RMSNormalization", "rms_normalization"},
                 {"UpSampling2D", "up_sampling2d"}})
            QCOMPARE(frontend::keras::snakeCase(name), std::string(snake));
        frontend::keras::NamesInOrder names;
        for (const char* name : {"dense", "dense_1", "dense_2"})
            QCOMPARE(names.next("Dense"), std::string(name));
        QCOMPARE(names.next("Conv1D"), std::string("conv1d"));
    }
};

Test test() {
    return {.make = makes<TestKeras>};
}

} // namespace lathe::testing::test_keras

#include "test_keras.moc"
