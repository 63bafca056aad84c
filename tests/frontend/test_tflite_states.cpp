// SPDX-License-Identifier: Apache-2.0
//
// What TFLite models keep from one call to the next: variables by handles, with the graph that initializes them, and the
// operands of recurrent operators that nothing produces. Over graphs as a file of TFLite would give them.
#include "frontend/common/walk.h"
#include "frontend/tflite/dialect.h"
#include "model/host_tensor.h"
#include "relay/element.h"
#include "relay/verify.h"
#include "support/program_of_tests.h"

#include <QTest>
#include <cstring>

namespace lathe::testing::test_tflite_states {

namespace {

using model::ValueType;

model::Node node(int32_t id, const std::string& op, std::vector<std::string> inputs, std::vector<std::string> outputs,
                 std::vector<model::Attribute> attributes = {}) {
    model::Node made;
    made.id = id;
    made.op = op;
    made.inputs = std::move(inputs);
    made.outputs = std::move(outputs);
    made.attributes = std::move(attributes);
    return made;
}

model::Node handle(int32_t id, const std::string& result, const std::string& name = "counter") {
    return node(id, "VAR_HANDLE", {}, {result}, {{"container", std::string()}, {"shared_name", name}});
}

model::Initializer floats(const std::string& name, std::vector<int64_t> shape, const std::vector<float>& values) {
    model::HostTensor tensor{.dtype = types::Float32, .shape = std::move(shape), .bytes = {}, .strings = {}};
    tensor.bytes.resize(values.size() * sizeof(float));
    std::memcpy(tensor.bytes.data(), values.data(), tensor.bytes.size());
    return {name, model::toData(std::move(tensor))};
}

ValueType typeOf(DataType dtype, const std::vector<int64_t>& shape) {
    ValueType type;
    type.kind = ValueType::Kind::Tensor;
    type.dtype = dtype;
    type.hasShape = true;
    for (const int64_t size : shape)
        type.shape.push_back({size, {}});
    return type;
}

/// A node that calls a graph which makes 2 of `handle`'s variable.
model::Node callOnce(int32_t id) {
    auto graph = std::make_shared<model::Graph>();
    graph->name = "init";
    graph->initializers = {floats("two", {2}, {2, 2})};
    graph->nodes = {handle(id + 1, "h_init"), node(id + 2, "ASSIGN_VARIABLE", {"h_init", "two"}, {})};
    return node(id, "CALL_ONCE", {}, {}, {{"init_subgraph_index", std::shared_ptr<const model::Graph>(graph)}});
}

/// An input "x", an output "y", and what else is in `graph`.
struct Imported {
    model::ModelGraph graph;
    relay::Module module;
    relay::Builder builder{module, nullptr};

    explicit Imported(model::Graph with, DataType dtype, std::vector<arith::Expr> dims) {
        ValueType type = typeOf(dtype, {});
        type.hasShape = false;
        with.inputs = {{"x", type}};
        with.outputs = {{"y", type}};
        graph.nodeCount = 16;
        graph.graph = std::make_shared<model::Graph>(std::move(with));
        model::indexNodes(graph);
        module.spans = graph.spans;
        frontend::tflite::TfliteDialect dialect;
        frontend::GraphWalk walk(graph, dialect, module, builder);
        walk.convertMain({relay::tensorType(dtype, std::move(dims))});
    }

    QString fault() const { return builder.failed() ? QString::fromStdString(toString(builder.error())) : QString(); }
};

} // namespace

class TestTfliteStates : public QObject {
    Q_OBJECT

    /// y = what the counter held + x, which the counter then holds.
    static model::Graph counter(bool isInitialized) {
        model::Graph graph;
        if (isInitialized)
            graph.nodes.push_back(callOnce(0));
        graph.nodes.push_back(handle(4, "h"));
        graph.nodes.push_back(node(5, "READ_VARIABLE", {"h"}, {"before"}));
        graph.nodes.push_back(node(6, "ADD", {"before", "x"}, {"y"}));
        graph.nodes.push_back(node(7, "ASSIGN_VARIABLE", {"h", "y"}, {}));
        return graph;
    }

private slots:
    void variablesByHandles() {
        const Imported counted(counter(true), types::Float32, {2});
        QVERIFY2(!counted.builder.failed(), qPrintable(counted.fault()));
        QVERIFY(relay::verify(counted.module));
        const relay::Function& main = counted.module.main();
        QCOMPARE(main.states.size(), size_t{1});
        QCOMPARE(main.states[0].name, std::string("counter"));
        const relay::Constant& initial = *main.states[0].initial;
        QCOMPARE(initial.elements(), int64_t{2});
        QCOMPARE(relay::readFloat(initial.bytes.view.data(), types::Float32), 2.0);
        QCOMPARE(relay::outputTypes(main).size(), size_t{1});
    }

    void variablesThatNothingInitializes() {
        const Imported counted(counter(false), types::Float32, {2});
        QVERIFY2(counted.fault().contains("'counter' is read, but nothing says"), qPrintable(counted.fault()));
    }

