// SPDX-License-Identifier: Apache-2.0
//
// Reductions and sums along an axis.
#include "frontend/common/axis_operands.h"
#include "frontend/common/reduced.h"
#include "frontend/common/segments.h"
#include "frontend/tensorflow/operands.h"
#include "frontend/tensorflow/ops.h"
#include "relay/attrs.h"

namespace lathe::frontend::tensorflow {

using namespace relay;

namespace {

void giveReduction(NodeReader& node, Builder& b, const std::string& kind) {
    node.set(0, reducedBy(node, b, kind, node.in(0)));
}

void giveArg(NodeReader& node, Builder& b, bool max) {
    const Var x = node.in(0), axis = node.hasInput(1) ? node.in(1) : b.scalarInt(0);
    const auto dtype = typeNamed(node, "output_type", types::Int64);
    if (dtype && node.needRank(x, 1))
        node.set(0, cast(b, placeOf(node, b, x, axis, max), *dtype));
}

void giveCumulated(NodeReader& node, Builder& b, bool isProduct) {
    const Var x = node.in(0), axis = node.in(1);
    if (!node.needRank(x, 1))
        return;
    CumAttrs attrs;
    attrs.exclusive = node.integer("exclusive", 0) != 0;
    attrs.reverse = node.integer("reverse", 0) != 0;
    attrs.product = isProduct;
    node.set(0, overAxis(node, x, axis, [&](Var v, int64_t at) {
                 attrs.axis = at;
                 return b.call(Op::CumSum, {v}, attrs);
             }));
}

} // namespace

void convertSum(NodeReader& node, Builder& b) {
    giveReduction(node, b, "sum");
}
void convertProd(NodeReader& node, Builder& b) {
    giveReduction(node, b, "prod");
}
void convertMax(NodeReader& node, Builder& b) {
    giveReduction(node, b, "max");
}
void convertMin(NodeReader& node, Builder& b) {
    giveReduction(node, b, "min");
}
void convertAll(NodeReader& node, Builder& b) {
    giveReduction(node, b, "and");
}
void convertAny(NodeReader& node, Builder& b) {
    giveReduction(node, b, "or");
}

/// That of integers is cut towards zero.
void convertMean(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    if (b.failed())
        return;
    if (b.dtype(x).isFloat())
        return giveReduction(node, b, "mean");
    const Var sum = reducedBy(node, b, "sum", x);
    if (b.failed())
        return;
    const Expr count = quotient(b.shape(x), b.shape(sum)).value;
    node.set(0, div(b, sum, cast(b, b.scalarOf(arith::simplify(count)), b.dtype(x))));
}

void convertEuclideanNorm(NodeReader& node, Builder& b) {
    node.set(
        0, inSingle(b, node.in(0), [&](Var x) { return b.call(Op::Sqrt, {reducedBy(node, b, "sum", mul(b, x, x))}); }));
}

void convertL2Loss(NodeReader& node, Builder& b) {
    node.set(0, inSingle(b, node.in(0), [&](Var x) {
                 return b.failed() ? Var{}
                                   : mulBy(b, reduce(b, "sum", mul(b, x, x), iotaInts(0, b.rank(x)), false), 0.5);
             }));
}

void convertArgMax(NodeReader& node, Builder& b) {
    giveArg(node, b, true);
}
void convertArgMin(NodeReader& node, Builder& b) {
    giveArg(node, b, false);
}
void convertCumsum(NodeReader& node, Builder& b) {
    giveCumulated(node, b, false);
}
void convertCumprod(NodeReader& node, Builder& b) {
    giveCumulated(node, b, true);
}

void convertSegmentSum(NodeReader& node, Builder& b) {
    node.set(0, sortedSegments(node, b, node.in(0), "add"));
}
/// Segments without rows are 0, not the sum of none divided by none.
void convertSegmentMean(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    const Var sums = sortedSegments(node, b, x, "add");
    const Var counts = b.failed() ? Var{} : sortedSegments(node, b, full(b, scalarLike(b, 1, x), b.shape(x)), "add");
    node.set(0, b.failed() ? Var{} : div(b, sums, maximum(b, counts, scalarLike(b, 1, counts))));
}
void convertUnsortedSegmentSum(NodeReader& node, Builder& b) {
    node.set(0, unsortedSegments(node, b, node.in(0), "add"));
}
void convertUnsortedSegmentProd(NodeReader& node, Builder& b) {
    node.set(0, unsortedSegments(node, b, node.in(0), "mul"));
}
void convertUnsortedSegmentMax(NodeReader& node, Builder& b) {
    node.set(0, unsortedSegments(node, b, node.in(0), "max"));
}
void convertUnsortedSegmentMin(NodeReader& node, Builder& b) {
    node.set(0, unsortedSegments(node, b, node.in(0), "min"));
}

namespace {

/// Sorted segments joined by max or min; those without rows are 0.
void giveSegmentExtreme(NodeReader& node, Builder& b, const std::string& kind) {
    const Var x = node.in(0);
    const Var joined = sortedSegments(node, b, x, kind);
    const Var counts = b.failed() ? Var{} : sortedSegments(node, b, full(b, scalarLike(b, 1, x), b.shape(x)), "add");
    if (!b.failed())
        node.set(0, where(b, equal(b, counts, scalarLike(b, 0, counts)), scalarLike(b, 0, joined), joined));
}

} // namespace

void convertSegmentMax(NodeReader& node, Builder& b) {
    giveSegmentExtreme(node, b, "max");
}
void convertSegmentMin(NodeReader& node, Builder& b) {
    giveSegmentExtreme(node, b, "min");
}
void convertSegmentProd(NodeReader& node, Builder& b) {
    node.set(0, sortedSegments(node, b, node.in(0), "mul"));
}

} // namespace lathe::frontend::tensorflow
