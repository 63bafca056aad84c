// SPDX-License-Identifier: Apache-2.0
//
// Parts of models: what a cut leaves of a graph, names that it may use, and a graph of TensorFlow that begins with a
// file, which says where to cut and is imported from there on.
#include "frontend/common/cut_graph.h"
#include "frontend/common/members.h"
#include "frontend/tensorflow/import.h"
#include "relay/ir.h"
#include "support/program_of_tests.h"

#include <QTest>
#include <algorithm>

namespace lathe::testing::test_cut {

namespace {

using Names = std::vector<std::string>;

model::Node node(int32_t id, const std::string& name, Names inputs, Names outputs) {
    model::Node made;
    made.id = id;
    made.name = name;
    made.op = name;
    made.inputs = std::move(inputs);
    made.outputs = std::move(outputs);
    return made;
}

model::Value value(const std::string& name, DataType dtype) {
    model::Value made;
    made.name = name;
    made.type.kind = model::ValueType::Kind::Tensor;
    made.type.dtype = dtype;
    return made;
}

/// x goes through first into two by split, which join puts together with y; note is there for what it does with p.
model::ModelGraph whole() {
    auto graph = std::make_shared<model::Graph>();
    graph->inputs = {value("x", types::String), value("y", types::Float32)};
    graph->outputs = {value("out", types::Float32)};
    graph->values = {value("r", types::Int32)};
    graph->nodes = {node(0, "first", {"x"}, {"p"}), node(1, "note", {"p"}, {}), node(2, "split", {"p"}, {"q", "r"}),
                    node(3, "join", {"q", "r", "y"}, {"out"})};
    model::ModelGraph model;
    model.nodeCount = 4;
    model.graph = std::move(graph);
    model.diagnostics = {error("of the first")};
    model.diagnostics[0].nodeId = 0;
    indexNodes(model);
    return model;
}

Names namesOf(const std::vector<model::Value>& values) {
    Names names;
    for (const model::Value& each : values)
        names.push_back(each.name);
    return names;
}

Names nodesOf(const model::ModelGraph& model) {
    Names names;
    for (const model::Node& each : model.graph->nodes)
        names.push_back(each.name);
    return names;
}

model::ValueType unknown(const model::Node&, size_t) {
    return {};
}

/// The text of a graph whose sound comes out of a file.
const char* const sound = R"(
node { name: "file" op: "Placeholder" attr { key: "dtype" value { type: DT_STRING } } }
node { name: "decode" op: "DecodeWav" input: "file" attr { key: "desired_channels" value { i: 1 } } }
node { name: "twice" op: "AddV2" input: "decode" input: "decode" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "out" op: "Relu" input: "twice" attr { key: "T" value { type: DT_FLOAT } } }
)";

/// Of one that ends with what nobody knows.
const char* const odd = R"(
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } }
       attr { key: "shape" value { shape { dim { size: 4 } } } } }
node { name: "y" op: "Relu" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "z" op: "Neg" input: "y" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "end" op: "Odd" input: "z" }
)";

/// Of one that such a node stands within.
const char* const within = R"(
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "odd" op: "Odd" input: "x" }
node { name: "out" op: "Relu" input: "odd" attr { key: "T" value { type: DT_FLOAT } } }
)";

frontend::Imported imported(const model::Cut& cut, std::string_view text = sound, frontend::Options options = {}) {
    const model::Bytes bytes{nullptr, std::as_bytes(std::span(text))};
    options.cut = cut;
    return frontend::tensorflow::importModel({"sound.pbtxt", {}, bytes, {}, nullptr}, nullptr, options);
}

} // namespace

class TestCut : public QObject {
    Q_OBJECT

private slots:
    void parts() {
        model::ModelGraph behind = whole();
        QVERIFY(frontend::cutGraph(behind, {.inputs = {"split", "r"}, .outputs = {}}, unknown));
        QCOMPARE(namesOf(behind.graph->inputs), (Names{"q", "r", "y"}));
        QCOMPARE(nodesOf(behind), Names{"join"});
        QCOMPARE(model::countNodes(behind), 1);
        QCOMPARE(behind.nodeCount, 4); // ids stay
        QVERIFY(behind.graph->inputs[0].type.kind == model::ValueType::Kind::Unknown);
        QCOMPARE(toString(behind.graph->inputs[1].type.dtype), toString(types::Int32));
        QVERIFY(behind.diagnostics.empty()); // its node is gone

        model::ModelGraph half = whole(); // the other result is still computed
        QVERIFY(frontend::cutGraph(half, {.inputs = {"q:0"}, .outputs = {}}, unknown));
        QCOMPARE(namesOf(half.graph->inputs), (Names{"q", "x", "y"}));
        QCOMPARE(nodesOf(half), (Names{"first", "note", "split", "join"}));
        QCOMPARE(half.graph->nodes[2].outputs, (Names{"", "r"}));
        QCOMPARE(half.diagnostics.size(), 1U);

        model::ModelGraph before = whole();
        QVERIFY(frontend::cutGraph(before, {.inputs = {}, .outputs = {"p"}}, unknown));
        QCOMPARE(namesOf(before.graph->inputs), Names{"x"});
        QCOMPARE(nodesOf(before), (Names{"first", "note"}));
        QCOMPARE(namesOf(before.graph->outputs), Names{"p"});
    }

