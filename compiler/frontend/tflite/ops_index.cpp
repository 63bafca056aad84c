// SPDX-License-Identifier: Apache-2.0
//
// Operators that pick and place elements by index, and those whose result's size depends on data.
#include "frontend/common/buckets.h"
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

void convertScatterNd(NodeReader& node, Builder&) {
    give(node, 0, scatteredIntoZeros(node, 2, node.in(0), realOf(node, 1)));
}

void convertSparseToDense(NodeReader& node, Builder& b) {
    Movement m(node, {2, 3});
    m.give(0, densified(node, 1, node.in(0), m.in(2), asScalar(b, m.in(3))));
}

void convertOneHot(NodeReader& node, Builder& b) {
    Movement m(node, {2, 3});
    if (const Var hot = oneHotOf(node))
        m.give(0, where(b, hot, asScalar(b, m.in(2)), asScalar(b, m.in(3))));
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
    node.set(0, bucketsOf(b, x, boundaries));
}

} // namespace lathe::frontend::tflite
