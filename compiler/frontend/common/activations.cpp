// SPDX-License-Identifier: Apache-2.0
#include "frontend/common/activations.h"

#include <cmath>
#include <numbers>

namespace lathe::frontend {

Var negativeOr(Builder& b, Var x, Var whenNegative) {
    return where(b, less(b, x, scalarLike(b, 0, x)), whenNegative, x);
}

Var hardSigmoid(Builder& b, Var x, double alpha, double beta) {
    const Var line = addTo(b, mulBy(b, x, alpha), beta);
    return minimum(b, maximum(b, line, scalarLike(b, 0, x)), scalarLike(b, 1, x));
}

Var elu(Builder& b, Var x, double alpha) {
    return negativeOr(b, x, mulBy(b, addTo(b, b.call(Op::Exp, {x}), -1), alpha));
}

Var gelu(Builder& b, Var x, bool byTanh) {
    Var inner;
    if (byTanh) {
        const Var cube = mul(b, mul(b, x, x), x);
        inner = b.call(Op::Tanh, {mulBy(b, add(b, x, mulBy(b, cube, 0.044715)), std::sqrt(2 / std::numbers::pi))});
    } else {
        inner = b.call(Op::Erf, {mulBy(b, x, std::numbers::sqrt2 / 2)});
    }
    return mul(b, mulBy(b, x, 0.5), addTo(b, inner, 1));
}

/// tanh(log(1 + exp(x))) is n / (n + m) with n = e (e + 2), m = 2 and e = exp(x); with e = exp(-|x|) where x is positive,
/// so that nothing overflows, n = 1 + 2 e and m = 2 e^2.
Var mish(Builder& b, Var x) {
    const Var negative = less(b, x, scalarLike(b, 0, x));
    const Var e = b.call(Op::Exp, {b.call(Op::Negative, {b.call(Op::Abs, {x})})});
    const Var n = where(b, negative, mul(b, e, addTo(b, e, 2)), addTo(b, mulBy(b, e, 2), 1));
    const Var m = where(b, negative, scalarLike(b, 2, x), mulBy(b, mul(b, e, e), 2));
    return mul(b, x, b.call(Op::Divide, {n, add(b, n, m)}));
}

} // namespace lathe::frontend
