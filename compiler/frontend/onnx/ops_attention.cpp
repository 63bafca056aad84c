// SPDX-License-Identifier: Apache-2.0
//
// Attention whose scores and weights a graph of the model changes, FlexAttention. ONNX has a body for it, but bodies take
// over no graphs; plain Attention is expanded into its body.
#include "frontend/common/attention.h"
#include "frontend/common/branches.h"
#include "frontend/onnx/ops.h"

#include <fmt/format.h>

namespace lathe::frontend::onnx {
namespace {

/// What the graph `attribute` makes of x, of x's type and dims; x if the node has none.
Var modified(NodeReader& node, Builder& b, const char* attribute, Var x) {
    if (!node.has(attribute) || b.failed())
        return x;
    const auto graph = node.graph(attribute);
    if (b.failed())
        return {};
    if (graph->inputs.size() != 1 || graph->outputs.size() != 1) {
        node.fail(fmt::format("'{}' has {} inputs and {} outputs; it takes one tensor and gives one", attribute,
                              graph->inputs.size(), graph->outputs.size()));
        return {};
    }
    const std::vector<Var> results = tensorsOf(node, node.walk.run(*graph, &node.scope, {tensorValue(x)}));
    if (b.failed())
        return {};
    if (b.dtype(results[0]) != b.dtype(x)) {
        node.fail(fmt::format("'{}' gives {} of {}", attribute, toString(b.dtype(results[0])), toString(b.dtype(x))));
        return {};
    }
    return withDims(b, results[0], b.shape(x));
}

/// One over the root of the heads' width.
Var usualScale(Builder& b, const Expr& width, DataType dtype) {
    const Var root = b.call(Op::Sqrt, {cast(b, b.scalarOf(width), dtype)});
    return b.call(Op::Reciprocal, {root});
}

} // namespace

void convertFlexAttention(NodeReader& node, Builder& b) {
    const Var query = node.in(0);
    Var key = node.in(1), value = node.in(2);
    if (b.failed())
        return;
    const Dims q = b.shape(query), k = b.shape(key), v = b.shape(value);
    if (q.size() != 4 || k.size() != 4 || v.size() != 4)
        return node.fail(
            fmt::format("queries {}, keys {} and values {} must have 4 dims each", text(q), text(k), text(v)));
    key = repeatedHeads(b, withDims(b, key, {q[0], k[1], k[2], q[3]}), query);
    value = repeatedHeads(b, withDims(b, value, {q[0], k[1], k[2], v[3]}), query);
    const DataType dtype = b.dtype(query), sums = computeType(b, query);
    const DataType work = elementType(node, "softmax_precision", sums);
    if (b.failed())
        return;
    const Var products = matmul(b, query, key, false, true, sums);
    const Var scale = node.has("scale") ? b.scalar(node.real("scale", 1), sums) : usualScale(b, q[3], sums);
    const Var scores = modified(node, b, "score_mod", cast(b, mul(b, products, scale), work));
    const Var weights = modified(node, b, "prob_mod", softmax(b, scores, 3));
    const Var y = matmul(b, weights, cast(b, value, work));
    node.set(0, b.failed() ? Var{} : cast(b, y, dtype));
}

} // namespace lathe::frontend::onnx
