// SPDX-License-Identifier: Apache-2.0
//
// Reductions. Axes are an attribute in old versions, an operand in new ones; they may be known only while running.
#include "frontend/common/axis_operands.h"
#include "frontend/common/reductions.h"
#include "frontend/onnx/ops.h"

namespace lathe::frontend::onnx {

using namespace relay;

namespace {

using Reducer = std::function<Var(Var x, const Ints& axes, bool keepDims)>;

void reduction(NodeReader& node, Builder& b, const Reducer& fn) {
    const Var x = node.in(0);
    const Ints given = node.integers("axes");
    const Var axes = given.empty() ? node.optional(1) : b.fromExprs(toDims(given));
    const AxesToReduce how{.keepDims = node.integer("keepdims", 1) != 0,
                           .emptyIsAll = node.integer("noop_with_empty_axes", 0) == 0,
                           .mayRepeat = false};
    node.set(0, overAxes(node, x, axes, how, fn));
}

Var plain(Builder& b, const std::string& kind, Var x, const Ints& axes, bool keep) {
    return axes.empty() ? x : reduce(b, kind, x, axes, keep);
}

bool isBool(Builder& b, Var x) {
    return !b.failed() && b.dtype(x).isBool();
}

void argReduce(NodeReader& node, Builder& b, bool max) {
    const Var x = node.in(0);
    if (!node.needRank(x, 1))
        return;
    ArgReduceAttrs attrs;
    attrs.max = max;
    attrs.axis = node.axis(node.integer("axis", 0), b.rank(x));
    attrs.keepDims = node.integer("keepdims", 1) != 0;
    attrs.selectLast = node.integer("select_last_index", 0) != 0;
    node.set(0, b.call(Op::ArgReduce, {x}, attrs));
}

void cumulative(NodeReader& node, Builder& b, bool product) {
    const Var x = node.in(0), axis = node.in(1);
    if (!node.needRank(x, 1))
        return;
    node.set(0, overAxis(node, x, axis, [&](Var v, int64_t at) {
                 CumAttrs attrs;
                 attrs.axis = at;
                 attrs.exclusive = node.integer("exclusive", 0) != 0;
                 attrs.reverse = node.integer("reverse", 0) != 0;
                 attrs.product = product;
                 return b.call(Op::CumSum, {v}, attrs);
             }));
}

} // namespace

void convertReduceSum(NodeReader& node, Builder& b) {
    reduction(node, b, [&](Var x, const Ints& axes, bool keep) { return plain(b, "sum", x, axes, keep); });
}
void convertReduceMean(NodeReader& node, Builder& b) {
    reduction(node, b, [&](Var x, const Ints& axes, bool keep) { return plain(b, "mean", x, axes, keep); });
}
void convertReduceProd(NodeReader& node, Builder& b) {
    reduction(node, b, [&](Var x, const Ints& axes, bool keep) { return plain(b, "prod", x, axes, keep); });
}
void convertReduceMax(NodeReader& node, Builder& b) {
    reduction(node, b,
              [&](Var x, const Ints& axes, bool keep) { return plain(b, isBool(b, x) ? "or" : "max", x, axes, keep); });
}
void convertReduceMin(NodeReader& node, Builder& b) {
    reduction(node, b, [&](Var x, const Ints& axes, bool keep) {
        return plain(b, isBool(b, x) ? "and" : "min", x, axes, keep);
    });
}
void convertReduceL1(NodeReader& node, Builder& b) {
    reduction(node, b,
              [&](Var x, const Ints& axes, bool keep) { return plain(b, "sum", b.call(Op::Abs, {x}), axes, keep); });
}
void convertReduceL2(NodeReader& node, Builder& b) {
    reduction(node, b, [&](Var x, const Ints& axes, bool keep) {
        const DataType dtype = b.failed() ? types::Float32 : b.dtype(x);
        const Var real = dtype.isFloat() ? x : cast(b, x, types::Float64); // integers have no root
        const auto norm = [&](Var v) { return b.call(Op::Sqrt, {plain(b, "sum", mul(b, v, v), axes, keep)}); };
        return cast(b, inSingle(b, real, norm), dtype);
    });
}
void convertReduceSumSquare(NodeReader& node, Builder& b) {
    reduction(node, b, [&](Var x, const Ints& axes, bool keep) {
        return inSingle(b, x, [&](Var v) { return plain(b, "sum", mul(b, v, v), axes, keep); });
    });
}
void convertReduceLogSum(NodeReader& node, Builder& b) {
    reduction(node, b, [&](Var x, const Ints& axes, bool keep) {
        return inSingle(b, x, [&](Var v) { return b.call(Op::Log, {plain(b, "sum", v, axes, keep)}); });
    });
}
void convertReduceLogSumExp(NodeReader& node, Builder& b) {
    reduction(node, b, [&](Var operand, const Ints& axes, bool keep) {
        return inSingle(b, operand, [&](Var x) { return logSumExp(b, x, axes, keep); });
    });
}

void convertArgMax(NodeReader& node, Builder& b) {
    argReduce(node, b, true);
}
void convertArgMin(NodeReader& node, Builder& b) {
    argReduce(node, b, false);
}
void convertCumSum(NodeReader& node, Builder& b) {
    cumulative(node, b, false);
}
void convertCumProd(NodeReader& node, Builder& b) {
    cumulative(node, b, true);
}

} // namespace lathe::frontend::onnx
