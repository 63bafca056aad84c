// SPDX-License-Identifier: Apache-2.0
//
// Softmax and LogSoftmax along one axis: maximum, exponentials of the differences, their sum, quotient.
#include "topi/families.h"
#include "topi/reductions.h"

namespace lathe::topi {

Tensors computeSoftmax(const CallContext& call) {
    const TensorPtr& x = call.args[0];
    const bool logarithm = call.op == relay::Op::LogSoftmax;
    const ReducedAxes axes(x->shape.size(), {relay::attrs<relay::AxisAttrs>(call.attrs).axis}, true);
    const DataType dtype = resultTensor(call).dtype;
    const TensorPtr maximum = reduceOver(
        "softmax_max", x->shape, axes, te::ReduceKind::Max, [&](const Indices& i) { return widen((*x)(i)); },
        call.origin);
    const auto shifted = [&](const std::vector<Var>& i) {
        return widen((*x)(asIndices(i))) - (*maximum)(axes.resultIndices(i));
    };
    const TensorPtr exponential = te::compute(
        "softmax_exp", x->shape,
        [&](const std::vector<Var>& i) {
            const Expr difference = shifted(i);
            return arith::call(Intrinsic::Exp, {difference}, difference.dtype());
        },
        call.origin);
    const TensorPtr sum = reduceOver(
        "softmax_sum", x->shape, axes, te::ReduceKind::Sum, [&](const Indices& i) { return (*exponential)(i); },
        call.origin);
    // One division a row: the sum is at least 1, so its inverse is exact to half an ulp.
    const TensorPtr factor = te::compute(
        logarithm ? "softmax_log" : "softmax_inverse", sum->shape,
        [&](const std::vector<Var>& i) {
            const Expr total = (*sum)(asIndices(i));
            return logarithm ? arith::call(Intrinsic::Log, {total}, total.dtype())
                             : arith::div(arith::one(total.dtype()), total);
        },
        call.origin);
    return {te::compute(
        logarithm ? "log_softmax" : "softmax", x->shape,
        [&](const std::vector<Var>& i) {
            const Expr value = logarithm ? shifted(i) - (*factor)(axes.resultIndices(i))
                                         : (*exponential)(asIndices(i)) * (*factor)(axes.resultIndices(i));
            return convert(value, dtype);
        },
        call.origin)};
}

} // namespace lathe::topi
