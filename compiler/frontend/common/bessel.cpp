// SPDX-License-Identifier: Apache-2.0
#include "frontend/common/bessel.h"

#include "frontend/common/arithmetic.h"

#include "relay/attrs.h"

#include <cmath>

namespace lathe::frontend {
namespace {

using namespace relay;

/// Up to here the power series has few terms, all of one sign; beyond it the asymptotic one is a short polynomial.
constexpr double border = 12;

/// DLMF 10.25.2, of an x that is not negative.
Var powerSeries(Builder& b, Var x, int order) {
    constexpr int terms = 32;
    std::vector<double> coefficients; // 1 / (k! (k + order)!)
    for (int k = terms; k >= 0; --k)
        coefficients.push_back(1 / (std::tgamma(k + 1.0) * std::tgamma(k + order + 1.0)));
    const Var half = mulBy(b, x, 0.5), sum = polynomial(b, mul(b, half, half), coefficients);
    return order == 0 ? sum : mul(b, sum, half);
}

/// exp(-x) sqrt(x) times the function, of x from the border on: in y = 2 border / x - 1 the polynomials that are nearest at
/// Chebyshev's points; their errors are 2e-14.
Var farPolynomial(Builder& b, Var y, int order) {
    return order == 0 ? polynomial(b, y,
                                   {2.418255177887733e-11, 7.210862308345492e-11, 1.5600740362951512e-10,
                                    6.279363279034949e-10, 3.4425509671774338e-09, 2.3696278448085705e-08,
                                    2.171607437631289e-07, 2.7977057100174697e-06, 5.59848253200274e-05,
                                    0.0021821681721805584, 0.4010710650668474})
                      : polynomial(b, y,
                                   {-2.6115883557314868e-11, -7.800264638691282e-11, -1.7151586798540097e-10,
                                    -7.062935041379051e-10, -3.966809325743342e-09, -2.8262292954607924e-08,
                                    -2.726847675846214e-07, -3.827949915369825e-06, -9.124755353811198e-05,
                                    -0.006405453603552471, 0.39262449420411655});
}

Var scaled(Builder& b, Var x, int order) {
    const Var size = b.call(Op::Abs, {x}), edge = scalarLike(b, border, x);
    const Var isNear = less(b, size, edge), far = maximum(b, size, edge);
    const Var y = addTo(b, div(b, scalarLike(b, 2 * border, x), far), -1);
    const Var nearly =
        mul(b, powerSeries(b, minimum(b, size, edge), order), b.call(Op::Exp, {b.call(Op::Negative, {size})}));
    const Var farther = div(b, farPolynomial(b, y, order), b.call(Op::Sqrt, {far}));
    const Var value = where(b, isNear, nearly, farther);
    return order == 0 ? value : where(b, less(b, x, scalarLike(b, 0, x)), b.call(Op::Negative, {value}), value);
}

} // namespace

Var scaledBesselI(Builder& b, Var x, BesselOrder order) {
    return inDouble(b, x, [&](Var v) { return scaled(b, v, order == BesselOrder::Zero ? 0 : 1); });
}

Var besselI(Builder& b, Var x, BesselOrder order) {
    return inDouble(b, x, [&](Var v) {
        const Var size = b.call(Op::Abs, {v});
        const Var value = mul(b, scaledBesselI(b, v, order), b.call(Op::Exp, {size}));
        const Var isInfinite = b.call(Op::IsInf, {v}, IsInfAttrs{}); // where the one is 0 and the other is not
        return where(b, isInfinite, order == BesselOrder::Zero ? size : v, value);
    });
}

} // namespace lathe::frontend
