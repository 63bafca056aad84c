// SPDX-License-Identifier: Apache-2.0
#include "frontend/common/error_function.h"

#include "frontend/common/arithmetic.h"

#include "relay/attrs.h"

#include <limits>
#include <numbers>

namespace lathe::frontend {
namespace {

using namespace relay;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double halfRootOfPi = 0.88622692545275801365; // 1 / the slope of erf at 0

Var negated(Builder& b, Var x) {
    return b.call(Op::Negative, {x});
}
Var isNegative(Builder& b, Var x) {
    return less(b, x, scalarLike(b, 0, x));
}

/// exp(x²) erfc(x) of an x that is not negative: t exp(P(2 t - 1)) with t = 2 / (2 + x). P is the polynomial that is
/// nearest at Chebyshev's points; its error is 2e-13.
Var scaledUpper(Builder& b, Var x) {
    const Var t = div(b, scalarLike(b, 2, x), addTo(b, x, 2));
    const Var power =
        polynomial(b, addTo(b, mulBy(b, t, 2), -1),
                   {-1.1806468257177684e-07, 1.6419881228334746e-07, 8.544016898895674e-07,   -1.7235653237598334e-06,
                    -2.3518984593289744e-06, 8.96724798738377e-06,   -4.0747027429451407e-07, -3.043344564782467e-05,
                    3.206626756586007e-05,   7.150207092030105e-05,  -0.00017442622172092362, -9.376275337756468e-05,
                    0.0006737091089779718,   -0.000146241987394118,  -0.002345817049225792,   0.0017589330450453996,
                    0.00882493893646367,     -0.009872689337904245,  -0.046895610245846216,   0.04734330684124994,
                    0.6726432239778267,      -0.6717940840566892});
    return mul(b, t, b.call(Op::Exp, {power}));
}

/// M. Giles, "Approximating the erfinv function", by w = -log(1 - y²): the quotient of the inverse and y, to 1e-7.
Var quotientOfInverse(Builder& b, Var w) {
    const Var near = polynomial(b, addTo(b, w, -2.5),
                                {2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087,
                                 -0.00125372503, -0.00417768164, 0.246640727, 1.50140941});
    const Var far = polynomial(b, addTo(b, b.call(Op::Sqrt, {maximum(b, w, scalarLike(b, 1, w))}), -3),
                               {-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773,
                                -0.0076224613, 0.00943887047, 1.00167406, 2.83297682});
    return where(b, less(b, w, scalarLike(b, 5, w)), near, far);
}

/// The inverse of erf at a size in 0 … 1, of which what it is short of 1 is given as exactly. Giles's approximation is
/// improved by Newton's method: where little is left to 1, on the logarithm of what is left, which is almost a parabola.
Var inverseOf(Builder& b, Var size, Var left) {
    const Var w = negated(b, b.call(Op::Log, {mul(b, left, addTo(b, size, 1))}));
    const Var byGiles = mul(b, quotientOfInverse(b, w), size);
    Var near = byGiles;
    for (int i = 0; i < 2; ++i) {
        const Var slope = mulBy(b, b.call(Op::Exp, {mul(b, near, near)}), halfRootOfPi);
        near = sub(b, near, mul(b, sub(b, b.call(Op::Erf, {near}), size), slope));
    }
    // His approximation ends where float32 does.
    Var far = where(b, less(b, w, scalarLike(b, 16, w)), byGiles, b.call(Op::Sqrt, {w}));
    const Var wanted = b.call(Op::Log, {left});
    for (int i = 0; i < 4; ++i) {
        const Var scaled = scaledUpper(b, far);
        const Var error = sub(b, sub(b, b.call(Op::Log, {scaled}), mul(b, far, far)), wanted);
        far = add(b, far, mulBy(b, mul(b, error, scaled), halfRootOfPi));
    }
    const Var finite = where(b, less(b, size, scalarLike(b, 0.5, size)), near, far);
    return where(b, equal(b, left, scalarLike(b, 0, left)), scalarLike(b, infinity, left), finite);
}

Var complement(Builder& b, Var x) {
    const Var size = b.call(Op::Abs, {x});
    const Var upper = mul(b, scaledUpper(b, size), b.call(Op::Exp, {negated(b, mul(b, size, size))}));
    return where(b, isNegative(b, x), sub(b, scalarLike(b, 2, x), upper), upper);
}

} // namespace

Var complementOfErf(Builder& b, Var x) {
    return inDouble(b, x, [&](Var v) { return complement(b, v); });
}

Var scaledComplementOfErf(Builder& b, Var x) {
    return inDouble(b, x, [&](Var v) {
        const Var upper = scaledUpper(b, b.call(Op::Abs, {v}));
        const Var whole = mulBy(b, b.call(Op::Exp, {mul(b, v, v)}), 2);
        return where(b, isNegative(b, v), sub(b, whole, upper), upper);
    });
}

Var inverseErf(Builder& b, Var y) {
    return inDouble(b, y, [&](Var v) {
        const Var size = b.call(Op::Abs, {v});
        const Var inverse = inverseOf(b, size, sub(b, scalarLike(b, 1, size), size));
        return where(b, isNegative(b, v), negated(b, inverse), inverse);
    });
}

Var normalShare(Builder& b, Var x) {
    return inDouble(b, x, [&](Var v) { return mulBy(b, complement(b, mulBy(b, v, -1 / std::numbers::sqrt2)), 0.5); });
}

Var logNormalShare(Builder& b, Var x) {
    return inDouble(b, x, [&](Var v) {
        const Var z = mulBy(b, v, 1 / std::numbers::sqrt2), isLow = less(b, v, scalarLike(b, -1, v));
        const Var upper = scaledUpper(b, b.call(Op::Abs, {z}));
        const Var low = sub(b, b.call(Op::Log, {mulBy(b, upper, 0.5)}), mul(b, z, z));
        return where(b, isLow, low, logOfOnePlus(b, mulBy(b, complement(b, z), -0.5)));
    });
}

Var normalQuantile(Builder& b, Var share) {
    return inDouble(b, share, [&](Var p) {
        // The nearer end says how much is left; from the middle both are as far.
        const Var rest = sub(b, scalarLike(b, 1, p), p), small = minimum(b, p, rest);
        const Var size = mulBy(b, addTo(b, mulBy(b, small, -1), 0.5), 2), left = mulBy(b, small, 2);
        const Var quantile = mulBy(b, inverseOf(b, size, left), std::numbers::sqrt2);
        return where(b, less(b, p, rest), negated(b, quantile), quantile);
    });
}

} // namespace lathe::frontend
