// SPDX-License-Identifier: Apache-2.0
//
// Operators that pick and place elements by index, and those whose result's size depends on data.
#include "frontend/common/gather_batches.h"
#include "frontend/common/one_hot.h"
#include "frontend/common/scatter.h"
#include "frontend/tflite/integers.h"
#include "frontend/tflite/operands.h"
#include "frontend/tflite/ops.h"
#include "relay/attrs.h"

#include <fmt/format.h>

namespace lathe::frontend::tflite {

void convertGather(NodeReader& node, Builder& b) {
    Movement m(node, {0});
    const Var x = m.in(0), indices = node.in(1);
    if (!node.needRank(x, 1))
        return;
    m.give(0, gatherAlong(node, b, x, indices, node.integer("axis", 0)));
}

void convertGatherNd(NodeReader& node, Builder& b) {
    Movement m(node, {0});
    const Var x = m.in(0);
    m.give(0, b.call(Op::GatherNd, {x, node.in(1)}, relay::GatherNdAttrs{}));
}

void convertEmbeddingLookup(NodeReader& node, Builder& b) {
    Movement m(node, {1});
    const Var table = m.in(1), rows = node.in(0);
    if (node.needRank(table, 1))
        m.give(0, gather(b, table, rows, 0));
}

void convertScatterNd(NodeReader& node, Builder& b) {
    const Var indices = node.in(0), updates = realOf(node, 1);
    const Dims shape = integersOf(node, 2, "dim");
    if (!areSizes(node, shape, "shape") || !mayFill(node.b, shape))
        return;
    const Var zeros = full(b, scalarLike(b, 0, updates), shape);
    give(node, 0, scatter(b, Op::ScatterNd, zeros, indices, updates, "add"));
}

void convertSparseToDense(NodeReader& node, Builder& b) {
    Movement m(node, {2, 3});
    Var indices = node.in(0), values = m.in(2);
    const Var otherwise = asScalar(b, m.in(3));
    const Dims shape = integersOf(node, 1, "dim");
    if (!areSizes(node, shape, "shape") || !mayFill(node.b, shape))
        return;
    // Rows of places: a vector holds those of a tensor of rank 1, a scalar one such place.
    if (b.rank(indices) > 2)
        return node.fail(fmt::format("the indices have rank {}", b.rank(indices)));
    if (b.rank(indices) == 0)
        indices = reshape(b, indices, {1, 1});
    else if (b.rank(indices) == 1)
        indices = unsqueeze(b, indices, {1});
    values = expand(b, values, {dim(b, indices, 0)});
    m.give(0, scatter(b, Op::ScatterNd, full(b, otherwise, shape), indices, values, "none"));
}

void convertOneHot(NodeReader& node, Builder& b) {
    Movement m(node, {2, 3});
    const Var indices = cast(b, node.in(0), types::Int64);
    const Expr depth = integerOf(node, 1, "depth");
    const Var on = asScalar(b, m.in(2)), off = asScalar(b, m.in(3));
    if (!areSizes(node, {depth}, "depth"))
        return;
    const int64_t axis = node.axis(node.integer("axis", -1), b.rank(indices) + 1);
    Dims shape = b.shape(indices);
    shape.push_back(depth);
    if (mayFill(node.b, shape))
        m.give(0, where(b, oneHot(b, indices, depth, axis), on, off));
}

void convertTopkV2(NodeReader& node, Builder& b) {
    Movement m(node, {0});
    const Var x = m.in(0);
    relay::TopKAttrs attrs;
    attrs.k = integerOf(node, 1, "k");
    if (!node.needRank(x, 1) || !areSizes(node, {attrs.k}, "k"))
        return;
    attrs.axis = b.rank(x) - 1;
    const Var both = b.call(Op::TopK, {x}, attrs);
    m.give(0, b.project(both, 0));
    giveIntegers(node, 1, b.project(both, 1));
}

void convertWhere(NodeReader& node, Builder& b) {
    node.set(0, transpose(b, b.call(Op::NonZero, {realOf(node, 0)}), {1, 0}));
}

void convertUnique(NodeReader& node, Builder& b) {
    Movement m(node, {0});
    const Var x = m.in(0);
    relay::UniqueAttrs attrs;
    attrs.axis = -1;
    attrs.sorted = false;
    const Var all = b.call(Op::Unique, {x}, attrs);
    m.give(0, b.project(all, 0));
    node.set(1, cast(b, b.project(all, 2), integerType(node, "idx_out_type")));
}

void convertBucketize(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    const std::vector<double> boundaries = node.reals("boundaries");
    if (b.failed())
        return;
    if (boundaries.empty())
        return node.set(0, full(b, b.scalarInt(0, types::Int32), b.shape(x)));
    // Boundaries are float32, and compared as C++ compares them with x.
    const DataType work = b.dtype(x) == types::Float64 ? types::Float64 : types::Float32;
    auto tensor = std::make_shared<model::TensorData>();
    const auto values = std::make_shared<std::vector<float>>(boundaries.begin(), boundaries.end());
    tensor->dtype = types::Float32;
    tensor->shape = {static_cast<int64_t>(values->size())};
    tensor->bytes = {values, std::as_bytes(std::span(*values))};
    const int64_t rank = b.rank(x);
    const Var edges = cast(b, b.constant(relay::makeConstant(tensor)), work);
    const Var passed = b.call(Op::GreaterEqual, {unsqueeze(b, cast(b, x, work), {rank}), edges});
    node.set(0, reduce(b, "sum", cast(b, passed, types::Int32), {rank}, false));
}

} // namespace lathe::frontend::tflite
