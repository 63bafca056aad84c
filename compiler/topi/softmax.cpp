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
    return {te::compute(
        logarithm ? "log_softmax" : "softmax", x->shape,
        [&](const std::vector<Var>& i) {
            const Expr total = (*sum)(axes.resultIndices(i));
            const Expr value = logarithm ? shifted(i) - arith::call(Intrinsic::Log, {total}, total.dtype())
                                         : arith::div((*exponential)(asIndices(i)), total);
            return convert(value, dtype);
        },
        call.origin)};
}

} // namespace lathe::topi
