// SPDX-License-Identifier: Apache-2.0
//
// Discrete Fourier transforms of any length along one axis, by their definition. The twiddle factors are a table
// indexed by (frequency * time) mod length, so that no angle grows and none loses precision.
//   forward: X[f] = sum x[t] e^(-2 pi i f t / n); inverse: x[t] = 1/n sum X[f] e^(2 pi i f t / n)
// A one-sided inverse takes the n / 2 + 1 frequencies of a real signal and gives real values: frequencies that have a
// mirror image count twice.
#include "arith/analysis.h"
#include "topi/expressions.h"
#include "topi/families.h"

#include <numbers>

namespace lathe::topi {

namespace {

TensorPtr twiddles(const char* name, Intrinsic function, const Expr& length, DataType dtype, int origin) {
    return te::compute(
        name, {length},
        [&](const std::vector<Var>& i) {
            const Expr turn =
                arith::div(arith::cast(i[0], types::Float64), arith::cast(divisor(length), types::Float64));
            const Expr angle = turn * arith::floatImm(2 * std::numbers::pi, types::Float64);
            // pi is rounded, so that sin(pi) is not 0; what has no imaginary part must not get a little of one.
            const Expr isZero = function == Intrinsic::Sin
                                    ? arith::eq(i[0] * 2, length)
                                    : arith::logicalOr(arith::eq(i[0] * 4, length), arith::eq(i[0] * 4, length * 3));
            return arith::select(isZero, number(0, dtype),
                                 convert(arith::call(function, {angle}, types::Float64), dtype));
        },
        origin);
}

} // namespace

Tensors computeDft(const CallContext& call) {
    const auto& attrs = relay::attrs<relay::DftAttrs>(call.attrs);
    const TensorPtr& x = call.args[0];
    const relay::TensorType& result = resultTensor(call);
    const size_t rank = x->shape.size();
    const size_t axis = axisOf(attrs.axis, rank);
    const Expr given = x->shape[axis];
    const bool isReal = arith::isConst(x->shape.back(), 1);
    const bool toReal = attrs.inverse && attrs.onesided;
    const Expr length = attrs.length ? attrs.length : toReal ? arith::simplify(given * 2 - 2) : given;
    const DataType dtype = computeType(x->dtype);
    const Expr half = arith::simplify(arith::floorDiv(length, 2) + 1);
    const Expr terms = arith::simplify(arith::min(given, toReal ? half : length));
    const TensorPtr cosines = twiddles("dft_cos", Intrinsic::Cos, length, dtype, call.origin);
    const TensorPtr sines = twiddles("dft_sin", Intrinsic::Sin, length, dtype, call.origin);
    const TensorPtr sum = te::reduce(
        "dft", result.shape, te::ReduceKind::Sum, {terms},
        [&](const std::vector<Var>& i, const std::vector<Var>& k) {
            Indices at = asIndices(i);
            at[axis] = k[0];
            at.back() = 0;
            const Expr re = widen((*x)(at));
            at.back() = 1;
            const Expr im = isReal ? number(0, dtype) : widen((*x)(at));
            const Expr phase = arith::floorMod(i[axis] * k[0], divisor(length));
            const Expr cosine = (*cosines)({phase}), sine = (*sines)({phase});
            const Expr rotated = attrs.inverse ? number(0, dtype) - sine : sine;
            const Expr realPart = re * cosine + im * rotated;
            if (toReal) {
                const Expr alone = arith::logicalOr(arith::eq(k[0], 0), arith::eq(k[0] * 2, length));
                return arith::select(alone, realPart, realPart + realPart);
            }
            return arith::select(arith::eq(i.back(), 0), realPart, im * cosine - re * rotated);
        },
        call.origin);
    if (!attrs.inverse)
        return {converted(sum, result.dtype, "dft_result", call.origin)};
    return {te::compute(
        "dft_scaled", result.shape,
        [&](const std::vector<Var>& i) {
            return convert(arith::div((*sum)(asIndices(i)), arith::cast(divisor(length), dtype)), result.dtype);
        },
        call.origin)};
}

} // namespace lathe::topi
