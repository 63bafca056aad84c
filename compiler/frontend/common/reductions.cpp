// SPDX-License-Identifier: Apache-2.0
#include "frontend/common/reductions.h"

#include "frontend/common/arithmetic.h"
#include "relay/attrs.h"

namespace lathe::frontend {

Moments moments(Builder& b, Var x, const Ints& axes) {
    Moments result;
    result.mean = reduce(b, "mean", x, axes, true);
    result.centered = sub(b, x, result.mean);
    result.variance = reduce(b, "mean", mul(b, result.centered, result.centered), axes, true);
    return result;
}

Var inverseRoot(Builder& b, Var variance, double epsilon) {
    return inverseSquareRoot(b, addTo(b, variance, epsilon));
}

Var scaledAndMoved(Builder& b, Var x, Var mean, Var factor, Var bias) {
    if (!bias)
        return mul(b, sub(b, x, mean), factor);
    // By mean - x: x - mean, which the variance is made of, would be stored for both.
    return sub(b, bias, mul(b, sub(b, mean, x), factor));
}

Var logSumExp(Builder& b, Var x, const Ints& axes, bool keepDims) {
    if (axes.empty())
        return x;
    // exp(x - max) cannot overflow. An infinite maximum is not subtracted: inf - inf is no number.
    const Var most = reduce(b, "max", x, axes, true);
    const Var infinite = b.call(Op::IsInf, {most}, relay::IsInfAttrs{});
    const Var shift = where(b, infinite, scalarLike(b, 0, x), most);
    const Var sum = reduce(b, "sum", b.call(Op::Exp, {sub(b, x, shift)}), axes, true);
    const Var result = add(b, b.call(Op::Log, {sum}), shift);
    return keepDims ? result : squeeze(b, result, axes);
}

} // namespace lathe::frontend
