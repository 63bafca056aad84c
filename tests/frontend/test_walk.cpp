// SPDX-License-Identifier: Apache-2.0
//
// The walk over a graph's nodes knows no format: here it walks over graphs of one that is made up, with converters, bodies and
// branches of its own.
#include "frontend/common/emit.h"
#include "frontend/common/walk.h"
#include "relay/verify.h"
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

/// Gives what "kept" held, which is 0.5 before the first call.
void convertKept(NodeReader& node, Builder&) {
    node.set(0, node.walk.variable("kept", relay::makeSplat(types::Float32, {2}, 0.5)));
}

/// What "kept" will hold.
void convertKeep(NodeReader& node, Builder&) {
    node.walk.assign("kept", node.in(0));
}

void convertUnset(NodeReader& node, Builder&) {
    node.set(0, node.walk.variable("unset", nullptr));
}

/// Says that "set" holds 1, 1 before the first call, and gives it.
void convertSet(NodeReader& node, Builder& b) {
    node.walk.initially([&] { node.walk.assign("set", b.constant(relay::makeSplat(types::Float32, {2}, 1))); });
    node.set(0, node.walk.variable("set", nullptr));
}

/// The same with what is no constant.
void convertSetWrongly(NodeReader& node, Builder&) {
    node.walk.initially([&] { node.walk.assign("set", node.in(0)); });
    node.set(0, node.walk.variable("set", nullptr));
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

model::Node withoutResult(int32_t id, const std::string& op, std::vector<std::string> inputs) {
    model::Node node = makeNode(id, op, std::move(inputs), "");
    node.outputs.clear();
    return node;
}

class MadeUp : public frontend::Dialect {
public:
    frontend::ConvertFn converterOf(const model::Node& node) const override {
        return node.op == "plus"      ? convertPlus
               : node.op == "total"   ? convertTotal
               : node.op == "choose"  ? convertChoose
               : node.op == "kept"    ? convertKept
               : node.op == "keep"    ? convertKeep
               : node.op == "unset"   ? convertUnset
               : node.op == "set"     ? convertSet
               : node.op == "setting" ? convertSetWrongly
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

    /// Reads, assigns, reads again: the second read is of what was assigned.
    void variablesAreStates() {
        const Walked walked({makeNode(0, "kept", {}, "before"), makeNode(1, "plus", {"before", "x"}, "sum"),
                             withoutResult(2, "keep", {"sum"}), makeNode(3, "kept", {}, "after"),
                             makeNode(4, "plus", {"after", "x"}, "y")});
        QVERIFY2(!walked.builder.failed(), walked.builder.failed() ? walked.builder.error().what.c_str() : "");
        const relay::Function& main = walked.module.main();
        QCOMPARE(main.states.size(), size_t{1});
        QCOMPARE(main.states[0].name, std::string("kept"));
        QVERIFY(main.states[0].initial->hash == relay::makeSplat(types::Float32, {2}, 0.5)->hash);
        QCOMPARE(relay::inputParams(main).size(), size_t{2});
        QCOMPARE(main.params.back().name, std::string("kept"));
        QCOMPARE(main.outputNames, std::vector<std::string>{"y"});
        QVERIFY(relay::verify(walked.module));
        const auto& bindings = main.body->bindings; // sum, y, both
        QCOMPARE(bindings.size(), size_t{3});
        QCOMPARE(relay::operands(bindings[0]->rhs).front(), main.params[2].var);
        QCOMPARE(relay::operands(bindings[1]->rhs).front(), bindings[0]->var);
        QCOMPARE(relay::operands(bindings[2]->rhs), (std::vector{bindings[1]->var, bindings[0]->var}));
    }

    void variablesThatAreOnlyReadStayAsTheyAre() {
        const Walked walked({makeNode(0, "set", {}, "s"), makeNode(1, "plus", {"s", "x"}, "y")});
        QVERIFY2(!walked.builder.failed(), walked.builder.failed() ? walked.builder.error().what.c_str() : "");
        const relay::Function& main = walked.module.main();
        QCOMPARE(main.states.size(), size_t{1});
        QVERIFY(main.states[0].initial->hash == relay::makeSplat(types::Float32, {2}, 1)->hash);
        QCOMPARE(relay::operands(main.body->bindings.back()->rhs).back(), main.params.back().var);
        QVERIFY(relay::verify(walked.module));
    }

    void variablesThatNothingInitializesAreRefused() {
        const Walked walked({makeNode(0, "unset", {}, "y")});
        QVERIFY(walked.builder.failed());
        QVERIFY(walked.builder.error().kind == ErrorKind::Unsupported);
        QVERIFY(QString::fromStdString(walked.builder.error().what).contains("'unset' is read, but nothing says"));
        QCOMPARE(walked.builder.error().node, std::string("the unset"));
        const Walked wrongly({makeNode(0, "setting", {"x"}, "y")});
        QVERIFY(wrongly.builder.failed());
        QVERIFY(QString::fromStdString(wrongly.builder.error().what).contains("is no constant"));
    }

    void whatIsAssignedFits() {
        const Walked walked({makeNode(0, "kept", {}, "before"), withoutResult(1, "keep", {"b"}),
                             makeNode(2, "plus", {"before", "x"}, "y")});
        QVERIFY(walked.builder.failed());
        QVERIFY(QString::fromStdString(walked.builder.error().what).contains("is float32[2], and is assigned bool[]"));
    }

    void branchesReadVariablesAndDoNotAssignThem() {
        const auto branch = [](std::vector<model::Node> nodes) {
            auto graph = std::make_shared<model::Graph>();
            graph->outputs = {{"given", {}}};
            graph->nodes = std::move(nodes);
            return std::shared_ptr<const model::Graph>(graph);
        };
        model::Node choose = makeNode(0, "choose", {"b"}, "c");
        choose.attributes = {{"yes", branch({makeNode(1, "kept", {}, "given")})},
                             {"no", branch({makeNode(2, "plus", {"x", "x"}, "given")})}};
        const Walked walked({choose, makeNode(3, "plus", {"c", "x"}, "sum"), withoutResult(4, "keep", {"sum"}),
                             makeNode(5, "plus", {"sum", "x"}, "y")});
        QVERIFY2(!walked.builder.failed(), walked.builder.failed() ? walked.builder.error().what.c_str() : "");
        QCOMPARE(walked.module.main().states.size(), size_t{1});
        QVERIFY(relay::verify(walked.module));
        choose.attributes[1] = {"no",
                                branch({withoutResult(2, "keep", {"x"}), makeNode(3, "plus", {"x", "x"}, "given")})};
        const Walked refused({choose, makeNode(4, "plus", {"c", "x"}, "y")});
        QVERIFY(refused.builder.failed());
        QVERIFY(refused.builder.error().kind == ErrorKind::Unsupported);
        QVERIFY(QString::fromStdString(refused.builder.error().what).contains("in a branch or a loop"));
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
