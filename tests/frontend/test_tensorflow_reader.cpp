// SPDX-License-Identifier: Apache-2.0
// Links: tensorflow_proto
//
// TensorFlow's graphs to nodes: what the outputs need and nothing else, functions in place of their calls, loops and
// choices of both generations; and that whatever is wrong is said.
#include "frontend/tensorflow/graph_reader.h"
#include "frontend/tensorflow/read.h"
#include "support/program_of_tests.h"

#include <tensorflow/core/framework/graph.pb.h>

#include <QtTest>

#include <algorithm>

namespace lathe::testing::test_tensorflow_reader {

namespace {

using ModelPtr = std::shared_ptr<model::ModelGraph>;

std::span<const std::byte> bytesOfText(const std::string& text) {
    return std::as_bytes(std::span(text));
}

ModelPtr read(const std::string& text, const std::shared_ptr<Budget>& budget = std::make_shared<Budget>()) {
    const auto graph = frontend::tensorflow::readGraphDef(bytesOfText(text));
    if (!graph)
        qFatal("%s", toString(graph.error()).c_str());
    return frontend::tensorflow::readGraph(*graph, {}, "model", {}, budget);
}

/// A graph without faults.
ModelPtr good(const std::string& text) {
    const ModelPtr model = read(text);
    for (const Diagnostic& diagnostic : model->diagnostics)
        qFatal("%s", toString(diagnostic).c_str());
    return model;
}

/// All that is wrong with a graph.
std::string faultsOf(const std::string& text) {
    std::string all;
    for (const Diagnostic& diagnostic : read(text)->diagnostics)
        all += toString(diagnostic) + "\n";
    return all;
}

std::string node(const std::string& name, const std::string& op, const std::vector<std::string>& inputs = {},
                 const std::string& attributes = "") {
    std::string text = "node { name: '" + name + "' op: '" + op + "'";
    for (const std::string& input : inputs)
        text += " input: '" + input + "'";
    return text + " " + attributes + " }\n";
}

std::string nodeDef(const std::string& name, const std::string& op, const std::vector<std::string>& inputs,
                    const std::string& attributes = "") {
    std::string text = node(name, op, inputs, attributes);
    return text.replace(0, 4, "node_def");
}

const std::string floats = "attr { key: 'dtype' value { type: DT_FLOAT } } "
                           "attr { key: 'shape' value { shape { dim { size: 2 } dim { size: -1 } } } }";

std::string placeholder(const std::string& name) {
    return node(name, "Placeholder", {}, floats);
}

/// A constant of these dims whose content is as given.
std::string constant(const std::string& name, const std::string& dims, const std::string& content) {
    return node(name, "Const", {},
                "attr { key: 'dtype' value { type: DT_FLOAT } } attr { key: 'value' value { tensor { dtype: DT_FLOAT "
                "tensor_shape { " +
                    dims + " } " + content + " } } }");
}

std::vector<std::string> operatorsOf(const model::Graph& graph) {
    std::vector<std::string> names;
    for (const model::Node& each : graph.nodes)
        names.push_back(each.op);
    return names;
}

std::string function(const std::string& name, const std::string& body, const std::string& result) {
    return "library { function { signature { name: '" + name +
           "' input_arg { name: 'a' type: DT_FLOAT } output_arg { name: 'r' type: DT_FLOAT } } " + body +
           " ret { key: 'r' value: '" + result + "' } } }\n";
}

std::string call(const std::string& name, const std::string& called, const std::string& input) {
    return node(name, "PartitionedCall", {input}, "attr { key: 'f' value { func { name: '" + called + "' } } }");
}

std::shared_ptr<const model::Graph> graphAt(const model::Node& of, const std::string& attribute) {
    for (const model::Attribute& each : of.attributes)
        if (each.name == attribute && std::holds_alternative<std::shared_ptr<const model::Graph>>(each.value))
            return std::get<std::shared_ptr<const model::Graph>>(each.value);
    qFatal("no graph %s", attribute.c_str());
}

using Names = std::vector<std::string>;

/// while (i < n) i = i + x, as TensorFlow 1 writes it.
std::string oldLoop() {
    const std::string frame = "attr { key: 'frame_name' value { s: 'round' } }";
    return placeholder("x") + placeholder("n") + node("enter", "Enter", {"x"}, frame) +
           node("limit", "Enter", {"n"}, frame) + node("step", "Enter", {"x"}, frame) +
           node("merge", "Merge", {"enter", "next"}) + node("less", "Less", {"merge", "limit"}) +
           node("test", "LoopCond", {"less"}) + node("switch", "Switch", {"merge", "test"}) +
           node("sum", "AddV2", {"switch:1", "step"}) + node("next", "NextIteration", {"sum"}) +
           node("exit", "Exit", {"switch"}) + node("y", "Neg", {"exit"});
}

} // namespace

class TestTensorflowReader : public QObject {
    Q_OBJECT

private slots:
    void aGraphIsWhatItsOutputsNeed() {
        const ModelPtr model = good(node("y", "Relu", {"x", "^check"}) + placeholder("x") +
                                    node("check", "Assert", {"x"}) + node("save", "SaveV2", {"x"}));
        QCOMPARE(operatorsOf(*model->graph), Names{"Relu"});
        QCOMPARE(model->graph->inputs.size(), size_t{1});
        QCOMPARE(model->graph->inputs[0].name, std::string("x"));
        QCOMPARE(model::toString(model->graph->inputs[0].type), std::string("float32[2,?]"));
        QCOMPARE(model->graph->outputs[0].name, std::string("y"));
    }