    void namesThatAreNone() {
        model::ModelGraph model = whole();
        const auto cut = frontend::cutGraph(model, {.inputs = {"outt"}, .outputs = {}}, unknown);
        QVERIFY(!cut);
        QVERIFY2(cut.error().what.find("did you mean 'out'") != std::string::npos, cut.error().what.c_str());
        QCOMPARE(model.graph->nodes.size(), 4U);
    }

    void whereToBegin() {
        const auto isCalled = [](const char* name) {
            return [name](const model::Node& each) { return each.name == name; };
        };
        QCOMPARE(frontend::inputsBehind(whole(), isCalled("first")), Names{"p"});
        QCOMPARE(frontend::inputsBehind(whole(), isCalled("split")), (Names{"q", "r"}));
        QCOMPARE(frontend::inputsBehind(whole(), isCalled("join")), Names{}); // it gives the model's output
    }

    void whereToEnd() {
        const auto isCalled = [](const char* name) {
            return [name](const model::Node& each) { return each.name == name; };
        };
        QCOMPARE(frontend::outputsBefore(whole(), isCalled("join")), (Names{"q", "r"}));
        QCOMPARE(frontend::outputsBefore(whole(), isCalled("split")), Names{"p"});
        QCOMPARE(frontend::outputsBefore(whole(), isCalled("first")), Names{}); // it is given the model's input alone
        model::ModelGraph two = whole();
        auto graph = std::make_shared<model::Graph>(*two.graph);
        graph->outputs = {value("out", types::Float32), value("r", types::Int32)};
        two.graph = std::move(graph);
        QCOMPARE(frontend::outputsBefore(two, isCalled("join")), (Names{"r", "q"})); // its own first
    }

    void soundOfAFile() {
        const auto refused = imported({});
        QVERIFY(!refused.module);
        const auto says = [](const Diagnostic& each) { return each.hint.find("--inputs decode") != std::string::npos; };
        QVERIFY(std::ranges::any_of(refused.diagnostics, says));
        const auto part = imported({.inputs = {"decode:0"}, .outputs = {"twice"}});
        QVERIFY2(part.module, part.diagnostics.empty() ? "" : toString(part.diagnostics[0]).c_str());
        const relay::Function& main = part.module->main();
        QCOMPARE(main.params.size(), 1U);
        const relay::TensorType* type = relay::asTensor(main.params[0].type);
        QCOMPARE(toString(type->dtype), toString(types::Float32));
        QCOMPARE(type->shape.size(), 2U);
        QVERIFY(arith::isConst(type->shape[1], 1)); // desired_channels
        QCOMPARE(part.graph->graph->nodes.size(), 1U);
    }

    void aBeginningOfNoKnownType() {
        const auto open = imported({.inputs = {"odd"}, .outputs = {}}, within);
        QVERIFY(!open.module && !open.diagnostics.empty());
        QVERIFY2(open.diagnostics[0].hint.contains("--type odd=float32"), toString(open.diagnostics[0]).c_str());
        frontend::Options options;
        options.types = {{"odd", types::Float32}};
        options.shapes = {{"odd", {2, 3}}};
        const auto part = imported({.inputs = {"odd"}, .outputs = {}}, within, options);
        QVERIFY2(part.module, part.diagnostics.empty() ? "" : toString(part.diagnostics[0]).c_str());
        QCOMPARE(relay::toString(part.module->main().resultType), std::string("float32[2, 3]"));
    }

    void anEndThatIsRefused() {
        const auto refused = imported({}, odd);
        QVERIFY(!refused.module);
        const auto says = [](const Diagnostic& each) {
            return each.hint.ends_with("compile what comes before alone: --outputs z");
        };
        QVERIFY(std::ranges::any_of(refused.diagnostics, says));
        QVERIFY(imported({.inputs = {}, .outputs = {"z"}}, odd).module);
    }
};

Test test() {
    return {.make = makes<TestCut>};
}

} // namespace lathe::testing::test_cut

#include "test_cut.moc"
