// SPDX-License-Identifier: Apache-2.0
#include "frontend/common/gamma_function.h"

#include "frontend/common/arithmetic.h"
#include "frontend/common/broadcast.h"
#include "frontend/common/iterate.h"

#include "relay/attrs.h"

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace lathe::frontend {
namespace {

using namespace relay;

Var quotientOf(Builder& b, double numerator, Var x) {
    return div(b, scalarLike(b, numerator, x), x);
}

/// pi times the distance to the nearest whole number: the sine of pi x without what is lost of a large x.
Var turnOf(Builder& b, Var x) {
    return mulBy(b, sub(b, x, b.call(Op::Round, {x})), std::numbers::pi);
}

/// C. Lanczos, "A Precision Approximation of the Gamma Function", for arguments of 1/2 and more, with g = 7.
Var logGammaAbove(Builder& b, Var x) {
    constexpr double shift = 7.5;
    constexpr auto coefficients =
        std::to_array({676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
                       12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7});
    const Var z = addTo(b, x, -1);
    Var sum = scalarLike(b, 0.99999999999980993, x);
    double place = 1;
    for (const double coefficient : coefficients)
        sum = add(b, sum, quotientOf(b, coefficient, addTo(b, z, place++)));
    const Var t = addTo(b, z, shift);
    const Var power = sub(b, mul(b, addTo(b, z, 0.5), b.call(Op::Log, {t})), t);
    return addTo(b, add(b, power, b.call(Op::Log, {sum})), 0.91893853320467274178); // log(2π) / 2
}

/// Below 1/2 by the reflection there.
Var logGammaOf(Builder& b, Var x) {
    const Var isLow = less(b, x, scalarLike(b, 0.5, x));
    const Var above = logGammaAbove(b, where(b, isLow, sub(b, scalarLike(b, 1, x), x), x));
    const Var sine = b.call(Op::Abs, {b.call(Op::Sin, {turnOf(b, x)})});
    const Var reflected = sub(b, b.call(Op::Log, {quotientOf(b, std::numbers::pi, sine)}), above);
    const Var isInfinite = b.call(Op::IsInf, {x}, IsInfAttrs{}); // there differences are none
    return where(b, isInfinite, b.call(Op::Abs, {x}), where(b, isLow, reflected, above));
}

/// M. Abramowitz and I. Stegun, 6.3.18, far enough from 0 by 6.3.6, and 6.3.7 below 1/2.
Var digammaOf(Builder& b, Var x) {
    constexpr int steps = 10;
    const Var isLow = less(b, x, scalarLike(b, 0.5, x)), start = where(b, isLow, sub(b, scalarLike(b, 1, x), x), x);
    Var sum = scalarLike(b, 0, x);
    for (int k = 0; k < steps; ++k)
        sum = add(b, sum, quotientOf(b, 1, addTo(b, start, k)));
    const Var far = addTo(b, start, steps), square = quotientOf(b, 1, mul(b, far, far));
    const Var series =
        mul(b, square,
            polynomial(b, square, {1.0 / 12, -691.0 / 32760, 1.0 / 132, -1.0 / 240, 1.0 / 252, -1.0 / 120, 1.0 / 12}));
    const Var asymptotic = sub(b, sub(b, b.call(Op::Log, {far}), quotientOf(b, 0.5, far)), series);
    const Var above = sub(b, asymptotic, sum);
    const Var reflected = sub(b, above, quotientOf(b, std::numbers::pi, b.call(Op::Tan, {turnOf(b, x)})));
    constexpr double infinite = std::numeric_limits<double>::infinity();
    const Var zero = scalarLike(b, 0, x), isWhole = equal(b, x, b.call(Op::Round, {x}));
    const Var isPole = b.call(Op::LogicalAnd, {isWhole, less(b, x, zero)});
    const Var regular = where(b, isPole, scalarLike(b, std::nan(""), x), where(b, isLow, reflected, above));
    return where(b, equal(b, x, zero),
                 quotientOf(b, -infinite, where(b, hasSign(b, x), scalarLike(b, -1, x), scalarLike(b, 1, x))), regular);
}

/// Euler's and Maclaurin's formula for the terms from w on: DLMF 25.11.28, with B(2 k) / (2 k)!.
Var restOfZeta(Builder& b, Var s, Var w) {
    constexpr auto coefficients =
        std::to_array({1.0 / 12, -1.0 / 720, 1.0 / 30240, -1.0 / 1209600, 1.0 / 47900160, -5.284190138687493e-10,
                       1.3382536530684679e-11, -3.3896802963225827e-13, 8.586062056277845e-15, -2.174868698558062e-16});
    const Var power = b.call(Op::Power, {w, b.call(Op::Negative, {s})});
    Var sum = mul(b, power, addTo(b, div(b, w, addTo(b, s, -1)), 0.5));
    Var factor = div(b, mul(b, s, power), w);
    const Var square = mul(b, w, w);
    double next = 1;
    for (const double coefficient : coefficients) {
        sum = add(b, sum, mulBy(b, factor, coefficient));
        factor = div(b, mul(b, factor, mul(b, addTo(b, s, next), addTo(b, s, next + 1))), square);
        next += 2;
    }
    return sum;
}

Var zetaOf(Builder& b, Var s, Var q) {
    constexpr double start = 10, most = 100'000; // where the formula is exact, and how many terms lead there
    const Var zero = scalarLike(b, 0, q), one = scalarLike(b, 1, q);
    const Var distance = b.call(Op::Ceil, {sub(b, scalarLike(b, start, q), q)});
    // Comparisons of NaN are false.
    const Var isNear = less(b, distance, scalarLike(b, most, q));
    const Var terms = maximum(b, where(b, isNear, distance, zero), scalarLike(b, start, q));
    if (b.failed())
        return {};
    const Var times = maximum(b, reduce(b, "max", terms, iotaInts(0, b.rank(terms)), false), scalarLike(b, start, q));
    const Var down = b.call(Op::Negative, {s});
    const Var head = repeated(b, {full(b, zero, b.shape(terms))}, cast(b, times, types::Int64),
                              [&](Var iteration, const std::vector<Var>& sum) {
                                  const Var k = cast(b, iteration, types::Float64);
                                  const Var term = b.call(Op::Power, {add(b, q, k), down});
                                  return std::vector{add(b, sum[0], where(b, less(b, k, terms), term, zero))};
                              })[0];
    const Var sum = add(b, head, restOfZeta(b, s, add(b, q, terms)));
    const Var isLow = b.call(Op::LessEqual, {q, zero});
    const Var isPole = b.call(Op::LogicalAnd, {isLow, equal(b, q, b.call(Op::Floor, {q}))});
    const Var hasRoots = b.call(Op::LogicalAnd, {isLow, b.call(Op::NotEqual, {s, b.call(Op::Floor, {s})})});
    const Var nan = scalarLike(b, std::nan(""), q),
              infinite = scalarLike(b, std::numeric_limits<double>::infinity(), q);
    const Var regular = where(b, isPole, infinite, where(b, hasRoots, nan, sum));
    return where(b, equal(b, s, one), infinite, where(b, less(b, s, one), nan, regular));
}

} // namespace

Var logGamma(Builder& b, Var x) {
    return inDouble(b, x, [&](Var v) { return logGammaOf(b, v); });
}

Var digamma(Builder& b, Var x) {
    return inDouble(b, x, [&](Var v) { return digammaOf(b, v); });
}

Var polygamma(Builder& b, int64_t order, Var x) {
    // DLMF 25.11.12.
    const double factorial = std::tgamma(static_cast<double>(order) + 1);
    return inDouble(b, x, [&](Var v) {
        const Var zeta = zetaOf(b, scalarLike(b, static_cast<double>(order) + 1, v), v);
        return mulBy(b, zeta, order % 2 == 0 ? -factorial : factorial);
    });
}

Var hurwitzZeta(Builder& b, Var s, Var q) {
    const std::vector<Var> both = broadcastTogether(b, {s, q});
    if (b.failed())
        return {};
    const DataType dtype = b.dtype(q);
    return cast(b, zetaOf(b, cast(b, both[0], types::Float64), cast(b, both[1], types::Float64)), dtype);
}

} // namespace lathe::frontend
