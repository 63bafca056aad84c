// SPDX-License-Identifier: Apache-2.0
#include "frontend/common/arithmetic.h"

#include "relay/attrs.h"

#include <limits>
#include <numbers>

namespace lathe::frontend {

using namespace relay;

Var floorQuotient(Builder& b, Var x, Var y) {
    const Var quotient = div(b, x, y);
    if (b.failed())
        return {};
    if (b.dtype(x).isFloat())
        return b.call(Op::Floor, {quotient});
    ModAttrs attrs;
    attrs.fmod = true;
    const Var rest = b.call(Op::Mod, {x, y}, attrs), zero = scalarLike(b, 0, x);
    // The quotient is cut towards zero, which is up where a rest has not the divisor's sign.
    const Var isUp = b.call(Op::LogicalAnd, {b.call(Op::NotEqual, {rest, zero}),
                                             b.call(Op::LogicalXor, {less(b, rest, zero), less(b, y, zero)})});
    return b.failed() ? Var{} : sub(b, quotient, cast(b, isUp, b.dtype(x)));
}

Var inverseSquareRoot(Builder& b, Var x) {
    return b.call(Op::Reciprocal, {b.call(Op::Sqrt, {x})});
}

Var truncated(Builder& b, Var x) {
    if (b.failed() || !b.dtype(x).isFloat())
        return x;
    return where(b, less(b, x, scalarLike(b, 0, x)), b.call(Op::Ceil, {x}), b.call(Op::Floor, {x}));
}

namespace {

/// Whether x is near enough to 0 for the half that is right there.
Var isSmall(Builder& b, Var x) {
    const Var magnitude = b.call(Op::Abs, {x});
    return less(b, magnitude, scalarLike(b, 0.5, magnitude));
}

} // namespace

Var logOfOnePlus(Builder& b, Var x) {
    // (1 + x) is (1 + u) / (1 - u) with u = x / (2 + x), of which atanh takes half the logarithm.
    const Var near = mulBy(b, b.call(Op::Atanh, {div(b, x, addTo(b, x, 2))}), 2);
    return where(b, isSmall(b, x), near, b.call(Op::Log, {addTo(b, x, 1)}));
}

Var expMinusOne(Builder& b, Var x) {
    // exp(x) is (1 + t) / (1 - t) with t = tanh(x / 2).
    const Var t = b.call(Op::Tanh, {mulBy(b, x, 0.5)});
    const Var near = div(b, mulBy(b, t, 2), sub(b, scalarLike(b, 1, t), t));
    return where(b, isSmall(b, x), near, addTo(b, b.call(Op::Exp, {x}), -1));
}

Var polynomial(Builder& b, Var x, const std::vector<double>& coefficients) {
    Var sum = scalarLike(b, coefficients.front(), x);
    for (size_t i = 1; i < coefficients.size(); ++i)
        sum = addTo(b, mul(b, sum, x), coefficients[i]);
    return sum;
}

Var logOfSum(Builder& b, Var x, Var y, double logOfBase) {
    const Var larger = maximum(b, x, y), distance = b.call(Op::Abs, {sub(b, x, y)});
    const Var small = b.call(Op::Exp, {mulBy(b, distance, -logOfBase)});
    const Var sum = add(b, larger, mulBy(b, logOfOnePlus(b, small), 1 / logOfBase));
    // Of equal infinities there is no difference.
    const Var isInfinite = b.call(Op::LogicalAnd, {b.call(Op::IsInf, {larger}, IsInfAttrs{}), equal(b, x, y)});
    return where(b, isInfinite, larger, sum);
}

Var hasSign(Builder& b, Var x) {
    if (b.failed())
        return {};
    CastAttrs attrs;
    attrs.dtype = b.dtype(x) == types::Float64 ? types::Int64 : types::Int32;
    return less(b, b.call(Op::BitCast, {x}, attrs), b.scalarInt(0, attrs.dtype));
}

/// That of their magnitudes, in the first quadrant, then mirrored. Equal magnitudes are 0 and infinity too, of which
/// there is no quotient.
Var angle(Builder& b, Var y, Var x) {
    const Var height = b.call(Op::Abs, {y}), width = b.call(Op::Abs, {x}), zero = scalarLike(b, 0, x);
    const Var diagonal = where(b, equal(b, width, zero), zero, scalarLike(b, std::numbers::pi / 4, x));
    const Var acute = where(b, equal(b, height, width), diagonal, b.call(Op::Atan, {div(b, height, width)}));
    const Var upper = where(b, hasSign(b, x), sub(b, scalarLike(b, std::numbers::pi, x), acute), acute);
    return where(b, hasSign(b, y), b.call(Op::Negative, {upper}), upper);
}

Var hypotenuse(Builder& b, Var sideX, Var sideY) {
    const Var x = b.call(Op::Abs, {sideX}), y = b.call(Op::Abs, {sideY});
    const auto infinite = [&](Var v) { return b.call(Op::IsInf, {v}, IsInfAttrs{}); };
    const Var larger = maximum(b, x, y), ratio = div(b, minimum(b, x, y), larger);
    const Var length = mul(b, larger, b.call(Op::Sqrt, {addTo(b, mul(b, ratio, ratio), 1)}));
    const Var isInfinite = b.call(Op::LogicalOr, {infinite(x), infinite(y)}); // beside NaN too
    const Var zero = scalarLike(b, 0, larger);
    const Var infinity = scalarLike(b, std::numeric_limits<double>::infinity(), larger);
    return where(b, isInfinite, infinity, where(b, equal(b, larger, zero), zero, length));
}

} // namespace lathe::frontend
