// SPDX-License-Identifier: Apache-2.0
#include "frontend/common/arithmetic.h"

#include "relay/attrs.h"

#include <numbers>

namespace lathe::frontend {

using namespace relay;

namespace {

/// Whether the sign is set, of zeros too. x: float32 or float64.
Var hasSign(Builder& b, Var x) {
    if (b.failed())
        return {};
    CastAttrs attrs;
    attrs.dtype = b.dtype(x) == types::Float64 ? types::Int64 : types::Int32;
    return less(b, b.call(Op::BitCast, {x}, attrs), b.scalarInt(0, attrs.dtype));
}

} // namespace

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

// Equal magnitudes are 0 and infinity too, of which there is no quotient.
Var angle(Builder& b, Var y, Var x) {
    const Var height = b.call(Op::Abs, {y}), width = b.call(Op::Abs, {x}), zero = scalarLike(b, 0, x);
    const Var diagonal = where(b, equal(b, width, zero), zero, scalarLike(b, std::numbers::pi / 4, x));
    const Var acute = where(b, equal(b, height, width), diagonal, b.call(Op::Atan, {div(b, height, width)}));
    const Var upper = where(b, hasSign(b, x), sub(b, scalarLike(b, std::numbers::pi, x), acute), acute);
    return where(b, hasSign(b, y), b.call(Op::Negative, {upper}), upper);
}

} // namespace lathe::frontend
