// SPDX-License-Identifier: Apache-2.0
//
// Operators that pick and place elements by index, and those whose result's size depends on data.
#include "frontend/common/scatter.h"
#include "frontend/onnx/ops.h"

#include <fmt/format.h>

namespace lathe::frontend::onnx {

using namespace relay;

namespace {

Var scatterOf(NodeReader& node, Builder& b, Op op, int64_t axis) {
    const Var x = node.in(0), indices = node.in(1), updates = node.in(2);
    return scatter(b, op, x, indices, updates, node.text("reduction", "none"), axis);
}

} // namespace

void convertGather(NodeReader& node, Builder& b) {
    const Var x = node.in(0), indices = node.in(1);
    if (!node.needRank(x, 1))
        return;
    node.set(0, gather(b, x, indices, node.axis(node.integer("axis", 0), b.rank(x))));
}

void convertGatherElements(NodeReader& node, Builder& b) {
    const Var x = node.in(0), indices = node.in(1);
    if (!node.needRank(x, 1))
        return;
    AxisAttrs attrs;
    attrs.axis = node.axis(node.integer("axis", 0), b.rank(x));
    node.set(0, b.call(Op::GatherElements, {x, indices}, attrs));
}

void convertGatherND(NodeReader& node, Builder& b) {
    const Var x = node.in(0), indices = node.in(1);
    GatherNdAttrs attrs;
    attrs.batchDims = node.integer("batch_dims", 0);
    node.set(0, b.call(Op::GatherNd, {x, indices}, attrs));
}

void convertScatterElements(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    if (!node.needRank(x, 1))
        return;
    node.set(0, scatterOf(node, b, Op::ScatterElements, node.axis(node.integer("axis", 0), b.rank(x))));
}

void convertScatterND(NodeReader& node, Builder& b) {
    node.set(0, scatterOf(node, b, Op::ScatterNd, 0));
}

void convertTensorScatter(NodeReader& node, Builder& b) {
    const Var past = node.in(0), update = node.in(1), starts = node.optional(2);
    if (!node.needRank(past, 2) || !node.needRank(update, 2))
        return;
    const int64_t rank = b.rank(past);
    const int64_t axis = node.axis(node.integer("axis", -2), rank);
    const Dims shape = b.shape(update);
    if (static_cast<int64_t>(shape.size()) != rank)
        return node.fail("cache and update differ in rank");
    Var place = iota(b, shape, axis, types::Int64);
    if (starts)
        place = add(b, place, alongAxis(b, cast(b, starts, types::Int64), 0, rank));
    if (node.text("mode", "linear") == "circular")
        place = b.call(Op::Mod, {place, b.scalarOf(dim(b, past, axis))}, ModAttrs{});
    ScatterAttrs attrs;
    attrs.axis = axis;
    node.set(0, b.call(Op::ScatterElements, {past, place, update}, attrs));
}

void convertNonZero(NodeReader& node, Builder& b) {
    node.set(0, b.call(Op::NonZero, {node.in(0)}));
}

void convertCompress(NodeReader& node, Builder& b) {
    const Var x = node.in(0), condition = node.in(1);
    if (b.failed())
        return;
    AxisAttrs attrs;
    attrs.axis = node.has("axis") ? node.axis(node.integer("axis", 0), b.rank(x)) : -1;
    node.set(0, b.call(Op::Compress, {x, condition}, attrs));
}

void convertUnique(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    if (b.failed())
        return;
    UniqueAttrs attrs;
    attrs.axis = node.has("axis") ? node.axis(node.integer("axis", 0), b.rank(x)) : -1;
    attrs.sorted = node.integer("sorted", 1) != 0;
    const Var all = b.call(Op::Unique, {x}, attrs);
    for (size_t i = 0; i < node.outputs() && i < 4; ++i)
        if (node.wants(i))
            node.set(i, b.project(all, static_cast<int>(i)));
}

void convertTopK(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    if (!node.needRank(x, 1))
        return;
    TopKAttrs attrs;
    if (node.version() < 10) {
        attrs.k = node.integer("k", 1);
    } else {
        const Dims k = b.symbolic(node.in(1), "k");
        if (!b.failed() && k.size() != 1)
            return node.fail("k must have one element");
        attrs.k = b.failed() ? Expr(1) : k[0];
    }
    if (const auto k = arith::asInt(attrs.k); k && *k < 0)
        return node.fail(fmt::format("k is {}", *k));
    attrs.axis = node.axis(node.integer("axis", -1), b.rank(x));
    attrs.largest = node.integer("largest", 1) != 0;
    attrs.sorted = node.integer("sorted", 1) != 0;
    const Var both = b.call(Op::TopK, {x}, attrs);
    node.set(0, b.project(both, 0));
    node.set(1, b.project(both, 1));
}

void convertNonMaxSuppression(NodeReader& node, Builder& b) {
    const Var boxes = node.in(0), scores = node.in(1);
    const auto operand = [&](size_t i, Var otherwise) {
        return node.hasInput(i) ? asScalar(b, node.in(i)) : otherwise;
    };
    NmsAttrs attrs;
    attrs.centerBox = node.integer("center_point_box", 0) != 0;
    const Var most = operand(2, b.scalarInt(0)), overlap = operand(3, b.scalar(0, types::Float32));
    const Var least = operand(4, b.scalar(-std::numeric_limits<double>::infinity(), types::Float32));
    node.set(0, b.call(Op::NonMaxSuppression, {boxes, scores, most, overlap, least}, attrs));
}

void convertArrayFeatureExtractor(NodeReader& node, Builder& b) {
    const Var x = node.in(0), indices = node.in(1);
    if (!node.needRank(x, 1) || b.failed())
        return;
    const Var flat = reshape(b, indices, {product(b.shape(indices))});
    const Var picked = gather(b, x, flat, b.rank(x) - 1);
    node.set(0, b.rank(x) == 1 ? unsqueeze(b, picked, {0}) : picked);
}

void convertBinarizer(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    const Var above = b.call(Op::Greater, {x, scalarLike(b, node.real("threshold", 0), x)});
    node.set(0, b.failed() ? Var{} : cast(b, above, b.dtype(x)));
}

} // namespace lathe::frontend::onnx
