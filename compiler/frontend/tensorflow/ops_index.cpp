// SPDX-License-Identifier: Apache-2.0
//
// Operators that pick and place elements by index, and those whose result's size depends on data.
#include "frontend/common/buckets.h"
#include "frontend/common/gather_batches.h"
#include "frontend/common/look_up.h"
#include "frontend/common/one_hot.h"
#include "frontend/common/scatter.h"
#include "frontend/tensorflow/operands.h"
#include "frontend/tensorflow/ops.h"
#include "relay/attrs.h"

#include <fmt/format.h>

namespace lathe::frontend::tensorflow {

void convertGatherV2(NodeReader& node, Builder& b) {
    const Var x = node.in(0), indices = node.in(1);
    const auto axis = node.hasInput(2) ? knownInteger(node, 2, "axis") : std::optional<int64_t>(0);
    if (axis && node.needRank(x, 1))
        node.set(0, gatherAlong(node, b, x, indices, *axis));
}

void convertGatherNd(NodeReader& node, Builder& b) {
    node.set(0, b.call(Op::GatherNd, {node.in(0), node.in(1)}, relay::GatherNdAttrs{}));
}

void convertScatterNd(NodeReader& node, Builder&) {
    node.set(0, scatteredIntoZeros(node, 2, node.in(0), node.in(1)));
}

namespace {

void giveScattered(NodeReader& node, Builder& b, const std::string& reduction) {
    node.set(0, scatter(b, Op::ScatterNd, node.in(0), node.in(1), node.in(2), reduction));
}

} // namespace

void convertTensorScatterUpdate(NodeReader& node, Builder& b) {
    giveScattered(node, b, "none");
}
void convertTensorScatterAdd(NodeReader& node, Builder& b) {
    giveScattered(node, b, "add");
}
void convertTensorScatterMax(NodeReader& node, Builder& b) {
    giveScattered(node, b, "max");
}
void convertTensorScatterMin(NodeReader& node, Builder& b) {
    giveScattered(node, b, "min");
}
void convertTensorScatterSub(NodeReader& node, Builder& b) {
    node.set(0, scatter(b, Op::ScatterNd, node.in(0), node.in(1), b.call(Op::Negative, {node.in(2)}), "add"));
}

void convertSparseToDense(NodeReader& node, Builder& b) {
    node.set(0, densified(node, 1, node.in(0), node.in(2), asScalar(b, node.in(3))));
}

void convertLookupTableFind(NodeReader& node, Builder& b) {
    node.set(0, lookUp(b, node.in(0), node.in(2), node.in(3), asScalar(b, node.in(1))));
}

void convertBucketize(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    const std::vector<double> boundaries = node.has("boundaries") ? node.reals("boundaries") : std::vector<double>();
    node.set(0, bucketsOf(b, x, boundaries));
}

namespace {

void givePlaces(NodeReader& node, Builder& b, bool countsEqual) {
    const Var sorted = node.in(0), x = node.in(1);
    const auto dtype = typeNamed(node, "out_type", types::Int32);
    if (!dtype || !node.needRank(sorted, 2) || !node.needRank(x, 2))
        return;
    node.set(0, cast(b, placesAmong(b, sorted, x, countsEqual), *dtype));
}

} // namespace

void convertLowerBound(NodeReader& node, Builder& b) {
    givePlaces(node, b, false);
}
void convertUpperBound(NodeReader& node, Builder& b) {
    givePlaces(node, b, true);
}

void convertOneHot(NodeReader& node, Builder& b) {
    if (const Var hot = oneHotOf(node))
        node.set(0, where(b, hot, asScalar(b, node.in(2)), asScalar(b, node.in(3))));
}

void convertTopKV2(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    const auto dtype = typeNamed(node, "index_type", types::Int32);
    relay::TopKAttrs attrs;
    attrs.k = node.hasInput(1) ? integerOf(node, 1, "k") : Expr(node.integer("k", 0));
    if (!dtype || !node.needRank(x, 1) || !areSizes(node, {attrs.k}, "k"))
        return;
    attrs.axis = b.rank(x) - 1;
    const Var both = b.call(Op::TopK, {x}, attrs);
    node.set(0, b.project(both, 0));
    node.set(1, cast(b, b.project(both, 1), *dtype));
}

void convertWhere(NodeReader& node, Builder& b) {
    node.set(0, transpose(b, b.call(Op::NonZero, {node.in(0)}), {1, 0}));
}

void convertUnique(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    const auto dtype = typeNamed(node, "out_idx", types::Int32);
    if (!dtype || b.failed())
        return;
    if (b.rank(x) != 1)
        return node.refuse("only vectors are made unique");
    relay::UniqueAttrs attrs;
    attrs.axis = -1;
    attrs.sorted = false;
    const Var all = b.call(Op::Unique, {x}, attrs);
    node.set(0, b.project(all, 0));
    node.set(1, cast(b, b.project(all, 2), *dtype));
    node.set(2, cast(b, b.project(all, 3), *dtype));
}

void convertInvertPermutation(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    if (!node.needRank(x, 1))
        return;
    const Var places = iota(b, b.shape(x), 0, types::Int64);
    const Var zeros = full(b, b.scalarInt(0), b.shape(x));
    const Var inverse = scatter(b, Op::ScatterNd, zeros, unsqueeze(b, cast(b, x, types::Int64), {1}), places, "none");
    node.set(0, cast(b, inverse, b.dtype(x)));
}

/// Elements of x that y has none of, and where they stood.
void convertListDiff(NodeReader& node, Builder& b) {
    const Var x = node.in(0), y = node.in(1);
    const auto dtype = typeNamed(node, "out_idx", types::Int32);
    if (!dtype || !node.needRank(x, 1) || !node.needRank(y, 1))
        return;
    const Var found = reduce(b, "or", equal(b, unsqueeze(b, x, {1}), unsqueeze(b, y, {0})), {1}, false);
    const Var kept = b.call(Op::LogicalNot, {found});
    relay::AxisAttrs attrs;
    attrs.axis = 0;
    node.set(0, b.call(Op::Compress, {x, kept}, attrs));
    node.set(1, b.call(Op::Compress, {cast(b, iota(b, b.shape(x), 0, types::Int64), *dtype), kept}, attrs));
}

/// Whether fewer than k scores are greater than that of the class that is meant.
void convertInTopK(NodeReader& node, Builder& b) {
    const Var scores = node.in(0), targets = cast(b, node.in(1), types::Int64);
    const Var k = node.hasInput(2) ? cast(b, asScalar(b, node.in(2)), types::Int64) : b.scalarInt(node.integer("k", 1));
    if (!node.needRank(scores, 2) || !node.needRank(targets, 1))
        return;
    relay::AxisAttrs attrs;
    attrs.axis = 1;
    const Var own = b.call(Op::GatherElements, {scores, unsqueeze(b, targets, {1})}, attrs);
    const Var above = reduce(b, "sum", cast(b, b.call(Op::Greater, {scores, own}), types::Int64), {1}, false);
    node.set(0, less(b, above, k));
}

/// Rows by the number of the part that each belongs to.
void convertDynamicPartition(NodeReader& node, Builder& b) {
    const Var x = node.in(0), parts = node.in(1);
    if (b.failed())
        return;
    if (b.rank(parts) != 1)
        return node.refuse("only rows are divided into parts");
    relay::AxisAttrs attrs;
    attrs.axis = 0;
    for (size_t i = 0; i < node.outputs(); ++i)
        if (node.wants(i))
            node.set(i,
                     b.call(Op::Compress, {x, equal(b, parts, scalarLike(b, static_cast<double>(i), parts))}, attrs));
}

/// Rows of several tensors at places; of several at one place the last.
void convertDynamicStitch(NodeReader& node, Builder& b) {
    const size_t count = node.inputs() / 2;
    if (count == 0)
        return node.fail("the node has no operands");
    std::vector<Var> places, rows;
    for (size_t i = 0; i < count; ++i) {
        const Var indices = node.in(i), data = node.in(count + i);
        if (b.failed())
            return;
        const Dims shape = b.shape(data);
        const auto split = static_cast<size_t>(b.rank(indices));
        if (split > shape.size())
            return node.fail("the places are of more dims than the rows");
        const Expr size = product(b.shape(indices));
        Dims flat(shape.begin() + static_cast<std::ptrdiff_t>(split), shape.end());
        flat.insert(flat.begin(), size);
        places.push_back(reshape(b, cast(b, indices, types::Int64), {size}));
        rows.push_back(reshape(b, data, flat));
    }
    const Var at = count == 1 ? places[0] : concat(b, places, 0), all = count == 1 ? rows[0] : concat(b, rows, 0);
    const Dims most = b.symbolic(reduce(b, "max", at, {0}, true), "place");
    if (b.failed() || !areSizes(node, most, "places"))
        return;
    Dims shape = b.shape(all);
    shape[0] = arith::simplify(most[0] + 1);
    if (mayFill(node.b, shape))
        node.set(0,
                 scatter(b, Op::ScatterNd, full(b, scalarLike(b, 0, all), shape), unsqueeze(b, at, {1}), all, "none"));
}

/// How often each number below a size occurs, or the sum of the weights where it does: of a vector, or of each row.
void convertDenseBincount(NodeReader& node, Builder& b) {
    const Var x = cast(b, node.in(0), types::Int64), weights = node.in(2);
    const Expr size = integerOf(node, 1, "size");
    if (!node.needRank(x, 1) || !areSizes(node, {size}, "size"))
        return;
    Dims shape = b.shape(x);
    const int64_t last = b.rank(x);
    shape.push_back(size);
    if (!mayFill(node.b, shape))
        return;
    const Var found = oneHot(b, x, size, last);
    const DataType dtype = b.failed() ? types::Float32 : b.dtype(weights);
    if (node.integer("binary_output", 0) != 0)
        return node.set(0, cast(b, reduce(b, "or", found, {last - 1}, false), dtype));
    const bool isWeighted = !b.failed() && !arith::isConst(arith::simplify(product(b.shape(weights))), 0);
    const Var ones = cast(b, found, dtype);
    node.set(0, reduce(b, "sum", isWeighted ? mul(b, ones, unsqueeze(b, weights, {last})) : ones, {last - 1}, false));
}

} // namespace lathe::frontend::tensorflow
