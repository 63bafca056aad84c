// SPDX-License-Identifier: Apache-2.0
//
// Tensors made from their indices: ranges, constants, one-hot rows, triangles.
#include "base/limits.h"
#include "topi/families.h"
#include "topi/loops.h"

#include <fmt/format.h>

namespace lathe::topi {

Tensors computeRange(const CallContext& call) {
    const DataType dtype = resultTensor(call).dtype;
    const auto scalar = [&](size_t arg) {
        return widen((*call.args[arg])(Indices(call.args[arg]->shape.size(), Expr(0))));
    };
    return {te::compute(
        "range", resultTensor(call).shape,
        [&](const std::vector<Var>& i) {
            const Expr start = scalar(0);
            return convert(start + arith::cast(i[0], start.dtype()) * scalar(2), dtype);
        },
        call.origin)};
}

/// The length is ceil((limit - start) / delta), at least 0. Fails for a delta of 0, and where the length is no number or beyond
/// the limit of a tensor.
DynamicKernel buildRange(const std::string& name, const CallContext& call) {
    const KernelBuffers buffers(call);
    const Loops l(call.origin);
    const BufferPtr sizes = sizesBuffer(call);
    const auto scalar = [&](size_t arg) {
        return load(buffers.args[arg], Indices(buffers.args[arg]->shape.size(), Expr(0)));
    };
    const bool isFloat = buffers.args[0]->dtype.isFloat();
    const DataType wide = isFloat ? types::Float64 : types::Int64;
    const Expr zero = arith::zero(wide);
    const Expr start = convert(scalar(0), wide), limit = convert(scalar(1), wide), delta = convert(scalar(2), wide);
    Expr length, isOne;
    if (isFloat) {
        const Expr quotient = arith::div(limit - start, delta);
        isOne = arith::le(quotient, number(static_cast<double>(limits::tensorElements), wide)); // NaN is not
        length = arith::cast(arith::max(arith::call(Intrinsic::Ceil, {quotient}, wide), zero), types::Int64);
    } else {
        // Unsigned, as the distance may be more than int64 holds.
        const auto bits = [](const Expr& value) { return arith::cast(value, types::UInt64); };
        const Expr rises = arith::gt(delta, zero), none = arith::zero(types::UInt64), one = bits(int64(1));
        const Expr distance = arith::select(rises, bits(limit) - bits(start), bits(start) - bits(limit));
        const Expr stride = arith::select(rises, bits(delta), none - bits(delta));
        const Expr any = arith::select(rises, arith::lt(start, limit), arith::gt(start, limit));
        const Expr count = arith::select(any, arith::div(distance - one, stride) + one, none);
        isOne = arith::le(count, bits(int64(limits::tensorElements)));
        length = arith::cast(count, types::Int64);
    }
    const Stmt measure =
        l.all({l.check(arith::ne(delta, zero), tir::CheckKind::InvalidValue, "a range has a step of 0"),
               l.check(isOne, tir::CheckKind::InvalidValue,
                       fmt::format("a range has more than {} elements, or no number of them", limits::tensorElements)),
               storeSize(l, sizes, length)});
    const BufferPtr& y = buffers.results[0];
    const Stmt fill = l.loop("i", y->shape[0], [&](const Var& i) {
        const Expr start = widen(scalar(0));
        return l.store(y, {i}, convert(start + arith::cast(i, start.dtype()) * widen(scalar(2)), y->dtype));
    });
    return buffers.dynamic(name, sizes, {}, measure, fill);
}

Tensors computeIota(const CallContext& call) {
    const auto& attrs = relay::attrs<relay::IotaAttrs>(call.attrs);
    const size_t axis = axisOf(attrs.axis, attrs.shape.size());
    return {te::compute(
        "iota", attrs.shape, [&](const std::vector<Var>& i) { return arith::cast(i[axis], attrs.dtype); },
        call.origin)};
}

Tensors computeFull(const CallContext& call) {
    const TensorPtr& value = call.args[0];
    return {te::compute(
        "full", resultTensor(call).shape,
        [&](const std::vector<Var>&) { return (*value)(Indices(value->shape.size(), Expr(0))); }, call.origin)};
}

Tensors computeOneHot(const CallContext& call) {
    const auto& attrs = relay::attrs<relay::OneHotAttrs>(call.attrs);
    const TensorPtr &indices = call.args[0], &values = call.args[1];
    const size_t rank = indices->shape.size() + 1;
    const size_t axis = axisOf(attrs.axis, rank);
    const Expr depth = resultTensor(call).shape[axis];
    return {te::compute(
        "one_hot", resultTensor(call).shape,
        [&](const std::vector<Var>& i) {
            Indices at = asIndices(i);
            at.erase(at.begin() + static_cast<long>(axis));
            const Expr hot = wrapIndex(convert(widen((*indices)(at)), types::Int64), depth);
            return arith::select(arith::eq(hot, i[axis]), (*values)({1}), (*values)({0}));
        },
        call.origin)};
}

Tensors computeTrilu(const CallContext& call) {
    const auto& attrs = relay::attrs<relay::TriluAttrs>(call.attrs);
    const TensorPtr& x = call.args[0];
    const Expr k = attrs.k ? attrs.k : Expr(0);
    return {te::compute(
        "trilu", x->shape,
        [&](const std::vector<Var>& i) {
            const Expr diagonal = i[i.size() - 2] + k;
            const Expr keep = attrs.upper ? arith::ge(i.back(), diagonal) : arith::le(i.back(), diagonal);
            return arith::select(keep, (*x)(asIndices(i)), number(0, x->dtype));
        },
        call.origin)};
}

} // namespace lathe::topi