    void resultsThatNothingReadsAreOutputs() {
        const ModelPtr model =
            good(placeholder("x") + node("parts", "Unpack", {"x"}, "attr { key: 'num' value { i: 2 } }"));
        QCOMPARE(model->graph->outputs.size(), size_t{2});
        QCOMPARE(model->graph->outputs[1].name, std::string("parts:1"));
    }

    void functionsStandInPlaceOfCalls() {
        const ModelPtr model = good(placeholder("x") + call("first", "twice", "x") + call("second", "twice", "first") +
                                    function("twice", nodeDef("sum", "AddV2", {"a", "a"}), "sum:z:0"));
        QCOMPARE(operatorsOf(*model->graph), (Names{"AddV2", "AddV2"}));
        const model::Node& inner = model->graph->nodes[1];
        QCOMPARE(inner.name, std::string("second/sum"));
        QCOMPARE(inner.scope, Names{"second"});
        QCOMPARE(inner.inputs, (Names{"first/sum", "first/sum"}));
    }

    void aFunctionThatCallsItselfIsRefused() {
        const std::string faults = faultsOf(
            placeholder("x") + call("first", "again", "x") +
            function("again",
                     nodeDef("c", "PartitionedCall", {"a"}, "attr { key: 'f' value { func { name: 'again' } } }"),
                     "c:output:0"));
        QVERIFY2(faults.find("calls itself") != std::string::npos, faults.c_str());
    }

    void anOldLoopIsOneNode() {
        const ModelPtr model = good(oldLoop());
        QCOMPARE(operatorsOf(*model->graph), (Names{"While", "Neg"}));
        const model::Node& loop = model->graph->nodes[0];
        QCOMPARE(loop.inputs, (Names{"x", "n", "x"}));
        QCOMPARE(operatorsOf(*graphAt(loop, "cond")), Names{"Less"});
        const auto body = graphAt(loop, "body");
        QCOMPARE(operatorsOf(*body), Names{"AddV2"});
        QCOMPARE(body->outputs.size(), size_t{3});
        QCOMPARE(body->outputs[1].name, body->inputs[1].name); // what stays the same
        QCOMPARE(body->outputs[0].name, body->nodes[0].outputs[0]);
        QCOMPARE(model->graph->nodes[1].inputs[0], loop.outputs[0]);
    }

