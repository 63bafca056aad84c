// SPDX-License-Identifier: Apache-2.0
//
// Variables that nodes read and assign by handles, and the graph that initializes them. A handle is a tensor of text that is
// known while importing, the variable's name, so it may be passed to the graphs that nodes call.
#include "frontend/common/emit.h"
#include "frontend/tflite/ops.h"

namespace lathe::frontend::tflite {
namespace {

/// The name of the variable that operand 0 is a handle of; empty after a fault.
std::string variableOf(NodeReader& node) {
    const Var handle = node.in(0);
    if (node.failed())
        return {};
    const relay::ConstantPtr known = node.b.constantOf(handle);
    if (known && known->strings.size() == 1)
        return known->strings.front();
    if (node.b.dtype(handle) == types::String)
        node.refuse("which variable it is of shows only while the model runs",
                    "let the graph name the variable where it uses it");
    else
        node.fail("operand 0 is no handle of a variable", "the model is malformed; convert it again");
    return {};
}

} // namespace

void convertVarHandle(NodeReader& node, Builder& b) {
    const std::string container = node.text("container", ""), own = node.text("shared_name", "");
    const std::string name = container.empty() ? own : container + "/" + own;
    node.set(0, textConstant(b, {}, {name.empty() ? "variable" : name}));
}

void convertReadVariable(NodeReader& node, Builder& b) {
    const std::string name = variableOf(node);
    if (!b.failed())
        node.set(0, b.call(Op::Copy, {node.walk.variable(name, nullptr)}));
}

void convertAssignVariable(NodeReader& node, Builder& b) {
    const std::string name = variableOf(node);
    const Var value = node.in(1);
    if (!b.failed())
        node.walk.assign(name, value);
}

/// Runs before the first call alone: what its graph assigns are initial values.
void convertCallOnce(NodeReader& node, Builder& b) {
    const auto graph = node.graph("init_subgraph_index");
    if (b.failed() || !graph)
        return;
    if (!graph->inputs.empty())
        return node.fail("the graph that initializes has inputs", "the model is malformed; convert it again");
    node.walk.initially([&] { node.walk.run(*graph, nullptr, {}); });
}

} // namespace lathe::frontend::tflite
