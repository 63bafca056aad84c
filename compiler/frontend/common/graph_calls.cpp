// SPDX-License-Identifier: Apache-2.0
#include "frontend/common/graph_calls.h"

#include <fmt/format.h>

#include <algorithm>

namespace lathe::frontend {
namespace {

/// The value of branch `first` or a later one: that whose number the index is, else the last one.
std::vector<Value> pickBranch(NodeReader& node, const std::vector<GraphPtr>& branches, size_t first, Var index,
                              const std::vector<Value>& passed, const Scope* around) {
    const auto branch = [&] { return node.walk.run(*branches[first], around, passed); };
    if (first + 1 == branches.size())
        return branch();
    const Var here = equal(node.b, index, scalarLike(node.b, static_cast<double>(first), index));
    return chosen(node, here, node.outputs(), branch,
                  [&] { return pickBranch(node, branches, first + 1, index, passed, around); });
}

} // namespace

std::vector<Value> passedFrom(NodeReader& node, size_t first) {
    std::vector<Value> passed;
    for (size_t i = first; i < node.inputs(); ++i)
        passed.push_back(tensorValue(node.in(i)));
    return passed;
}

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

void giveValues(NodeReader& node, const std::vector<Value>& values) {
    for (size_t i = 0; i < std::min(values.size(), node.outputs()) && !node.failed(); ++i)
        node.set(i, values[i]);
}

void callGraph(NodeReader& node, const GraphPtr& graph) {
    const std::vector<Value> passed = passedFrom(node, 0);
    if (!node.failed() && fitsGraph(node, graph, passed.size(), node.outputs()))
        giveValues(node, node.walk.run(*graph, nullptr, passed));
}

void whileLoop(NodeReader& node, Builder& b, const GraphPtr& condition, const GraphPtr& body,
               const std::vector<Value>& passed, const Scope* around) {
    if (!fitsGraph(node, condition, passed.size(), 1) || !fitsGraph(node, body, passed.size(), passed.size()))
        return;
    if (node.outputs() > passed.size())
        return node.fail(
            fmt::format("the loop carries {} values, the node has {} outputs", passed.size(), node.outputs()));
    const auto goesOn = [&](const std::vector<Value>& values) {
        return asScalar(b, tensorsOf(node, node.walk.run(*condition, around, values))[0]);
    };
    const Var begins = goesOn(passed);
    const Var result = b.loop({}, begins, tensorsOf(node, passed), 0, [&](Var, const std::vector<Var>& carried) {
        std::vector<Value> values;
        for (Var var : carried)
            values.push_back(tensorValue(var));
        std::vector<Value> next = node.walk.run(*body, around, values);
        next.resize(carried.size());
        std::vector<Var> results = {goesOn(next)};
        for (Var var : tensorsOf(node, next))
            results.push_back(var);
        return results;
    });
    for (size_t i = 0; i < node.outputs() && !b.failed(); ++i)
        node.set(i, b.project(result, static_cast<int>(i)));
}

void switchOver(NodeReader& node, Builder& b, const std::vector<GraphPtr>& branches, Var index,
                const std::vector<Value>& passed, const Scope* around) {
    if (b.failed())
        return;
    if (branches.empty() || node.outputs() == 0)
        return node.fail(fmt::format("the node has {} branches and {} outputs", branches.size(), node.outputs()));
    for (const GraphPtr& graph : branches)
        if (!fitsGraph(node, graph, passed.size(), node.outputs()))
            return;
    giveValues(node, pickBranch(node, branches, 0, index, passed, around));
}

void ifElse(NodeReader& node, Builder&, const GraphPtr& whenTrue, const GraphPtr& whenFalse, Var condition,
            const std::vector<Value>& passed, const Scope* around) {
    for (const GraphPtr& graph : {whenTrue, whenFalse})
        if (!fitsGraph(node, graph, passed.size(), node.outputs()))
            return;
    if (node.outputs() == 0)
        return node.fail("the node has no outputs");
    giveValues(node, chosen(
                         node, condition, node.outputs(), [&] { return node.walk.run(*whenTrue, around, passed); },
                         [&] { return node.walk.run(*whenFalse, around, passed); }));
}

} // namespace lathe::frontend
