// SPDX-License-Identifier: Apache-2.0
//
// Checked arithmetic on canonical sums, and on intervals.
#include "arith/poly.h"

#include "arith/scalar.h"

#include <algorithm>

namespace lathe::arith {

const Term* Poly::find(const std::vector<AtomId>& factors) const {
    auto place = std::ranges::lower_bound(terms, factors, {}, &Term::factors);
    return place != terms.end() && place->factors == factors ? &*place : nullptr;
}

std::optional<Poly> addScaled(const Poly& a, const Poly& b, int64_t scale) {
    Poly result;
    int64_t scaledConstant = 0;
    if (__builtin_mul_overflow(b.constant, scale, &scaledConstant) ||
        __builtin_add_overflow(a.constant, scaledConstant, &result.constant))
        return std::nullopt;
    result.terms.reserve(a.terms.size() + b.terms.size());
    size_t i = 0;
    size_t j = 0;
    while (i < a.terms.size() || j < b.terms.size()) {
        bool takeA = j == b.terms.size() || (i < a.terms.size() && a.terms[i].factors <= b.terms[j].factors);
        bool takeB = i == a.terms.size() || (j < b.terms.size() && b.terms[j].factors <= a.terms[i].factors);
        int64_t coefficient = takeA ? a.terms[i].coefficient : 0;
        int64_t added = 0;
        if (takeB && (__builtin_mul_overflow(b.terms[j].coefficient, scale, &added) ||
                      __builtin_add_overflow(coefficient, added, &coefficient)))
            return std::nullopt;
        if (coefficient == std::numeric_limits<int64_t>::min()) // so that every coefficient can be negated
            return std::nullopt;
        if (coefficient != 0)
            result.terms.push_back({takeA ? a.terms[i].factors : b.terms[j].factors, coefficient});
        i += takeA ? 1 : 0;
        j += takeB ? 1 : 0;
    }
    if (result.terms.size() > maximumTerms)
        return std::nullopt;
    return result;
}

std::optional<Poly> scaled(const Poly& a, int64_t scale) {
    return addScaled(Poly{}, a, scale);
}

std::optional<Poly> product(const Poly& a, const Poly& b) {
    const bool scales = a.isConstant() || b.isConstant();
    if (!scales && (a.terms.size() + 1) * (b.terms.size() + 1) > maximumProductTerms)
        return std::nullopt;
    auto result = scaled(a, b.constant);
    for (const Term& term : b.terms) {
        if (!result)
            return std::nullopt;
        Poly shifted;
        for (const Term& other : a.terms) {
            std::vector<AtomId> factors;
            std::ranges::merge(other.factors, term.factors, std::back_inserter(factors));
            shifted.terms.push_back({std::move(factors), other.coefficient});
        }
        std::ranges::sort(shifted.terms, {}, &Term::factors);
        if (a.constant != 0) {
            auto withConstant = addScaled(shifted, Poly{{{term.factors, 1}}, 0}, a.constant);
            if (!withConstant)
                return std::nullopt;
            shifted = std::move(*withConstant);
        }
        result = addScaled(*result, shifted, term.coefficient);
    }
    return result;
}

Poly monomial(std::vector<AtomId> factors, int64_t coefficient) {
    if (coefficient == 0)
        return {};
    if (factors.empty())
        return Poly::of(coefficient);
    std::ranges::sort(factors);
    return {{{std::move(factors), coefficient}}, 0};
}

std::optional<std::vector<AtomId>> withoutFactors(const std::vector<AtomId>& factors,
                                                  const std::vector<AtomId>& divisor) {
    if (!std::ranges::includes(factors, divisor))
        return std::nullopt;
    std::vector<AtomId> result;
    std::ranges::set_difference(factors, divisor, std::back_inserter(result));
    return result;
}

namespace {

using Wide = __int128;

/// Beyond int64 a lower bound loses nothing but precision: it becomes a smaller, finite one.
int64_t lowerFrom(Wide value) {
    if (value <= Wide{unboundedLower})
        return unboundedLower;
    return value >= Wide{unboundedUpper} ? unboundedUpper - 1 : static_cast<int64_t>(value);
}

int64_t upperFrom(Wide value) {
    if (value >= Wide{unboundedUpper})
        return unboundedUpper;
    return value <= Wide{unboundedLower} ? unboundedLower + 1 : static_cast<int64_t>(value);
}

bool isFinite(int64_t bound) {
    return bound != unboundedLower && bound != unboundedUpper;
}

/// Product of two bounds, infinities included; 0 * infinity is 0.
Wide boundProduct(int64_t a, int64_t b) {
    constexpr Wide infinity = Wide{1} << 120;
    if (a == 0 || b == 0)
        return 0;
    if (isFinite(a) && isFinite(b))
        return Wide{a} * Wide{b};
    return (a < 0) != (b < 0) ? -infinity : infinity;
}

Wide boundQuotient(int64_t a, int64_t b) {
    constexpr Wide infinity = Wide{1} << 120;
    if (!isFinite(a))
        return a < 0 ? -infinity : infinity;
    if (!isFinite(b))
        return a < 0 ? -1 : 0;
    return floorDivide(a, b);
}

} // namespace

Interval intervalSum(Interval a, Interval b) {
    Interval result;
    if (a.lower != unboundedLower && b.lower != unboundedLower)
        result.lower = lowerFrom(Wide{a.lower} + Wide{b.lower});
    if (a.upper != unboundedUpper && b.upper != unboundedUpper)
        result.upper = upperFrom(Wide{a.upper} + Wide{b.upper});
    return result;
}

Interval intervalProduct(Interval a, Interval b) {
    Wide corners[] = {boundProduct(a.lower, b.lower), boundProduct(a.lower, b.upper), boundProduct(a.upper, b.lower),
                      boundProduct(a.upper, b.upper)};
    return {lowerFrom(std::ranges::min(corners)), upperFrom(std::ranges::max(corners))};
}

Interval intervalHull(Interval a, Interval b) {
    return {std::min(a.lower, b.lower), std::max(a.upper, b.upper)};
}

Interval intervalIntersection(Interval a, Interval b) {
    Interval result{std::max(a.lower, b.lower), std::min(a.upper, b.upper)};
    return result.lower > result.upper ? a : result;
}

Interval intervalMin(Interval a, Interval b) {
    return {std::min(a.lower, b.lower), std::min(a.upper, b.upper)};
}

Interval intervalMax(Interval a, Interval b) {
    return {std::max(a.lower, b.lower), std::max(a.upper, b.upper)};
}

Interval intervalFloorDiv(Interval a, Interval b) {
    if (b.lower < 0 || b.upper < 1)
        return {};
    b.lower = std::max<int64_t>(b.lower, 1); // as code a divisor of 0 counts as 1
    Wide corners[] = {boundQuotient(a.lower, b.lower), boundQuotient(a.lower, b.upper), boundQuotient(a.upper, b.lower),
                      boundQuotient(a.upper, b.upper)};
    return {lowerFrom(std::ranges::min(corners)), upperFrom(std::ranges::max(corners))};
}

Interval intervalFloorMod(Interval a, Interval b) {
    if (b.lower < 0 || b.upper < 1)
        return {};
    b.lower = std::max<int64_t>(b.lower, 1);
    Interval result{0, b.upper == unboundedUpper ? unboundedUpper : b.upper - 1};
    if (a.lower >= 0) {
        if (a.upper < b.lower)
            return a;
        result.upper = std::min(result.upper, a.upper);
    }
    return result;
}

Interval rangeOfType(DataType type) {
    if (type.isBool())
        return {0, 1};
    if (type.code == TypeCode::Int)
        return {std::numeric_limits<int64_t>::min() >> (64 - type.bits),
                std::numeric_limits<int64_t>::max() >> (64 - type.bits)};
    if (type.code == TypeCode::UInt && type.bits < 64)
        return {0, static_cast<int64_t>((uint64_t{1} << type.bits) - 1)};
    return {};
}

} // namespace lathe::arith
