// SPDX-License-Identifier: Apache-2.0
//
// Branches, loops and calls. Their subgraphs see no names but their own: what they read and give is passed to them.
#include "frontend/common/graph_calls.h"
#include "frontend/tflite/ops.h"

namespace lathe::frontend::tflite {
namespace {

void runWhile(NodeReader& node, Builder& b) {
    const GraphPtr condition = node.graph("cond_subgraph_index"), body = node.graph("body_subgraph_index");
    whileLoop(node, b, condition, body, passedFrom(node, 0), nullptr);
}

} // namespace

void convertIf(NodeReader& node, Builder& b) {
    const GraphPtr whenTrue = node.graph("then_subgraph_index"), whenFalse = node.graph("else_subgraph_index");
    const Var condition = asScalar(b, node.in(0));
    ifElse(node, b, whenTrue, whenFalse, condition, passedFrom(node, 1), nullptr);
}

void convertWhile(NodeReader& node, Builder& b) {
    runWhile(node, b);
}

void convertCall(NodeReader& node, Builder&) {
    callGraph(node, node.graph("subgraph"));
}

void convertStablehloComposite(NodeReader& node, Builder&) {
    callGraph(node, node.graph("decomposition_subgraph_index"));
}

void convertStablehloWhile(NodeReader& node, Builder& b) {
    runWhile(node, b);
}

void convertStablehloCase(NodeReader& node, Builder& b) {
    const std::vector<GraphPtr> branches = node.graphs("branch_subgraph_indices");
    const Var index = asScalar(b, node.in(0));
    switchOver(node, b, branches, index, passedFrom(node, 1), nullptr);
}

} // namespace lathe::frontend::tflite
