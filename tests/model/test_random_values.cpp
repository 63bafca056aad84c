// SPDX-License-Identifier: Apache-2.0
//
// Which outputs depend on a draw: along edges, out of nested graphs, and not where a Dropout keeps all.
#include "model/random_values.h"
#include "support/host_tensor.h"
#include "support/program_of_tests.h"

#include <QtTest>

namespace lathe::testing::test_random_values {

using namespace lathe::model;

namespace {

/// A graph made node by node, each with its family.
struct Sample {
    std::vector<Family> families;

    Node node(Family family, std::vector<std::string> inputs, std::vector<std::string> outputs) {
        Node result;
        result.id = static_cast<int32_t>(families.size());
        result.inputs = std::move(inputs);
        result.outputs = std::move(outputs);
        families.push_back(family);
        return result;
    }

    ModelGraph model(std::shared_ptr<Graph> graph) const {
        ModelGraph result;
        result.graph = std::move(graph);
        result.nodeCount = static_cast<int32_t>(families.size());
        for (const Family family : families)
            result.roles.push_back({family, {}});
        indexNodes(result);
        return result;
    }
};

std::vector<Value> values(const std::vector<std::string>& names) {
    std::vector<Value> result;
    for (const std::string& name : names)
        result.push_back({name, {}});
    return result;
}

HostTensor scalar(float value) {
    return lathe::testing::tensorOf<float>(types::Float32, {}, {value});
}

} // namespace

class TestRandomValues : public QObject {
    Q_OBJECT

private slots:
    void drawsSpreadAlongEdgesAlone() {
        Sample sample;
        auto graph = std::make_shared<Graph>();
        graph->inputs = values({"x"});
        graph->nodes = {sample.node(Family::Random, {"x"}, {"u"}), sample.node(Family::Arithmetic, {"x", "u"}, {"a"}),
                        sample.node(Family::Activation, {"x"}, {"y"}), sample.node(Family::Bernoulli, {"x"}, {"b"})};
        graph->outputs = values({"y", "a", "x", "b"});
        QCOMPARE(randomOutputs(sample.model(graph), {}), (std::vector<bool>{false, true, false, true}));
        QVERIFY((randomValues(sample.model(graph), {}) == std::unordered_set<std::string>{"u", "a", "b"}));
    }

    void absentOperandsAreNoEdge() {
        Sample sample;
        auto graph = std::make_shared<Graph>();
        graph->inputs = values({"x"});
        graph->nodes = {sample.node(Family::Random, {"x"}, {"", "u"}), sample.node(Family::Movement, {"x", ""}, {"y"})};
        graph->outputs = values({"y"});
        QCOMPARE(randomOutputs(sample.model(graph), {}), std::vector<bool>{false});
    }

    void nestedGraphsCount() {
        Sample sample;
        // A branch that gives a draw, one that draws and gives something else, one that gives a draw of the graph around.
        auto draws = std::make_shared<Graph>(), drops = std::make_shared<Graph>(), captures = std::make_shared<Graph>();
        draws->nodes = {sample.node(Family::Random, {}, {"r"})};
        draws->outputs = values({"r"});
        drops->nodes = {sample.node(Family::Random, {}, {"r"}), sample.node(Family::Movement, {"x"}, {"s"})};
        drops->outputs = values({"s"});
        captures->nodes = {sample.node(Family::Movement, {"u"}, {"s"})};
        captures->outputs = values({"s"});
        auto graph = std::make_shared<Graph>();
        graph->inputs = values({"x", "c"});
        graph->nodes = {sample.node(Family::Random, {}, {"u"}), sample.node(Family::Control, {"c"}, {"p"}),
                        sample.node(Family::Control, {"c"}, {"q"}), sample.node(Family::Control, {"c"}, {"t"}),
                        sample.node(Family::Control, {"u"}, {"v"})};
        const auto attach = [&](size_t node, const std::shared_ptr<Graph>& nested) {
            graph->nodes[node].attributes.push_back({"body", std::shared_ptr<const Graph>(nested)});
        };
        attach(1, draws);
        attach(2, drops);
        attach(3, captures);
        attach(4, drops); // the condition itself is drawn
        graph->outputs = values({"p", "q", "t", "v"});
        QCOMPARE(randomOutputs(sample.model(graph), {}), (std::vector<bool>{true, false, true, true}));
    }

    void dropoutDrawsInTrainingOnly() {
        // The ratio is an input, the mode a constant.
        const auto random = [](float ratio, std::optional<int64_t> training) -> bool {
            Sample sample;
            auto graph = std::make_shared<Graph>();
            graph->inputs = values({"x", "ratio", "mode"});
            graph->nodes = {sample.node(Family::Constant, {}, {"t"}),
                            sample.node(Family::Dropout, {"x", "ratio", training ? "t" : "computed"}, {"y", "mask"})};
            graph->nodes[0].attributes.push_back({"value_int", training.value_or(0)});
            graph->outputs = values({"y"});
            const std::vector<HostTensor> inputs = {scalar(1), scalar(ratio)};
            return randomOutputs(sample.model(graph), inputs).at(0);
        };
        QVERIFY(random(0.5F, 1));
        QVERIFY(random(0.5F, std::nullopt));
        QVERIFY(!random(0.5F, 0));
        QVERIFY(!random(0, 1));
    }

    void ratioOfADropout() {
        Sample sample;
        auto graph = std::make_shared<Graph>();
        graph->inputs = values({"x", "r"});
        graph->nodes = {sample.node(Family::Dropout, {"x"}, {"a"}), sample.node(Family::Dropout, {"x"}, {"b"}),
                        sample.node(Family::Dropout, {"x", "r"}, {"c"}),
                        sample.node(Family::Dropout, {"x", "a"}, {"d"})};
        graph->nodes[1].attributes.push_back({"ratio", 0.25});
        const ModelGraph model = sample.model(graph);
        const std::vector<HostTensor> inputs = {scalar(1), scalar(0.75F)};
        QVERIFY(dropRatio(model, inputs, graph->nodes[0]) == 0.5);
        QVERIFY(dropRatio(model, inputs, graph->nodes[1]) == 0.25);
        QVERIFY(dropRatio(model, inputs, graph->nodes[2]) == 0.75);
        QVERIFY(!dropRatio(model, inputs, graph->nodes[3]));
        QVERIFY(givenTensor(model, inputs, "r") == scalar(0.75F));
        QVERIFY(!givenTensor(model, inputs, "a"));
    }
};

Test test() {
    return {makes<TestRandomValues>};
}

} // namespace lathe::testing::test_random_values

#include "test_random_values.moc"
