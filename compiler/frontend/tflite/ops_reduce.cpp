// SPDX-License-Identifier: Apache-2.0
//
// Reductions and sums along an axis. Axes are operands; they may be known only while running.
#include "frontend/common/axis_operands.h"
#include "frontend/common/reduced.h"
#include "frontend/tflite/elementwise.h"
#include "frontend/tflite/ops.h"
#include "relay/attrs.h"

namespace lathe::frontend::tflite {

using namespace relay;

namespace {

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
    node.set(0, cast(b, placeOf(node, b, operand, axis, max), *dtype));
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
    give(node, 0, overAxis(node, x, axis, [&](Var v, int64_t at) {
             attrs.axis = at;
             return b.call(Op::CumSum, {v}, attrs);
         }));
}

} // namespace lathe::frontend::tflite
