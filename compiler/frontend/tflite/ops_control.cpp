// SPDX-License-Identifier: Apache-2.0
//
// Branches, loops and calls. Their subgraphs see no names but their own: what they read and give is passed to them.
#include "frontend/common/branches.h"
#include "frontend/tflite/ops.h"

#include <fmt/format.h>

namespace lathe::frontend::tflite {
namespace {

using GraphPtr = std::shared_ptr<const model::Graph>;

/// Operands from `first` on, as they are.
std::vector<Value> passedFrom(NodeReader& node, size_t first) {
    std::vector<Value> passed;
    for (size_t i = first; i < node.inputs(); ++i)
        passed.push_back(tensorValue(node.in(i)));
    return passed;
}

/// False, and a fault, if a subgraph does not read as many values as it is passed, or gives fewer than wanted.
bool fitsGraph(NodeReader& node, const GraphPtr& graph, size_t passed, size_t wanted) {
    if (node.failed() || !graph)
        return false;
    if (graph->inputs.size() == passed && graph->outputs.size() >= wanted)
        return true;
    node.fail(fmt::format("subgraph '{}' has {} inputs and {} outputs, the node passes {} values and has {} outputs",
                          graph->name, graph->inputs.size(), graph->outputs.size(), passed, wanted),
              "the model is malformed; convert it again");
    return false;
}

std::vector<Value> ranGraph(NodeReader& node, const GraphPtr& graph, const std::vector<Value>& passed) {
    return node.walk.run(*graph, nullptr, passed);
}

void giveValues(NodeReader& node, const std::vector<Value>& values) {
    for (size_t i = 0; i < std::min(values.size(), node.outputs()) && !node.failed(); ++i)
        node.set(i, values[i]);
}

void callGraph(NodeReader& node, Builder& b, const char* attribute) {
    const GraphPtr graph = node.graph(attribute);
    const std::vector<Value> passed = passedFrom(node, 0);
    if (!b.failed() && fitsGraph(node, graph, passed.size(), node.outputs()))
        giveValues(node, ranGraph(node, graph, passed));
}

void runWhile(NodeReader& node, Builder& b) {
    const GraphPtr condition = node.graph("cond_subgraph_index"), body = node.graph("body_subgraph_index");
    const std::vector<Value> passed = passedFrom(node, 0);
    if (!fitsGraph(node, condition, passed.size(), 1) || !fitsGraph(node, body, passed.size(), passed.size()))
        return;
    if (node.outputs() > passed.size())
        return node.fail(
            fmt::format("the loop carries {} values, the node has {} outputs", passed.size(), node.outputs()));
    const auto goesOn = [&](const std::vector<Value>& values) {
        return asScalar(b, tensorsOf(node, ranGraph(node, condition, values))[0]);
    };
    const Var begins = goesOn(passed);
    const Var result = b.loop({}, begins, tensorsOf(node, passed), 0, [&](Var, const std::vector<Var>& carried) {
        std::vector<Value> values;
        for (Var var : carried)
            values.push_back(tensorValue(var));
        std::vector<Value> next = ranGraph(node, body, values);
        next.resize(carried.size());
        std::vector<Var> results = {goesOn(next)};
        for (Var var : tensorsOf(node, next))
            results.push_back(var);
        return results;
    });
    for (size_t i = 0; i < node.outputs() && !b.failed(); ++i)
        node.set(i, b.project(result, static_cast<int>(i)));
}

/// The value of branch `first` or a later one: that whose number the index is, else the last one.
std::vector<Value> pickBranch(NodeReader& node, const std::vector<GraphPtr>& branches, size_t first, Var index,
                              const std::vector<Value>& passed) {
    const auto branch = [&] { return ranGraph(node, branches[first], passed); };
    if (first + 1 == branches.size())
        return branch();
    const Var here = equal(node.b, index, scalarLike(node.b, static_cast<double>(first), index));
    return chosen(node, here, node.outputs(), branch,
                  [&] { return pickBranch(node, branches, first + 1, index, passed); });
}

} // namespace

void convertIf(NodeReader& node, Builder& b) {
    const GraphPtr whenTrue = node.graph("then_subgraph_index"), whenFalse = node.graph("else_subgraph_index");
    const Var condition = asScalar(b, node.in(0));
    const std::vector<Value> passed = passedFrom(node, 1);
    for (const GraphPtr& graph : {whenTrue, whenFalse})
        if (!fitsGraph(node, graph, passed.size(), node.outputs()))
            return;
    if (node.outputs() == 0)
        return node.fail("the node has no outputs");
    giveValues(node, chosen(
                         node, condition, node.outputs(), [&] { return ranGraph(node, whenTrue, passed); },
                         [&] { return ranGraph(node, whenFalse, passed); }));
}

void convertWhile(NodeReader& node, Builder& b) {
    runWhile(node, b);
}

void convertCall(NodeReader& node, Builder& b) {
    callGraph(node, b, "subgraph");
}

void convertStablehloComposite(NodeReader& node, Builder& b) {
    callGraph(node, b, "decomposition_subgraph_index");
}

void convertStablehloWhile(NodeReader& node, Builder& b) {
    runWhile(node, b);
}

void convertStablehloCase(NodeReader& node, Builder& b) {
    const std::vector<GraphPtr> branches = node.graphs("branch_subgraph_indices");
    const Var index = asScalar(b, node.in(0));
    const std::vector<Value> passed = passedFrom(node, 1);
    if (branches.empty() || node.outputs() == 0)
        return node.fail(fmt::format("the node has {} branches and {} outputs", branches.size(), node.outputs()));
    for (const GraphPtr& graph : branches)
        if (!fitsGraph(node, graph, passed.size(), node.outputs()))
            return;
    giveValues(node, pickBranch(node, branches, 0, index, passed));
}

} // namespace lathe::frontend::tflite
