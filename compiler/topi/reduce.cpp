// SPDX-License-Identifier: Apache-2.0
//
// Reduce and ArgReduce. Narrow floats accumulate in float32. An index reduction is two reductions: the extreme value,
// then the first (or last) index where it stands; NaN is the extreme value where there is one, as in NumPy.
#include "topi/reductions.h"

#include "arith/analysis.h"
#include "topi/families.h"

namespace lathe::topi {

using te::ReduceKind;

ReducedAxes::ReducedAxes(size_t rank, const std::vector<int64_t>& axes, bool keepDims)
    : reduced(rank), keepDims(keepDims) {
    for (int64_t axis : axes)
        reduced[axisOf(axis, rank)] = true;
}

Shape ReducedAxes::resultShape(const Shape& shape) const {
    Shape result;
    for (size_t d = 0; d < shape.size(); ++d)
        if (!reduced[d])
            result.push_back(shape[d]);
        else if (keepDims)
            result.push_back(1);
    return result;
}

Shape ReducedAxes::extents(const Shape& shape) const {
    Shape result;
    for (size_t d = 0; d < shape.size(); ++d)
        if (reduced[d])
            result.push_back(shape[d]);
    return result;
}

Indices ReducedAxes::operandIndices(const std::vector<Var>& axes, const std::vector<Var>& reduceAxes) const {
    Indices indices;
    size_t axis = 0, reduceAxis = 0;
    for (bool isReduced : reduced) {
        indices.push_back(isReduced ? reduceAxes[reduceAxis++] : axes[axis]);
        if (!isReduced || keepDims)
            ++axis;
    }
    return indices;
}

Indices ReducedAxes::resultIndices(const std::vector<Var>& operandAxes) const {
    Indices indices;
    for (size_t d = 0; d < reduced.size(); ++d)
        if (!reduced[d])
            indices.push_back(operandAxes[d]);
        else if (keepDims)
            indices.push_back(0);
    return indices;
}

TensorPtr reduceOver(const std::string& name, const Shape& shape, const ReducedAxes& axes, ReduceKind kind,
                     const std::function<Expr(const Indices&)>& element, int origin) {
    const auto at = [&](const std::vector<Var>& i, const std::vector<Var>& r) {
        return element(axes.operandIndices(i, r));
    };
    if (axes.extents(shape).empty())
        return te::compute(name, axes.resultShape(shape), [&](const std::vector<Var>& i) { return at(i, {}); }, origin);
    return te::reduce(name, axes.resultShape(shape), kind, axes.extents(shape), at, origin);
}

namespace {

ReduceKind kindOf(const std::string& kind, DataType dtype) {
    if (kind == "sum" || kind == "mean")
        return ReduceKind::Sum;
    if (kind == "prod")
        return ReduceKind::Prod;
    if (kind == "max" || kind == "or")
        return dtype.isBool() ? ReduceKind::Or : ReduceKind::Max;
    LATHE_ASSERT(kind == "min" || kind == "and", "unknown kind of reduction");
    return dtype.isBool() ? ReduceKind::And : ReduceKind::Min;
}

} // namespace

Tensors computeReduce(const CallContext& call) {
    const auto& attrs = relay::attrs<relay::ReduceAttrs>(call.attrs);
    const TensorPtr& x = call.args[0];
    const DataType dtype = resultTensor(call).dtype;
    const ReducedAxes axes(x->shape.size(), attrs.axes, attrs.keepDims);
    const TensorPtr total = reduceOver(
        "reduce_" + attrs.kind, x->shape, axes, kindOf(attrs.kind, x->dtype),
        [&](const Indices& i) { return widen((*x)(i)); }, call.origin);
    if (attrs.kind != "mean")
        return {converted(total, dtype, "reduce_result", call.origin)};
    const Expr size = product(axes.extents(x->shape));
    const Expr count = arith::cast(x->dtype.isFloat() ? size : divisor(size), total->dtype);
    return {te::compute(
        "mean", total->shape,
        [&](const std::vector<Var>& i) { return convert(arith::div((*total)(asIndices(i)), count), dtype); },
        call.origin)};
}

Tensors computeArgReduce(const CallContext& call) {
    const auto& attrs = relay::attrs<relay::ArgReduceAttrs>(call.attrs);
    const TensorPtr& x = call.args[0];
    const size_t axis = axisOf(attrs.axis, x->shape.size());
    const ReducedAxes axes(x->shape.size(), {static_cast<int64_t>(axis)}, attrs.keepDims);
    const TensorPtr extreme = reduceOver(
        attrs.max ? "arg_max_value" : "arg_min_value", x->shape, axes, kindOf(attrs.max ? "max" : "min", x->dtype),
        [&](const Indices& i) { return widen((*x)(i)); }, call.origin);
    // A vector has twice as many indices of 32 bits.
    const bool narrow = arith::bounds(x->shape[axis]).upper <= std::numeric_limits<int32_t>::max();
    const DataType dtype = narrow ? types::Int32 : types::Int64;
    const Expr none = arith::intImm(attrs.selectLast ? -1
                                    : narrow         ? std::numeric_limits<int32_t>::max()
                                                     : std::numeric_limits<int64_t>::max(),
                                    dtype);
    const TensorPtr index = te::reduce(
        attrs.max ? "arg_max" : "arg_min", axes.resultShape(x->shape),
        attrs.selectLast ? ReduceKind::Max : ReduceKind::Min, axes.extents(x->shape),
        [&](const std::vector<Var>& i, const std::vector<Var>& r) {
            const Expr value = widen((*x)(axes.operandIndices(i, r)));
            const Expr best = (*extreme)(asIndices(i));
            Expr found = arith::eq(value, best);
            if (value.dtype().isFloat())
                found = arith::logicalOr(found, arith::call(Intrinsic::IsNan, {value}, types::Bool));
            return arith::select(found, arith::cast(r[0], dtype), none);
        },
        call.origin);
    return {converted(index, types::Int64, "arg_result", call.origin)};
}

} // namespace lathe::topi
