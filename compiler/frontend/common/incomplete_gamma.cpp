// SPDX-License-Identifier: Apache-2.0
#include "frontend/common/incomplete_gamma.h"

#include "frontend/common/arithmetic.h"
#include "frontend/common/broadcast.h"
#include "frontend/common/gamma_function.h"
#include "frontend/common/iterate.h"

#include "relay/attrs.h"

#include <cmath>
#include <limits>

namespace lathe::frontend {
namespace {

using namespace relay;

constexpr int64_t mostTerms = 10'000;
constexpr double settled = 1e-15; // relative to 1, a term or a factor that changes nothing any more

Var holdsBoth(Builder& b, Var x, Var y) {
    return b.call(Op::LogicalAnd, {x, y});
}
Var isPositive(Builder& b, Var x) {
    return b.call(Op::Greater, {x, scalarLike(b, 0, x)});
}
Var isInfinity(Builder& b, Var x) {
    return b.call(Op::IsInf, {x}, IsInfAttrs{});
}

Var onesLike(Builder& b, Var x) {
    return b.failed() ? Var{} : full(b, scalarLike(b, 1, x), b.shape(x));
}

/// A continued fraction from its front, by Lentz's method as Thompson and Barnett have it (DLMF 3.10(iii)).
struct Fraction {
    Var c, d, value;

