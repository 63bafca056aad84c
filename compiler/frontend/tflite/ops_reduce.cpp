// SPDX-License-Identifier: Apache-2.0
//
// Reductions and sums along an axis. Axes are operands; they may be known only while running.
#include "frontend/tflite/elementwise.h"
#include "frontend/tflite/ops.h"
#include "relay/attrs.h"

#include <algorithm>

namespace lathe::frontend::tflite {

using namespace relay;

namespace {

/// x reduced over the axes that operand 1 names, some maybe twice; x itself if it names none.
Var reducedBy(NodeReader& node, Builder& b, const std::string& kind, Var x) {
    const Var operand = node.in(1);
    if (b.failed() || b.rank(x) == 0)
        return x;
    const int64_t rank = b.rank(x);
    const bool keep = node.integer("keep_dims", 0) != 0;
    const auto known = b.knownInts(operand);
    if (!known && (b.rank(operand) == 0 || arith::isConst(dim(b, operand, 0), 1)))
        return overAxis(node, b, operand, rank, [&](int64_t axis) { return reduce(b, kind, x, {axis}, keep); });
    if (!known) {
        node.refuse("the axes are computed while the model runs", "make them a constant when exporting the model");
        return {};
    }
    Ints axes = *known;
    for (int64_t& axis : axes)
        axis = node.axis(axis, rank);
    std::ranges::sort(axes);
    const auto twice = std::ranges::unique(axes);
    axes.erase(twice.begin(), twice.end());
    return axes.empty() ? x : reduce(b, kind, x, axes, keep);
}

void giveReduced(NodeReader& node, Builder& b, const std::string& kind) {
    give(node, 0, reducedBy(node, b, kind, realOf(node, 0)));
}

/// Gives the greatest or the least element, which is one of the operand's.
void giveReducedExtreme(NodeReader& node, Builder& b, const std::string& kind, const std::string& ofBools) {
    Movement moved(node, {0});
    const Var x = moved.in(0);
    const bool isBool = !b.failed() && b.dtype(x).isBool();
    moved.give(0, reducedBy(node, b, isBool ? ofBools : kind, x));
}

/// Gives where the greatest or least element is, of several the first.
void givePlace(NodeReader& node, Builder& b, bool max) {
    const Var operand = realOf(node, 0), axis = node.in(1);
    if (!node.needRank(operand, 1))
        return;
    const std::optional<DataType> dtype = resultType(node);
    if (!dtype)
        return;
    if (!dtype->isInt())
        return node.fail("the result is declared as " + toString(*dtype) + ", but places are integers");
    const Var x = b.dtype(operand).isBool() ? cast(b, operand, types::UInt8) : operand;
    const Var place = overAxis(node, b, axis, b.rank(x), [&](int64_t at) {
        ArgReduceAttrs attrs;
        attrs.max = max;
        attrs.axis = at;
        return b.call(Op::ArgReduce, {x}, attrs);
    });
    node.set(0, cast(b, place, *dtype));
}

} // namespace

void convertMean(NodeReader& node, Builder& b) {
    giveReduced(node, b, "mean");
}
void convertSum(NodeReader& node, Builder& b) {
    giveReduced(node, b, "sum");
}
void convertReduceProd(NodeReader& node, Builder& b) {
    giveReduced(node, b, "prod");
}
void convertReduceMax(NodeReader& node, Builder& b) {
    giveReducedExtreme(node, b, "max", "or");
}
void convertReduceMin(NodeReader& node, Builder& b) {
    giveReducedExtreme(node, b, "min", "and");
}
void convertReduceAny(NodeReader& node, Builder& b) {
    giveReduced(node, b, "or");
}
void convertReduceAll(NodeReader& node, Builder& b) {
    giveReduced(node, b, "and");
}

void convertArgMax(NodeReader& node, Builder& b) {
    givePlace(node, b, true);
}
void convertArgMin(NodeReader& node, Builder& b) {
    givePlace(node, b, false);
}

void convertCumsum(NodeReader& node, Builder& b) {
    const Var x = realOf(node, 0), axis = node.in(1);
    if (!node.needRank(x, 1))
        return;
    CumAttrs attrs;
    attrs.exclusive = node.integer("exclusive", 0) != 0;
    attrs.reverse = node.integer("reverse", 0) != 0;
    give(node, 0, overAxis(node, b, axis, b.rank(x), [&](int64_t at) {
             attrs.axis = at;
             return b.call(Op::CumSum, {x}, attrs);
         }));
}

} // namespace lathe::frontend::tflite