    void anOldChoiceIsOneNode() {
        const ModelPtr model = good(placeholder("x") + placeholder("p") + node("switch", "Switch", {"x", "p"}) +
                                    node("way", "Identity", {"switch:1"}) + node("no", "Neg", {"switch"}) +
                                    node("yes", "Abs", {"switch:1", "^way"}) + node("y", "Merge", {"no", "yes"}));
        QCOMPARE(model->graph->outputs.size(), size_t{1});
        QCOMPARE(operatorsOf(*model->graph), Names{"If"});
        const model::Node& choice = model->graph->nodes[0];
        QCOMPARE(choice.inputs, (Names{"p", "x"}));
        QCOMPARE(operatorsOf(*graphAt(choice, "then_branch")), Names{"Abs"});
        QCOMPARE(operatorsOf(*graphAt(choice, "else_branch")), Names{"Neg"});
    }

    void whatIsWrongIsSaid_data() {
        QTest::addColumn<std::string>("text");
        QTest::addColumn<std::string>("says");
        const auto row = [](const char* name, const std::string& text, const char* says) {
            QTest::newRow(name) << text << std::string(says);
        };
        row("missing input", node("y", "Relu", {"nobody"}), "reads 'nobody'");
        row("bad port", constant("c", "dim { size: 1 }", "float_val: 1") + node("y", "Relu", {"c:7"}), "output 7");
        row("cycle", node("a", "Relu", {"b"}) + node("b", "Relu", {"a"}) + node("y", "Neg", {"a"}), "its own result");
        row("twice", placeholder("x") + node("y", "Relu", {"x"}) + node("y", "Neg", {"x"}), "two nodes 'y'");
        row("short content", constant("c", "dim { size: 4 }", "tensor_content: 'abcd'") + node("y", "Relu", {"c"}),
            "takes 16 bytes, the file holds 4");
        row("more numbers", constant("c", "dim { size: 1 }", "float_val: 1 float_val: 2") + node("y", "Relu", {"c"}),
            "more numbers than its shape");
        row("splat", constant("c", "dim { size: 1000000000 }", "float_val: 1") + node("y", "Relu", {"c"}),
            "more than may be made");
        row("overflow",
            constant("c", "dim { size: 1000000000000 } dim { size: 1000000000000 }", "float_val: 1") +
                node("y", "Relu", {"c"}),
            "too large");
        row("no function", placeholder("x") + call("y", "nobody", "x"), "there is none of");
        row("nothing", node("n", "NoOp"), "no outputs");
    }
    void whatIsWrongIsSaid() {
        QFETCH(std::string, text);
        QFETCH(std::string, says);
        const std::string faults = faultsOf(text);
        QVERIFY2(faults.find(says) != std::string::npos, faults.c_str());
    }

    void bothFormsAreRecognised() {
        const std::string text = "# a comment\n" + placeholder("x") + node("y", "Relu", {"x"});
        const auto graph = frontend::tensorflow::readGraphDef(bytesOfText(text));
        QVERIFY(graph);
        const std::string binary = (*graph)->SerializeAsString();
        QVERIFY(frontend::tensorflow::mayBeGraph(bytesOfText(text)));
        QVERIFY(frontend::tensorflow::mayBeGraph(bytesOfText(binary)));
        for (const char* other : {"", "node", "\x08\x08\x12\x07pytorch", "TFL3", "{ \"node\": 1 }"})
            QVERIFY2(!frontend::tensorflow::mayBeGraph(bytesOfText(other)), other);
        for (size_t length = 0; length < binary.size(); ++length) // no part of it ends the program
            if (const auto part = frontend::tensorflow::readGraphDef(bytesOfText(binary.substr(0, length))))
                QVERIFY(frontend::tensorflow::readGraph(*part, {}, "model", {}, std::make_shared<Budget>()));
    }
};

Test test() {
    return {makes<TestTensorflowReader>};
}

} // namespace lathe::testing::test_tensorflow_reader

#include "test_tensorflow_reader.moc"