    std::vector<Var> values() const { return {c, d, value}; }
    static Fraction of(const std::vector<Var>& values) { return {values[0], values[1], values[2]}; }
    /// With one more part, numerator over denominator; `factor` is what it changed the value by.
    Fraction with(Builder& b, Var numerator, Var denominator, Var& factor) const {
        // What is 0 would be a quotient that the next step cannot undo.
        const auto kept = [&](Var x) {
            constexpr double tiny = 1e-300;
            return where(b, less(b, b.call(Op::Abs, {x}), scalarLike(b, tiny, x)), scalarLike(b, tiny, x), x);
        };
        const Var nextC = kept(add(b, denominator, div(b, numerator, c)));
        const Var nextD = div(b, scalarLike(b, 1, d), kept(add(b, denominator, mul(b, numerator, d))));
        factor = mul(b, nextC, nextD);
        return {nextC, nextD, mul(b, value, factor)};
    }
};

Var hasChanged(Builder& b, Var factor) {
    return b.call(Op::Greater, {b.call(Op::Abs, {addTo(b, factor, -1)}), scalarLike(b, settled, factor)});
}

/// The number of an iteration as a float, the first as 1.
Var numberOf(Builder& b, Var iteration) {
    return addTo(b, cast(b, iteration, types::Float64), 1);
}

/// The sum of x^n / ((a + 1) … (a + n)): DLMF 8.11.4.
Var lowerSeries(Builder& b, Var a, Var x) {
    const Var one = onesLike(b, a);
    return iterated(b, {one, one}, mostTerms, [&](Var iteration, const std::vector<Var>& values) {
        const Var term = div(b, mul(b, values[0], x), add(b, a, numberOf(b, iteration)));
        const Var sum = add(b, values[1], term);
        return std::vector{term, sum, b.call(Op::Greater, {term, mulBy(b, sum, settled)})};
    })[1];
}

/// DLMF 8.9.2, each part joined with the one behind it.
Var upperFraction(Builder& b, Var a, Var x) {
    const Var first = addTo(b, sub(b, x, a), 1), reciprocal = b.call(Op::Reciprocal, {first});
    const Fraction start{mulBy(b, onesLike(b, x), 1e300), reciprocal, reciprocal};
    return iterated(b, start.values(), mostTerms, [&](Var iteration, const std::vector<Var>& before) {
        const Var n = numberOf(b, iteration);
        Var factor;
        const Fraction next =
            Fraction::of(before).with(b, mul(b, n, sub(b, a, n)), add(b, first, mulBy(b, n, 2)), factor);
        std::vector<Var> after = next.values();
        after.push_back(hasChanged(b, factor));
        return after;
    })[2];
}

/// P, or Q, of a and x in float64. The series where x is small beside a, the fraction elsewhere, each with operands for
/// which it soon ends where the other one counts.
Var gammaShare(Builder& b, Var a, Var x, bool above) {
    const Var zero = scalarLike(b, 0, x), one = scalarLike(b, 1, x), nan = scalarLike(b, std::nan(""), x);
    const Var finite = b.call(Op::LogicalNot, {b.call(Op::LogicalOr, {isInfinity(b, a), isInfinity(b, x)})});
    const Var isRegular = holdsBoth(b, holdsBoth(b, isPositive(b, a), isPositive(b, x)), finite);
    const Var isLow = less(b, x, addTo(b, a, 1));
    const Var bySeries = holdsBoth(b, isRegular, isLow);
    const Var byFraction = holdsBoth(b, isRegular, b.call(Op::LogicalNot, {isLow}));
    const Var power =
        b.call(Op::Exp, {sub(b, sub(b, mul(b, a, b.call(Op::Log, {x})), x), logGamma(b, addTo(b, a, 1)))});
    const Var below = mul(b, power, lowerSeries(b, where(b, bySeries, a, one), where(b, bySeries, x, zero)));
    const Var fraction = upperFraction(b, where(b, byFraction, a, one), where(b, byFraction, x, scalarLike(b, 3, x)));
    const Var upper = mul(b, mul(b, power, a), fraction);
    const Var share = above ? where(b, isLow, sub(b, one, below), upper) : where(b, isLow, below, sub(b, one, upper));
    // Borders: nothing lies below 0, all above it; of a = 0 all lies at 0, of an infinite one at infinity.
    const Var none = above ? one : zero, all = above ? zero : one;
    const Var atZero = holdsBoth(b, equal(b, x, zero), isPositive(b, a));
    const Var isAll = b.call(Op::LogicalOr, {holdsBoth(b, equal(b, a, zero), isPositive(b, x)),
                                             holdsBoth(b, isInfinity(b, x), less(b, a, x))});
    const Var isNone = b.call(Op::LogicalOr, {atZero, holdsBoth(b, isInfinity(b, a), less(b, x, a))});
    const Var isNegative = b.call(Op::LogicalOr, {less(b, a, zero), less(b, x, zero)});
    const Var borders = where(b, isAll, all, where(b, isNone, none, nan));
    return where(b, isRegular, share, where(b, isNegative, nan, borders));
}

Var gammaShareOf(Builder& b, Var a, Var x, bool above) {
    const std::vector<Var> both = broadcastTogether(b, {a, x});
    if (b.failed())
        return {};
    const DataType dtype = b.dtype(x);
    return cast(b, gammaShare(b, cast(b, both[0], types::Float64), cast(b, both[1], types::Float64), above), dtype);
}

/// DLMF 8.17.22, two parts a step.
Var betaFraction(Builder& b, Var p, Var q, Var x) {
    const Var one = onesLike(b, x), both = add(b, p, q);
    const Var first = sub(b, one, div(b, mul(b, both, x), addTo(b, p, 1))),
              reciprocal = b.call(Op::Reciprocal, {first});
    const Fraction start{one, reciprocal, reciprocal};
    return iterated(b, start.values(), mostTerms, [&](Var iteration, const std::vector<Var>& before) {
        const Var m = numberOf(b, iteration), twice = add(b, p, mulBy(b, m, 2));
        const Var even = div(b, mul(b, mul(b, m, sub(b, q, m)), x), mul(b, addTo(b, twice, -1), twice));
        const Var odd =
            b.call(Op::Negative,
                   {div(b, mul(b, mul(b, add(b, p, m), add(b, both, m)), x), mul(b, twice, addTo(b, twice, 1)))});
        Var factors[2];
        const Fraction half = Fraction::of(before).with(b, even, one, factors[0]);
        std::vector<Var> after = half.with(b, odd, one, factors[1]).values();
        after.push_back(hasChanged(b, factors[1]));
        return after;
    })[2];
}

/// In float64. By the smaller side, where the fraction soon ends.
Var betaShareOf(Builder& b, Var p, Var q, Var x) {
    const Var zero = scalarLike(b, 0, x), one = scalarLike(b, 1, x);
    const Var isInside = holdsBoth(b, isPositive(b, x), less(b, x, one));
    const Var isPair = holdsBoth(b, isPositive(b, p), isPositive(b, q));
    const Var isRegular = holdsBoth(b, isPair, isInside);
    const Var first = where(b, isRegular, p, one), second = where(b, isRegular, q, one);
    const Var place = where(b, isRegular, x, scalarLike(b, 0.5, x)), rest = sub(b, one, place);
    const Var sum = add(b, first, second);
    const Var turns = b.call(Op::Greater, {place, div(b, addTo(b, first, 1), addTo(b, sum, 2))});
    const Var front = where(b, turns, second, first), back = where(b, turns, first, second);
    const Var near = where(b, turns, rest, place);
    const Var whole = sub(b, sub(b, logGamma(b, sum), logGamma(b, first)), logGamma(b, second));
    const Var logs =
        add(b, mul(b, first, b.call(Op::Log, {place})), mul(b, second, logOfOnePlus(b, b.call(Op::Negative, {place}))));
    const Var side = div(b, mul(b, b.call(Op::Exp, {add(b, whole, logs)}), betaFraction(b, front, back, near)), front);
    const Var share = where(b, turns, sub(b, one, side), side);
    const Var isEnd = holdsBoth(b, isPair, b.call(Op::LogicalOr, {equal(b, x, zero), equal(b, x, one)}));
    return where(b, isRegular, share, where(b, isEnd, x, scalarLike(b, std::nan(""), x)));
}

} // namespace

Var gammaShareBelow(Builder& b, Var a, Var x) {
    return gammaShareOf(b, a, x, false);
}

Var gammaShareAbove(Builder& b, Var a, Var x) {
    return gammaShareOf(b, a, x, true);
}

Var betaShare(Builder& b, Var p, Var q, Var x) {
    std::vector<Var> all = broadcastTogether(b, {p, q, x});
    if (b.failed())
        return {};
    const DataType dtype = b.dtype(x);
    for (Var& each : all)
        each = cast(b, each, types::Float64);
    return cast(b, betaShareOf(b, all[0], all[1], all[2]), dtype);
}

} // namespace lathe::frontend
