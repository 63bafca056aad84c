// SPDX-License-Identifier: Apache-2.0
//
// Functions without a closed form, by approximations that are as exact as float32.
#include "frontend/tensorflow/operands.h"
#include "frontend/tensorflow/ops.h"
#include "relay/attrs.h"

#include <initializer_list>
#include <limits>
#include <numbers>

namespace lathe::frontend::tensorflow {
namespace {

/// A polynomial of x; the coefficient of its highest power first.
Var polynomial(Builder& b, Var x, std::initializer_list<double> coefficients) {
    Var sum = b.failed() ? Var{} : scalarLike(b, *coefficients.begin(), x);
    for (auto each = coefficients.begin() + 1; each != coefficients.end(); ++each)
        sum = addTo(b, mul(b, sum, x), *each);
    return sum;
}

/// M. Giles, "Approximating the erfinv function": two ranges of -log(1 - x²).
Var inverseErf(Builder& b, Var x) {
    const Var one = b.failed() ? Var{} : scalarLike(b, 1, x);
    const Var w = b.call(Op::Negative, {b.call(Op::Log, {mul(b, sub(b, one, x), addTo(b, x, 1))})});
    const Var near = polynomial(b, addTo(b, w, -2.5),
                                {2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087,
                                 -0.00125372503, -0.00417768164, 0.246640727, 1.50140941});
    const Var far = polynomial(b, addTo(b, b.call(Op::Sqrt, {maximum(b, w, one)}), -3),
                               {-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773,
                                -0.0076224613, 0.00943887047, 1.00167406, 2.83297682});
    if (b.failed())
        return {};
    const Var finite = mul(b, where(b, less(b, w, scalarLike(b, 5, w)), near, far), x);
    const Var ends = equal(b, b.call(Op::Abs, {x}), one);
    return where(b, ends, mulBy(b, x, std::numeric_limits<double>::infinity()), finite);
}

/// Lanczos's sum for arguments of 1/2 and more.
Var logGammaAbove(Builder& b, Var x) {
    constexpr double shift = 7.5;
    constexpr double coefficients[] = {676.5203681218851,     -1259.1392167224028,  771.32342877765313,
                                       -176.61502916214059,   12.507343278686905,   -0.13857109526572012,
                                       9.9843695780195716e-6, 1.5056327351493116e-7};
    const Var z = addTo(b, x, -1);
    if (b.failed())
        return {};
    Var sum = scalarLike(b, 0.99999999999980993, x);
    double place = 1;
    for (const double coefficient : coefficients)
        sum = add(b, sum, div(b, scalarLike(b, coefficient, x), addTo(b, z, place++)));
    const Var t = addTo(b, z, shift);
    const Var power = sub(b, mul(b, addTo(b, z, 0.5), b.call(Op::Log, {t})), t);
    return addTo(b, add(b, power, b.call(Op::Log, {sum})), 0.91893853320467274178); // log(2π) / 2
}

} // namespace

void convertErfinv(NodeReader& node, Builder& b) {
    giveMapped(node, b, [&](Var x) { return inverseErf(b, x); });
}

/// Where the normal distribution has come to p.
void convertNdtri(NodeReader& node, Builder& b) {
    giveMapped(node, b,
               [&](Var p) { return mulBy(b, inverseErf(b, addTo(b, mulBy(b, p, 2), -1)), std::numbers::sqrt2); });
}

/// In float64, since large parts cancel; below 1/2 by the reflection at it.
void convertLgamma(NodeReader& node, Builder& b) {
    const Var given = node.in(0);
    if (b.failed())
        return;
    const Var x = cast(b, given, types::Float64);
    const Var half = scalarLike(b, 0.5, x), mirrored = sub(b, scalarLike(b, 1, x), x), isLow = less(b, x, half);
    const Var above = logGammaAbove(b, where(b, isLow, mirrored, x));
    const Var sine = b.call(Op::Abs, {b.call(Op::Sin, {mulBy(b, x, std::numbers::pi)})});
    const Var reflected = sub(b, b.call(Op::Log, {div(b, scalarLike(b, std::numbers::pi, x), sine)}), above);
    node.set(0, cast(b, where(b, isLow, reflected, above), b.dtype(given)));
}

/// Abramowitz and Stegun, 9.8.1 and 9.8.2.
void convertBesselI0e(NodeReader& node, Builder& b) {
    constexpr double border = 3.75;
    giveMapped(node, b, [&](Var x) {
        const Var size = b.call(Op::Abs, {x});
        if (b.failed())
            return Var{};
        const Var ratio = mulBy(b, x, 1 / border);
        const Var near = mul(
            b,
            polynomial(b, mul(b, ratio, ratio), {0.0045813, 0.0360768, 0.2659732, 1.2067492, 3.0899424, 3.5156229, 1}),
            b.call(Op::Exp, {b.call(Op::Negative, {size})}));
        const Var away = maximum(b, size, scalarLike(b, border, x));
        const Var far = div(b,
                            polynomial(b, div(b, scalarLike(b, border, x), away),
                                       {0.00392377, -0.01647633, 0.02635537, -0.02057706, 0.00916281, -0.00157565,
                                        0.00225319, 0.01328592, 0.39894228}),
                            b.call(Op::Sqrt, {away}));
        return where(b, less(b, size, scalarLike(b, border, x)), near, far);
    });
}

} // namespace lathe::frontend::tensorflow
