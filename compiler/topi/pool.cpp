// SPDX-License-Identifier: Apache-2.0
//
// Pooling. The operand is put into a tensor that all windows fit in (in ceil mode they may leave the padding too),
// filled with the identity. An average divides by the elements that count: of the operand, or with countPadding those
// of operand and padding, never those that a window has beyond the padding (as ONNX has it since opset 19).
#include "arith/analysis.h"
#include "topi/families.h"
#include "topi/windows.h"

namespace lathe::topi {

using te::ReduceKind;

namespace {

Window poolWindow(const relay::PoolAttrs& attrs) {
    return windowOf(Shape(attrs.kernel.begin(), attrs.kernel.end()), attrs.strides, attrs.dilations, attrs.before,
                    attrs.after, attrs.ceilMode);
}

/// The operand within all that the windows touch.
TensorPtr windowed(const TensorPtr& x, const Window& window, const Shape& result, const Expr& fill, int origin) {
    if (!window.hasPadding() && !window.ceilMode)
        return x;
    Shape before{0, 0}, shape{x->shape[0], x->shape[1]};
    for (size_t d = 0; d < window.kernel.size(); ++d) {
        before.push_back(window.before[d]);
        shape.push_back(window.needed(d, result[d + 2]));
    }
    return padded("pool_pad", x, before, shape, fill, origin);
}

Indices positions(const Window& window, const std::vector<Var>& i, const std::vector<Var>& k) {
    Indices at{i[0], i[1]};
    for (size_t d = 0; d < k.size(); ++d)
        at.push_back(window.position(d, i[d + 2], k[d]));
    return at;
}

TensorPtr maximum(const CallContext& call, const Window& window) {
    const TensorPtr& x = call.args[0];
    const Shape& result = resultTensor(call).shape;
    const TensorPtr input = windowed(x, window, result, arith::lowest(x->dtype), call.origin);
    return te::reduce(
        "max_pool", result, ReduceKind::Max, window.kernel,
        [&](const std::vector<Var>& i, const std::vector<Var>& k) { return widen((*input)(positions(window, i, k))); },
        call.origin);
}

/// How many elements of the window at result position o lie in [low, high) along dim d.
Expr countAlong(const Window& window, size_t d, const Expr& o, const Expr& low, const Expr& high) {
    const Expr start = o * window.strides[d];
    const auto upTo = [&](const Expr& limit) {
        return clamp(arith::floorDiv(limit - start + (window.dilations[d] - 1), window.dilations[d]), 0,
                     window.kernel[d]);
    };
    return arith::simplify(arith::max(upTo(high) - upTo(low), 0));
}

} // namespace

Tensors computeMaxPool(const CallContext& call) {
    const Window window = poolWindow(relay::attrs<relay::PoolAttrs>(call.attrs));
    return {converted(maximum(call, window), resultTensor(call).dtype, "max_pool_result", call.origin)};
}

Tensors computeMaxPoolWithIndex(const CallContext& call) {
    const auto& attrs = relay::attrs<relay::PoolAttrs>(call.attrs);
    const Window window = poolWindow(attrs);
    const TensorPtr& x = call.args[0];
    const TensorPtr values = maximum(call, window);
    const Expr none = arith::intImm(std::numeric_limits<int64_t>::max(), types::Int64);
    const Shape spatial(x->shape.begin() + 2, x->shape.end());
    // First among equals: the least row-major index of the operand that has the value.
    const TensorPtr first = te::reduce(
        "max_pool_first", values->shape, ReduceKind::Min, window.kernel,
        [&](const std::vector<Var>& i, const std::vector<Var>& k) {
            Indices at = positions(window, i, k);
            Expr found = arith::boolImm(true);
            for (size_t d = 0; d < k.size(); ++d) {
                const Expr index = arith::simplify(at[d + 2] - window.before[d]);
                found = arith::logicalAnd(found, arith::logicalAnd(arith::ge(index, 0), arith::lt(index, spatial[d])));
                at[d + 2] = clampIndex(index, spatial[d]);
            }
            const Expr value = widen((*x)(at));
            Expr same = arith::eq(value, (*values)(asIndices(i)));
            if (value.dtype().isFloat())
                same = arith::logicalOr(same, arith::call(Intrinsic::IsNan, {value}, types::Bool));
            return arith::select(arith::logicalAnd(found, same), arith::cast(flatten(at, x->shape), types::Int64),
                                 none);
        },
        call.origin);
    const TensorPtr y = converted(values, resultTensor(call, 0).dtype, "max_pool_result", call.origin);
    if (!attrs.columnMajor)
        return {y, first};
    const TensorPtr columns = te::compute(
        "max_pool_index", first->shape,
        [&](const std::vector<Var>& i) {
            const Expr flat = toIndex((*first)(asIndices(i)));
            const Expr plane = product(spatial);
            Indices at = unflatten(arith::floorMod(flat, divisor(plane)), spatial);
            Expr inner = 0;
            for (size_t d = spatial.size(); d-- > 0;)
                inner = inner * spatial[d] + at[d];
            return arith::cast((i[0] * x->shape[1] + i[1]) * plane + inner, types::Int64);
        },
        call.origin);
    return {y, columns};
}

Tensors computeAvgPool(const CallContext& call) {
    const auto& attrs = relay::attrs<relay::PoolAttrs>(call.attrs);
    const Window window = poolWindow(attrs);
    const TensorPtr& x = call.args[0];
    const relay::TensorType& result = resultTensor(call);
    const TensorPtr input = windowed(x, window, result.shape, number(0, x->dtype), call.origin);
    const TensorPtr sum = te::reduce(
        "avg_pool_sum", result.shape, ReduceKind::Sum, window.kernel,
        [&](const std::vector<Var>& i, const std::vector<Var>& k) { return widen((*input)(positions(window, i, k))); },
        call.origin);
    return {te::compute(
        "avg_pool", result.shape,
        [&](const std::vector<Var>& i) {
            Expr count = 1;
            for (size_t d = 0; d < window.kernel.size(); ++d) {
                const Expr inside = window.before[d] + x->shape[d + 2];
                if (!window.hasPadding() && !window.ceilMode)
                    count = count * window.kernel[d];
                else if (attrs.countPadding)
                    count = count * countAlong(window, d, i[d + 2], 0, inside + window.after[d]);
                else
                    count = count * countAlong(window, d, i[d + 2], window.before[d], inside);
            }
            const Expr total = (*sum)(asIndices(i));
            return convert(arith::div(total, arith::cast(count, total.dtype())), result.dtype);
        },
        call.origin)};
}

} // namespace lathe::topi
