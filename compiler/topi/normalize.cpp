// SPDX-License-Identifier: Apache-2.0
//
// Normalisations. The variance of LayerNorm is taken of the centered values, in a second pass: the one-pass formula
// cancels. Narrow floats compute in float32.
#include "topi/families.h"
#include "topi/reductions.h"

#include <numeric>

namespace lathe::topi {

namespace {

Expr inverseDeviation(const Expr& variance, double epsilon) {
    const DataType dtype = variance.dtype();
    return arith::div(arith::one(dtype),
                      arith::call(Intrinsic::Sqrt, {variance + arith::floatImm(epsilon, dtype)}, dtype));
}

} // namespace

Tensors computeLayerNorm(const CallContext& call) {
    const auto& attrs = relay::attrs<relay::NormAttrs>(call.attrs);
    const TensorPtr& x = call.args[0];
    const size_t rank = x->shape.size();
    const size_t first = axisOf(attrs.axis, rank);
    std::vector<int64_t> normalised(rank - first);
    std::iota(normalised.begin(), normalised.end(), static_cast<int64_t>(first));
    const ReducedAxes axes(rank, normalised, true);
    const DataType dtype = computeType(x->dtype);
    const Expr count = arith::cast(product(x->shape, first), dtype);

    const TensorPtr sum = reduceOver(
        "layer_norm_sum", x->shape, axes, te::ReduceKind::Sum, [&](const Indices& i) { return widen((*x)(i)); },
        call.origin);
    const TensorPtr mean = te::compute(
        "layer_norm_mean", sum->shape,
        [&](const std::vector<Var>& i) { return arith::div((*sum)(asIndices(i)), count); }, call.origin);
    const TensorPtr centered = te::compute(
        "layer_norm_centered", x->shape,
        [&](const std::vector<Var>& i) { return widen((*x)(asIndices(i))) - (*mean)(axes.resultIndices(i)); },
        call.origin);
    const TensorPtr squares = reduceOver(
        "layer_norm_squares", x->shape, axes, te::ReduceKind::Sum,
        [&](const Indices& i) { return (*centered)(i) * (*centered)(i); }, call.origin);
    const TensorPtr inverse = te::compute(
        "layer_norm_inverse", squares->shape,
        [&](const std::vector<Var>& i) {
            return inverseDeviation(arith::div((*squares)(asIndices(i)), count), attrs.epsilon);
        },
        call.origin);
    return {te::compute(
        "layer_norm", x->shape,
        [&](const std::vector<Var>& i) {
            Expr value = (*centered)(asIndices(i)) * (*inverse)(axes.resultIndices(i));
            const auto parameter = [&](const TensorPtr& p) {
                return convert(widen((*p)(broadcastIndices(p->shape, x->shape, i))), dtype);
            };
            if (call.args.size() > 1 && call.args[1])
                value = value * parameter(call.args[1]);
            if (call.args.size() > 2 && call.args[2])
                value = value + parameter(call.args[2]);
            return convert(value, resultTensor(call).dtype);
        },
        call.origin)};
}

Tensors computeBatchNorm(const CallContext& call) {
    const auto& attrs = relay::attrs<relay::NormAttrs>(call.attrs);
    const TensorPtr& x = call.args[0];
    const size_t channel = axisOf(attrs.axis, x->shape.size());
    const DataType dtype = computeType(x->dtype);
    const DataType resultType = resultTensor(call).dtype;
    return {te::compute(
        "batch_norm", x->shape,
        [&](const std::vector<Var>& i) {
            const auto parameter = [&](size_t arg) { return convert(widen((*call.args[arg])({i[channel]})), dtype); };
            const Expr factor = parameter(1) * inverseDeviation(parameter(4), attrs.epsilon);
            return convert((widen((*x)(asIndices(i))) - parameter(3)) * factor + parameter(2), resultType);
        },
        call.origin)};
}

} // namespace lathe::topi
