// SPDX-License-Identifier: Apache-2.0
//
// The walk over a graph's nodes knows no format: here it walks over graphs of one that is made up, with converters, bodies and
// branches of its own.
#include "frontend/common/emit.h"
#include "frontend/common/walk.h"
#include "support/program_of_tests.h"

#include <QTest>

namespace lathe::testing::test_walk {

namespace {

using frontend::NodeReader;
using frontend::Value;
using relay::Builder;

void convertPlus(NodeReader& node, Builder& b) {
    node.set(0, frontend::add(b, node.in(0), node.in(1)));
}

void convertTotal(NodeReader& node, Builder& b) {
    const relay::Var x = node.in(0);
    node.set(0, b.rank(x) == 0 ? x : frontend::reduce(b, "sum", x, frontend::iotaInts(0, b.rank(x)), false));
}

void convertChoose(NodeReader& node, Builder& b) {
    const auto arm = [&](const char* attribute) {
        return [&node, attribute] { return node.walk.run(*node.graph(attribute), &node.scope, {})[0].var; };
    };
    node.set(0, b.ifElse(node.in(0), arm("yes"), arm("no")));
}

model::Node makeNode(int32_t id, const std::string& op, std::vector<std::string> inputs, const std::string& output) {
    model::Node node;
    node.id = id;
    node.name = "the " + op;
    node.op = op;
    node.inputs = std::move(inputs);
    node.outputs = {output};
    return node;
}

class MadeUp : public frontend::Dialect {
public:
    frontend::ConvertFn converterOf(const model::Node& node) const override {
        return node.op == "plus"     ? convertPlus
               : node.op == "total"  ? convertTotal
               : node.op == "choose" ? convertChoose
                                     : nullptr;
    }
    std::optional<Diagnostic> refusalOf(const model::Node& node) const override {
        return converterOf(node) || node.op == "twice"
                   ? std::nullopt
                   : std::optional(error(ErrorKind::Unsupported, "no such thing as " + node.op));
    }
    void checked(NodeReader& node, const std::function<void()>& convert) const override {
        if (node.node.op == "plus" && node.inputs() != 2)
            return node.fail("plus takes two");
        convert();
    }
    Result<std::shared_ptr<model::Graph>> bodyOf(NodeReader& node, std::vector<Value>& /*operands*/) override {
        auto body = std::make_shared<model::Graph>();
        body->inputs = {{"formal", {}}};
        body->outputs = {{"result", {}}};
        body->nodes = {makeNode(node.node.id, "plus", {"formal", "formal"}, "result")};
        return body;
    }
    std::optional<frontend::Branches> branchesOf(const model::Node& node) const override {
        return node.op == "choose" ? std::optional(frontend::Branches{"yes", "no"}) : std::nullopt;
    }
};

/// Inputs "x" of float32[2] and "b" of bool, output "y".
struct Walked {
    model::ModelGraph graph;
    relay::Module module;
    Builder builder{module, nullptr};
    MadeUp dialect;
    std::optional<frontend::GraphWalk> walk;

    explicit Walked(std::vector<model::Node> nodes) {
        auto main = std::make_shared<model::Graph>();
        main->inputs = {{"x", {}}, {"b", {}}};
        main->outputs = {{"y", {}}};
        main->nodes = std::move(nodes);
        graph.file = "made.up";
        graph.nodeCount = 8;
        graph.graph = main;
        model::indexNodes(graph);
        module.spans = graph.spans;
        walk.emplace(graph, dialect, module, builder);
        walk->convertMain({relay::tensorType(types::Float32, {2}), relay::tensorType(types::Bool, {})});
    }
};

} // namespace

class TestWalk : public QObject {
    Q_OBJECT

private slots:
    void convertersAndBodies() {
        const Walked walked({makeNode(0, "plus", {"x", "x"}, "p"), makeNode(1, "twice", {"p"}, "y")});
        QVERIFY2(!walked.builder.failed(), walked.builder.failed() ? walked.builder.error().what.c_str() : "");
        const auto& bindings = walked.module.main().body->bindings;
        QCOMPARE(bindings.size(), size_t{2});
        QCOMPARE(bindings[0]->modelValue, std::string("p"));
        QCOMPARE(bindings[1]->modelValue, std::string("y")); // of the node, not of its body
        QVERIFY(bindings[1]->span == walked.graph.spans->of(1));
    }

    void allRefusalsAtOnce() {
        const Walked walked({makeNode(0, "this", {"x"}, "p"), makeNode(1, "that", {"p"}, "y")});
        QVERIFY(walked.builder.failed());
        QCOMPARE(walked.builder.error().what, std::string("no such thing as this"));
        const std::vector<Diagnostic> found = walked.walk->unsupported();
        QCOMPARE(found.size(), size_t{2});
        QCOMPARE(found[1].what, std::string("no such thing as that"));
        QCOMPARE(found[1].node, std::string("the that"));
        QCOMPARE(found[1].file, std::string("made.up"));
    }

    void whatTheFormatChecksIsToldAtTheNode() {
        const Walked walked({makeNode(0, "plus", {"x"}, "y")});
        QVERIFY(walked.builder.failed());
        QCOMPARE(walked.builder.error().what, std::string("plus takes two"));
        QCOMPARE(walked.builder.error().node, std::string("the plus"));
    }

    /// One branch gives a vector, the other a number: what follows goes into both, and gives a number in both.
    void branchesWithoutACommonType() {
        const auto branch = [](int32_t id, const std::string& op, std::vector<std::string> inputs) {
            auto graph = std::make_shared<model::Graph>();
            graph->outputs = {{"given", {}}};
            graph->nodes = {makeNode(id, op, std::move(inputs), "given")};
            return std::shared_ptr<const model::Graph>(graph);
        };
        model::Node choose = makeNode(0, "choose", {"b"}, "c");
        choose.attributes = {{"yes", branch(1, "plus", {"x", "x"})}, {"no", branch(2, "total", {"x"})}};
        const Walked walked({choose, makeNode(3, "total", {"c"}, "y")});
        QVERIFY2(!walked.builder.failed(), walked.builder.failed() ? walked.builder.error().what.c_str() : "");
        const relay::TensorType* result = relay::asTensor(walked.module.main().resultType);
        QVERIFY(result && result->shape.empty());
        QVERIFY(result->dtype == types::Float32);
    }
};

Test test() {
    return {makes<TestWalk>};
}

} // namespace lathe::testing::test_walk

#include "test_walk.moc"
