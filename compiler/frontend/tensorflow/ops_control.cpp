// SPDX-License-Identifier: Apache-2.0
//
// Branches, loops and variables. A loop that carries a list whose elements' shape nothing says yet learns it from a
// first conversion of its body, of which nothing else is kept.
#include "frontend/common/graph_calls.h"
#include "frontend/tensorflow/lists.h"
#include "frontend/tensorflow/ops.h"

#include <algorithm>

namespace lathe::frontend::tensorflow {
namespace {

std::vector<Value> operandsFrom(NodeReader& node, size_t first) {
    std::vector<Value> passed;
    for (size_t i = first; i < node.inputs(); ++i)
        if (const Value* value = node.value(i))
            passed.push_back(*value);
    return passed;
}

} // namespace

void convertIf(NodeReader& node, Builder& b) {
    const GraphPtr whenTrue = node.graph("then_branch"), whenFalse = node.graph("else_branch");
    const Var condition = truthOf(b, node.in(0));
    const std::vector<Value> passed = operandsFrom(node, 1);
    if (!b.failed())
        ifElse(node, b, whenTrue, whenFalse, condition, passed, &node.scope);
}

void convertCase(NodeReader& node, Builder& b) {
    const std::vector<GraphPtr> branches = node.graphs("branches");
    const Var index = asScalar(b, node.in(0));
    const std::vector<Value> passed = operandsFrom(node, 1);
    if (b.failed() || branches.empty())
        return;
    // An index below 0 means the last branch, as one above all does.
    const Var last = scalarLike(b, static_cast<double>(branches.size()) - 1, index);
    switchOver(node, b, branches, where(b, less(b, index, scalarLike(b, 0, index)), last, index), passed, &node.scope);
}

void convertWhile(NodeReader& node, Builder& b) {
    const GraphPtr condition = node.graph("cond"), body = node.graph("body");
    std::vector<Value> passed = operandsFrom(node, 0);
    if (b.failed() || !fitsGraph(node, condition, passed.size(), 1) ||
        !fitsGraph(node, body, passed.size(), passed.size()))
        return;
    if (std::ranges::any_of(passed, isReserved)) {
        const std::vector<Value> next = node.walk.run(*body, &node.scope, passed);
        for (size_t i = 0; i < passed.size() && !b.failed(); ++i)
            if (isReserved(passed[i]))
                passed[i] = materializedLike(b, passed[i], next[i]);
    }
    if (!b.failed())
        whileLoop(node, b, condition, body, passed, &node.scope);
}

namespace {

/// The variable that the node is of; empty if it is none that anything assigns.
std::string variableOf(NodeReader& node) {
    return node.text("variable", "");
}

void giveAssigned(NodeReader& node, Builder& b, Op op) {
    const Var value = node.in(0), before = node.in(1);
    if (b.failed())
        return;
    const std::string variable = variableOf(node);
    node.walk.assign(variable, b.call(op, {node.walk.variable(variable, b.constantOf(before)), value}));
}

} // namespace

void convertReadVariableOp(NodeReader& node, Builder& b) {
    const Var initial = node.in(0);
    if (!b.failed())
        node.set(0, b.call(Op::Copy, {node.walk.variable(variableOf(node), b.constantOf(initial))}));
}

void convertAssignVariableOp(NodeReader& node, Builder& b) {
    const Var value = node.in(0);
    if (!b.failed())
        node.walk.assign(variableOf(node), value);
}
void convertAssignAddVariableOp(NodeReader& node, Builder& b) {
    giveAssigned(node, b, Op::Add);
}
void convertAssignSubVariableOp(NodeReader& node, Builder& b) {
    giveAssigned(node, b, Op::Subtract);
}

} // namespace lathe::frontend::tensorflow
