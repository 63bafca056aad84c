// SPDX-License-Identifier: Apache-2.0
//
// Most operators have one order for operands and result; what names axes or has a value for each goes with it.
#include "relay/operator_orders.h"

#include "arith/analysis.h"
#include "relay/attrs.h"
#include "relay/ir.h"

#include <algorithm>

namespace lathe::relay::orders {
namespace {

using Answer = std::optional<OrderedCall>;

const std::vector<Expr>& dimsOf(const Type& type) {
    return asTensor(type)->shape;
}

bool areOnes(const std::vector<Expr>& dims) {
    return std::ranges::all_of(dims, [](const Expr& dim) { return arith::isConst(dim, 1); });
}

/// The call as it is: each operand in the model's order.
OrderedCall unchanged(const TypedCall& call) {
    OrderedCall same{call.call.attrs, {}, modelOrder(dimsOf(call.result).size())};
    for (const Type& arg : call.args)
        same.operands.push_back(arg ? OrderedOperand{modelOrder(dimsOf(arg).size())} : OrderedOperand{});
    return same;
}

/// The order of `rank` dims whose last ones have this one.
Axes lifted(const Axes& axes, size_t rank) {
    const size_t more = rank - axes.size();
    Axes result = identityAxes(more);
    for (int64_t axis : axes)
        result.push_back(axis + static_cast<int64_t>(more));
    return result;
}

/// An operand that broadcasts into dims of this order.
OrderedOperand broadcast(const std::vector<Expr>& dims, const Axes& axes) {
    const auto missing = static_cast<int64_t>(axes.size() - dims.size());
    if (areOnes(dims))
        return {modelOrder(dims.size())};
    OrderedOperand operand;
    std::vector<Expr> shape;
    bool isSpread = false;
    for (int64_t axis : axes) {
        const bool isOwn = axis >= missing;
        if (isOwn)
            operand.order.axes.push_back(axis - missing);
        else
            isSpread |= !operand.order.axes.empty();
        if (isOwn || !operand.order.axes.empty())
            shape.push_back(isOwn ? dims[static_cast<size_t>(axis - missing)] : Expr(1));
    }
    if (isSpread)
        operand.shape = std::move(shape);
    return operand;
}

/// Elements in another order within dims: of operands of the result's shape, beside single numbers.
Answer elementsInParts(const TypedCall& call, const AxisOrder& order) {
    OrderedCall other = unchanged(call);
    for (size_t arg = 0; arg < call.args.size(); ++arg) {
        if (!call.args[arg] || areOnes(dimsOf(call.args[arg])))
            continue;
        if (!std::ranges::equal(dimsOf(call.args[arg]), dimsOf(call.result),
                                [](const Expr& a, const Expr& b) { return arith::provablyEqual(a, b); }))
            return std::nullopt;
        other.operands[arg].order = order;
    }
    other.result = order;
    return other;
}

/// The first operand (with `all` each) and the result have the order; `rewrite` says what becomes of the attributes.
template <class A>
Answer aligned(const TypedCall& call, int at, const AxisOrder& order, auto rewrite, bool all = false) {
    if (!order.parts.empty() || (at > 0 && !all))
        return std::nullopt;
    OrderedCall other = unchanged(call);
    for (size_t arg = 0; arg < (all ? call.args.size() : 1); ++arg)
        other.operands[arg].order = order;
    other.result = order;
    A changed = attrs<A>(call.call.attrs);
    rewrite(changed, order.axes);
    other.attrs = std::make_shared<A>(std::move(changed));
    return other;
}

template <class A>
Answer alongAxis(const TypedCall& call, int at, const AxisOrder& order) {
    return aligned<A>(call, at, order, [](A& a, const Axes& axes) { a.axis = placeOf(a.axis, axes); });
}

/// Which order the operand of a reduction has, where the result has this one: what is reduced keeps its place.
Axes beforeReduction(const std::vector<bool>& kept, const Axes& axes) {
    Axes dims;
    for (size_t i = 0; i < kept.size(); ++i)
        if (kept[i])
            dims.push_back(static_cast<int64_t>(i));
    Axes result;
    size_t next = 0;
    for (size_t i = 0; i < kept.size(); ++i)
        result.push_back(kept[i] ? dims[static_cast<size_t>(axes[next++])] : static_cast<int64_t>(i));
    return result;
}

template <class A>
Answer reduction(const TypedCall& call, int at, const AxisOrder& order, const Axes& reduced, auto rewrite) {
    const bool keepsDims = attrs<A>(call.call.attrs).keepDims;
    std::vector<bool> kept(dimsOf(call.args[0]).size(), true);
    for (int64_t axis : reduced)
        kept[static_cast<size_t>(axis)] = false;
    if (!order.parts.empty())
        return std::nullopt;
    const AxisOrder operand{at == resultOrder && !keepsDims ? beforeReduction(kept, order.axes) : order.axes};
    Answer other = aligned<A>(call, 0, operand, rewrite);
    if (!other)
        return other;
    std::vector<bool> isReduced = kept;
    isReduced.flip();
    other->sumsOtherwise = !isIdentity(ofKept(operand.axes, isReduced));
    if (!keepsDims)
        other->result = {ofKept(operand.axes, kept)};
    return other;
}

} // namespace

Answer elements(const TypedCall& call, int at, const AxisOrder& order) {
    if (!order.parts.empty())
        return elementsInParts(call, order);
    const size_t rank = dimsOf(call.result).size();
    const Axes axes = at == resultOrder ? order.axes : lifted(order.axes, rank);
    OrderedCall other{call.call.attrs, {}, {axes}};
    for (const Type& arg : call.args)
        other.operands.push_back(arg ? broadcast(dimsOf(arg), axes) : OrderedOperand{});
    return other;
}

Answer broadcastTo(const TypedCall& call, int at, const AxisOrder& order) {
    if (!order.parts.empty())
        return std::nullopt;
    Answer other = elements(call, at, order);
    BroadcastAttrs changed = attrs<BroadcastAttrs>(call.call.attrs);
    changed.shape = permuted(changed.shape, other->result.axes);
    other->attrs = std::make_shared<BroadcastAttrs>(std::move(changed));
    return other;
}

Answer concat(const TypedCall& call, int at, const AxisOrder& order) {
    return aligned<AxisAttrs>(
        call, at, order, [](AxisAttrs& a, const Axes& axes) { a.axis = placeOf(a.axis, axes); }, true);
}

Answer slice(const TypedCall& call, int at, const AxisOrder& order) {
    return aligned<SliceAttrs>(call, at, order, [](SliceAttrs& a, const Axes& axes) {
        a.begin = permuted(a.begin, axes);
        a.size = permuted(a.size, axes);
        a.step = permuted(a.step, axes);
    });
}

Answer pad(const TypedCall& call, int at, const AxisOrder& order) {
    return aligned<PadAttrs>(call, at, order, [](PadAttrs& a, const Axes& axes) {
        a.before = permuted(a.before, axes);
        a.after = permuted(a.after, axes);
        if (!a.interior.empty())
            a.interior = permuted(a.interior, axes);
    });
}

Answer tile(const TypedCall& call, int at, const AxisOrder& order) {
    return aligned<TileAttrs>(call, at, order,
                              [](TileAttrs& a, const Axes& axes) { a.repeats = permuted(a.repeats, axes); });
}

Answer reverse(const TypedCall& call, int at, const AxisOrder& order) {
    return aligned<AxesAttrs>(call, at, order, [](AxesAttrs& a, const Axes& axes) {
        for (int64_t& axis : a.axes)
            axis = placeOf(axis, axes);
    });
}

/// Where scales or region are operands they stay in the model's order, and so does the call.
Answer resize(const TypedCall& call, int at, const AxisOrder& order) {
    if (call.args.size() > 1)
        return std::nullopt;
    return aligned<ResizeAttrs>(call, at, order, [](ResizeAttrs& a, const Axes& axes) {
        a.sizes = permuted(a.sizes, axes);
        if (!a.scales.empty())
            a.scales = permuted(a.scales, axes);
        if (a.roi.size() != 2 * axes.size())
            return;
        const Axes ends = lifted(axes, 2 * axes.size());
        Axes both = axes;
        both.insert(both.end(), ends.begin() + static_cast<ptrdiff_t>(axes.size()), ends.end());
        a.roi = permuted(a.roi, both);
    });
}

/// The result's dims stand in the order of those that they are made of; or, where only dims change places that become
/// one, it has its elements in another order.
Answer reshape(const TypedCall& call, int at, const AxisOrder& order) {
    if (!order.parts.empty())
        return std::nullopt;
    const std::vector<Expr>&from = dimsOf(call.args[0]), &to = dimsOf(call.result);
    OrderedCall other = unchanged(call);
    if (at == resultOrder) {
        const std::optional<Axes> axes = throughReshape(to, from, order.axes);
        if (!axes)
            return std::nullopt;
        other.operands[0].order = {*axes};
        other.result = order;
    } else {
        other.operands[0].order = order;
        if (const std::optional<Axes> axes = throughReshape(from, to, order.axes))
            other.result = {*axes};
        else if (const std::optional<AxisOrder> within = withinReshape(from, to, order.axes))
            other.result = *within;
        else
            return std::nullopt;
    }
    ReshapeAttrs changed;
    changed.shape = shapeIn(other.result, to);
    other.attrs = std::make_shared<ReshapeAttrs>(std::move(changed));
    return other;
}

Answer reduce(const TypedCall& call, int at, const AxisOrder& order) {
    return reduction<ReduceAttrs>(call, at, order, attrs<ReduceAttrs>(call.call.attrs).axes,
                                  [](ReduceAttrs& a, const Axes& axes) {
                                      for (int64_t& axis : a.axes)
                                          axis = placeOf(axis, axes);
                                      std::ranges::sort(a.axes);
                                  });
}

Answer argReduce(const TypedCall& call, int at, const AxisOrder& order) {
    return reduction<ArgReduceAttrs>(call, at, order, {attrs<ArgReduceAttrs>(call.call.attrs).axis},
                                     [](ArgReduceAttrs& a, const Axes& axes) { a.axis = placeOf(a.axis, axes); });
}

Answer softmax(const TypedCall& call, int at, const AxisOrder& order) {
    return alongAxis<AxisAttrs>(call, at, order);
}

Answer cumSum(const TypedCall& call, int at, const AxisOrder& order) {
    return alongAxis<CumAttrs>(call, at, order);
}

/// Operands but the first have one dim, the channels.
Answer batchNorm(const TypedCall& call, int at, const AxisOrder& order) {
    return alongAxis<NormAttrs>(call, at, order);
}

/// Rows for columns is a flag. Where the elements of a row stand in another order, the rows of the other matrix do as
/// well.
Answer matMul(const TypedCall& call, int at, const AxisOrder& order) {
    OrderedCall other = unchanged(call);
    MatMulAttrs changed = attrs<MatMulAttrs>(call.call.attrs);
    if (order.parts.empty()) {
        if (at == resultOrder || !swapsLastTwo(order.axes))
            return std::nullopt;
        bool& flag = at == 0 ? changed.transposeA : changed.transposeB;
        flag = !flag;
        other.operands[static_cast<size_t>(at)].order = order;
        other.attrs = std::make_shared<MatMulAttrs>(changed);
        return other;
    }
    const std::vector<Expr>& weights = dimsOf(call.args[1]);
    const std::vector<Expr>& left = dimsOf(call.args[0]);
    const auto groups = at == 0 ? groupsOfReshape(order.parts, left) : std::nullopt;
    if (changed.transposeA || weights.size() != 2 || !groups || groups->empty() || groups->back().to + 1 != left.size())
        return std::nullopt;
    const size_t first = groups->back().from;
    for (size_t i = 0; i < first; ++i)
        if (order.axes[i] != static_cast<int64_t>(i))
            return std::nullopt;
    AxisOrder rows;
    for (size_t i = first; i < order.axes.size(); ++i) {
        rows.axes.push_back(order.axes[i] - static_cast<int64_t>(first));
        rows.parts.push_back(order.parts[i]);
    }
    if (changed.transposeB) {
        rows.axes = lifted(rows.axes, rows.axes.size() + 1);
        rows.parts.insert(rows.parts.begin(), weights[0]);
    } else {
        rows.axes.push_back(static_cast<int64_t>(rows.axes.size()));
        rows.parts.push_back(weights[1]);
    }
    other.operands[0].order = order;
    other.operands[1].order = rows;
    other.sumsOtherwise = true;
    return other;
}

} // namespace lathe::relay::orders