    void variablesThatAreAssignedFirst() {
        model::Graph graph;
        graph.nodes = {handle(0, "h"), node(1, "ASSIGN_VARIABLE", {"h", "x"}, {}),
                       node(2, "READ_VARIABLE", {"h"}, {"y"})};
        const Imported given(graph, types::Float32, {2});
        QVERIFY2(!given.builder.failed(), qPrintable(given.fault()));
        QVERIFY(relay::verify(given.module));
        QCOMPARE(given.module.main().states.size(), size_t{1});
        const Imported open(graph, types::Float32, {arith::symbol("n", 1, 8)});
        QVERIFY2(open.fault().contains("whose size is not known before the call"), qPrintable(open.fault()));
    }

    void whatIsNoHandle() {
        model::Graph graph;
        graph.nodes = {node(0, "READ_VARIABLE", {"x"}, {"y"})};
        const Imported wrong(graph, types::Float32, {2});
        QVERIFY2(wrong.fault().contains("no handle"), qPrintable(wrong.fault()));
    }

    /// Two units that read two features, over a sequence of open length.
    void statesOfRecurrences() {
        model::Graph graph;
        graph.initializers = {floats("w", {2, 2}, {1, 0, 0, 1}), floats("r", {2, 2}, {1, 0, 0, 1}),
                              floats("bias", {2}, {0, 0})};
        graph.values = {{"h", typeOf(types::Float32, {1, 2})}};
        graph.nodes = {
            node(0, "UNIDIRECTIONAL_SEQUENCE_RNN", {"x", "w", "r", "bias", "h"}, {"y"}, {{"time_major", int64_t{1}}})};
        for (const arith::Expr& batch : {arith::Expr(1), arith::Expr(arith::symbol("batch", 1, 8))}) {
            const Imported ran(graph, types::Float32, {arith::symbol("time", 1, 64), batch, 2});
            QVERIFY2(!ran.builder.failed(), qPrintable(ran.fault()));
            const auto verified = relay::verify(ran.module);
            QVERIFY2(verified, verified ? "" : toString(verified.error()).c_str());
            QCOMPARE(ran.module.main().states.size(), size_t{1});
            QCOMPARE(ran.module.main().states[0].name, std::string("h"));
        }
    }

    /// Four units that remember three steps.
    void memoryOfSvdf() {
        const auto graphWith = [](const ValueType& memory) {
            model::Graph graph;
            graph.initializers = {floats("features", {4, 2}, std::vector<float>(8, 1)),
                                  floats("time", {4, 3}, std::vector<float>(12, 1))};
            graph.values = {{"memory", memory}};
            graph.nodes = {node(0, "SVDF", {"x", "features", "time", "", "memory"}, {"y"}, {{"rank", int64_t{1}}})};
            return graph;
        };
        const Imported kept(graphWith(typeOf(types::Float32, {1, 12})), types::Float32, {1, 2});
        QVERIFY2(!kept.builder.failed(), qPrintable(kept.fault()));
        QVERIFY(relay::verify(kept.module));
        const relay::Function& main = kept.module.main();
        QCOMPARE(main.states.size(), size_t{1});
        QCOMPARE(main.states[0].name, std::string("memory"));
        QVERIFY(main.states[0].initial->hash == relay::makeSplat(types::Float32, {1, 12}, 0)->hash);
        QVERIFY(relay::sameType(relay::fieldTypes(main.resultType)[1], relay::tensorType(types::Float32, {1, 12})));

        ValueType quantized = typeOf(types::Int16, {1, 12});
        quantized.quantization = std::make_shared<model::Quantization>(model::Quantization{{0.5}, {3}, 0});
        const Imported narrow(graphWith(quantized), types::Float32, {1, 2});
        QVERIFY2(!narrow.builder.failed(), qPrintable(narrow.fault()));
        QVERIFY(relay::verify(narrow.module));
        QVERIFY(narrow.module.main().states[0].initial->hash == relay::makeSplat(types::Int16, {1, 12}, 3)->hash);

        // As many as the state remembers is what a call must bring.
        const Imported batch(graphWith(typeOf(types::Float32, {1, 12})), types::Float32,
                             {arith::symbol("batch", 1, 8), 2});
        QVERIFY2(!batch.builder.failed(), qPrintable(batch.fault()));
        QVERIFY(relay::verify(batch.module));

        const Imported open(graphWith(typeOf(types::Float32, {-1, 12})), types::Float32, {1, 2});
        QVERIFY2(open.fault().contains("the state 'memory' is of unknown size"), qPrintable(open.fault()));
        const Imported huge(graphWith(typeOf(types::Float32, {1 << 20, 1 << 20})), types::Float32, {1, 2});
        QVERIFY2(huge.fault().contains("'memory'"), qPrintable(huge.fault()));
    }
};

Test test() {
    return {makes<TestTfliteStates>};
}

} // namespace lathe::testing::test_tflite_states

#include "test_tflite_states.moc"
