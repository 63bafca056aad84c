// SPDX-License-Identifier: Apache-2.0
//
// Sums, products, floor division and modulo of index expressions, as canonical sums. Division by a constant c uses
//   floor((c q + r) / c) = q + floor(r / c)                   each coefficient split into quotient and remainder
//   floor((g x + s) / c) = floor(x / (c / g))                 if g divides c and 0 <= s < g
//   floor(floor(x / a) / b) = floor(x / (a b)),  (x mod a b) floordiv a = (x floordiv a) mod b
//   (g x + s) mod c = g (x mod (c / g)) + s                   under the same condition
// and sums merge  a (y mod c) + a c (y floordiv c) = a y.
#include "arith/simplifier.h"

#include "arith/scalar.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace lathe::arith {
namespace {

/// The divisor of a floordiv or floormod by a positive constant; 0 otherwise.
int64_t constantDivisor(const Expr& expr) {
    if (expr.kind() != ExprKind::FloorDiv && expr.kind() != ExprKind::FloorMod)
        return 0;
    auto value = asInt(expr->args[1]);
    return value && *value > 0 ? *value : 0;
}

} // namespace

std::optional<Poly> Simplifier::sumOrProduct(ExprKind kind, const Poly& a, const Poly& b) {
    if (kind == ExprKind::Mul)
        return product(a, b);
    return addScaled(a, b, kind == ExprKind::Add ? 1 : -1);
}

Poly Simplifier::mergeDivMod(Poly poly) {
    // Each merge removes a term at least, so this ends.
    while (auto merged = mergeOnce(poly))
        poly = std::move(*merged);
    return poly;
}

std::optional<Poly> Simplifier::mergeOnce(const Poly& poly) {
    if (poly.terms.size() < 2)
        return std::nullopt;
    for (const Term& term : poly.terms)
        for (size_t place = 0; place < term.factors.size(); ++place) {
            ExprKind kind = atoms_[term.factors[place]].kind();
            std::optional<Poly> merged;
            if (kind == ExprKind::FloorMod)
                merged = mergeMod(poly, term, place);
            else if (kind == ExprKind::FloorDiv)
                merged = mergeDiv(poly, term, place);
            if (merged && merged->terms.size() < poly.terms.size())
                return merged;
        }
    return std::nullopt;
}

/// a R (y mod d) + a R d (y floordiv d) -> a R y, for d a constant or a single product.
std::optional<Poly> Simplifier::mergeMod(const Poly& poly, const Term& term, size_t place) {
    AtomId mod = term.factors[place];
    AtomId value = argOf(mod, 0);
    AtomId divisor = argOf(mod, 1);
    Poly divisorPoly = polyOf(divisor);
    bool single = divisorPoly.isConstant() || (divisorPoly.terms.size() == 1 && divisorPoly.constant == 0);
    if (!single)
        return std::nullopt;
    AtomId quotient = floorDivMod(ExprKind::FloorDiv, value, divisor);
    const Poly& quotientPoly = polyOf(quotient);
    if (quotientPoly.terms.size() != 1 || quotientPoly.constant != 0)
        return std::nullopt;
    std::vector<AtomId> others = term.factors;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(place));
    auto scaledDivisor = product(monomial(others, term.coefficient), divisorPoly);
    auto partner = scaledDivisor ? product(*scaledDivisor, quotientPoly) : std::nullopt;
    if (!partner || partner->terms.size() != 1)
        return std::nullopt;
    const Term* present = poly.find(partner->terms.front().factors);
    if (present == nullptr || present->coefficient != partner->terms.front().coefficient)
        return std::nullopt;
    auto result = addScaled(poly, *partner, -1);
    if (result)
        result = addScaled(*result, monomial(term.factors, term.coefficient), -1);
    auto whole = product(monomial(others, term.coefficient), polyOf(value));
    return result && whole ? addScaled(*result, *whole, 1) : std::nullopt;
}

/// a y - a c (y floordiv c) -> a (y mod c), where the sum holds all terms of a y (its constant may differ).
std::optional<Poly> Simplifier::mergeDiv(const Poly& poly, const Term& term, size_t place) {
    int64_t divisor = constantDivisor(atoms_[term.factors[place]]);
    if (divisor == 0 || term.factors.size() != 1 || term.coefficient % divisor != 0)
        return std::nullopt;
    int64_t scale = -(term.coefficient / divisor);
    AtomId value = argOf(term.factors[place], 0);
    auto whole = scaled(polyOf(value), scale);
    if (!whole)
        return std::nullopt;
    for (const Term& part : whole->terms) {
        const Term* present = poly.find(part.factors);
        if (present == nullptr || present->coefficient != part.coefficient)
            return std::nullopt;
    }
    auto result = addScaled(poly, monomial(term.factors, term.coefficient), -1);
    if (result)
        result = addScaled(*result, *whole, -1);
    auto rest = floorModBy(polyOf(value), divisor);
    return result && rest ? addScaled(*result, *rest, scale) : std::nullopt;
}

AtomId Simplifier::plain(ExprKind kind, AtomId a, AtomId b) {
    return intern(binary(kind, atoms_[a], atoms_[b]));
}

AtomId Simplifier::floorDivMod(ExprKind kind, AtomId a, AtomId b) {
    bool isDivision = kind == ExprKind::FloorDiv;
    Poly dividend = polyOf(a);
    Poly divisor = polyOf(b);
    if (divisor.isConstant()) {
        int64_t value = divisor.constant;
        if (value == 0 || value == std::numeric_limits<int64_t>::min())
            return plain(kind, a, b);
        // floor(x / -c) = floor(-x / c) and x mod -c = -(-x mod c).
        auto positive = value < 0 ? scaled(dividend, -1) : std::optional(dividend);
        int64_t size = value < 0 ? -value : value;
        auto result = !positive ? std::nullopt : isDivision ? floorDivBy(*positive, size) : floorModBy(*positive, size);
        if (result && value < 0 && !isDivision)
            result = scaled(*result, -1);
        return result ? fromPoly(mergeDivMod(std::move(*result))) : plain(kind, a, b);
    }
    if (boundsOf(b).lower < 1)
        return plain(kind, a, b);
    Poly quotient;
    Poly rest = dividend;
    while (dividesOut(rest, divisor, quotient)) {
    }
    bool small = rest == Poly{} || isBelow(rest, divisor);
    if (!small && rest == dividend)
        return plain(kind, a, b);
    if (!isDivision)
        return small ? fromPoly(rest) : plain(kind, fromPoly(rest), b);
    if (small)
        return fromPoly(mergeDivMod(std::move(quotient)));
    AtomId remaining = plain(kind, fromPoly(rest), b);
    auto result = addScaled(quotient, polyOf(remaining), 1);
    return result ? fromPoly(mergeDivMod(std::move(*result))) : plain(kind, a, b);
}

/// Takes a multiple q * divisor out of poly where that cancels as many terms as the divisor has.
bool Simplifier::dividesOut(Poly& poly, const Poly& divisor, Poly& quotient) {
    const Term& leading = divisor.terms.back();
    for (const Term& term : poly.terms) {
        auto factors = withoutFactors(term.factors, leading.factors);
        if (!factors || term.coefficient % leading.coefficient != 0)
            continue;
        Poly multiple = monomial(*factors, term.coefficient / leading.coefficient);
        auto taken = product(multiple, divisor);
        auto rest = taken ? addScaled(poly, *taken, -1) : std::nullopt;
        auto sum = addScaled(quotient, multiple, 1);
        if (!rest || !sum || rest->terms.size() + divisor.terms.size() > poly.terms.size())
            continue;
        poly = std::move(*rest);
        quotient = std::move(*sum);
        return true;
    }
    return false;
}

/// rest = scale * multiples + small with scale > 1 a divisor of `divisor` and 0 <= small < scale.
bool Simplifier::splitBySmallPart(const Poly& rest, int64_t divisor, int64_t& scale, Poly& multiples, Poly& small) {
    std::set<int64_t, std::greater<>> candidates;
    for (const Term& term : rest.terms)
        if (int64_t common = std::gcd(term.coefficient, divisor); common > 1)
            candidates.insert(common);
    int tries = 0;
    for (int64_t candidate : candidates) {
        if (++tries > 8)
            break;
        multiples = Poly::of(floorDivide(rest.constant, candidate));
        small = Poly::of(floorModulo(rest.constant, candidate));
        for (const Term& term : rest.terms) {
            bool isMultiple = term.coefficient % candidate == 0;
            (isMultiple ? multiples : small)
                .terms.push_back({term.factors, isMultiple ? term.coefficient / candidate : term.coefficient});
        }
        Interval interval = boundsOf(small);
        if (interval.lower >= 0 && interval.upper < candidate) {
            scale = candidate;
            return true;
        }
    }
    return false;
}

std::optional<Poly> Simplifier::floorDivBy(const Poly& poly, int64_t divisor) {
    if (divisor == 1)
        return poly;
    Poly quotient = Poly::of(floorDivide(poly.constant, divisor));
    Poly rest = Poly::of(floorModulo(poly.constant, divisor));
    for (const Term& term : poly.terms) {
        if (int64_t whole = term.coefficient / divisor)
            quotient.terms.push_back({term.factors, whole});
        if (int64_t part = term.coefficient % divisor)
            rest.terms.push_back({term.factors, part});
    }
    if (rest.isConstant())
        return quotient;
    Interval interval = boundsOf(rest);
    if (interval.lower != unboundedLower && interval.upper != unboundedUpper &&
        floorDivide(interval.lower, divisor) == floorDivide(interval.upper, divisor))
        return addScaled(quotient, Poly::of(floorDivide(interval.lower, divisor)), 1);
    int64_t scale = 1;
    Poly multiples;
    Poly small;
    auto remaining = splitBySmallPart(rest, divisor, scale, multiples, small) ? floorDivBy(multiples, divisor / scale)
                                                                              : floorDivAtom(rest, divisor);
    return remaining ? addScaled(quotient, *remaining, 1) : std::nullopt;
}

std::optional<Poly> Simplifier::floorDivAtom(const Poly& rest, int64_t divisor) {
    bool single = rest.terms.size() == 1 && rest.terms[0].coefficient == 1 && rest.terms[0].factors.size() == 1;
    if (single) {
        AtomId atom = rest.terms[0].factors[0];
        int64_t inner = constantDivisor(atoms_[atom]);
        int64_t both = 0;
        if (inner > 0 && atoms_[atom].kind() == ExprKind::FloorDiv && !__builtin_mul_overflow(inner, divisor, &both)) {
            auto moved = addScaled(polyOf(argOf(atom, 0)), Poly::of(rest.constant), inner);
            if (moved)
                return floorDivBy(*moved, both);
        }
        if (inner > 0 && atoms_[atom].kind() == ExprKind::FloorMod && rest.constant == 0 && inner % divisor == 0)
            if (auto divided = floorDivBy(polyOf(argOf(atom, 0)), divisor))
                return floorModBy(*divided, inner / divisor);
    }
    AtomId dividend = fromPoly(rest);
    return Poly::ofAtom(plain(ExprKind::FloorDiv, dividend, constant(divisor)));
}

/// Replaces y mod m by y in terms whose coefficient times m the divisor divides.
std::optional<Poly> Simplifier::unwrapMods(const Poly& poly, int64_t divisor) {
    for (const Term& term : poly.terms)
        for (size_t place = 0; place < term.factors.size(); ++place) {
            const Expr& atom = atoms_[term.factors[place]];
            int64_t inner = atom.kind() == ExprKind::FloorMod ? constantDivisor(atom) : 0;
            int64_t multiple = 0;
            if (inner == 0 || __builtin_mul_overflow(inner, term.coefficient, &multiple) || multiple % divisor != 0)
                continue;
            std::vector<AtomId> others = term.factors;
            AtomId value = argOf(term.factors[place], 0);
            others.erase(others.begin() + static_cast<std::ptrdiff_t>(place));
            auto unwrapped = product(monomial(std::move(others), term.coefficient), polyOf(value));
            auto rest = addScaled(poly, monomial(term.factors, term.coefficient), -1);
            return unwrapped && rest ? addScaled(*rest, *unwrapped, 1) : std::nullopt;
        }
    return std::nullopt;
}

std::optional<Poly> Simplifier::floorModBy(const Poly& poly, int64_t divisor) {
    if (divisor == 1)
        return Poly{};
    Poly rest = Poly::of(floorModulo(poly.constant, divisor));
    for (const Term& term : poly.terms)
        if (int64_t part = term.coefficient % divisor)
            rest.terms.push_back({term.factors, part});
    if (rest.isConstant())
        return rest;
    Interval interval = boundsOf(rest);
    if (interval.lower != unboundedLower && interval.upper != unboundedUpper &&
        floorDivide(interval.lower, divisor) == floorDivide(interval.upper, divisor)) {
        int64_t shift = 0;
        if (!__builtin_mul_overflow(floorDivide(interval.lower, divisor), divisor, &shift))
            return addScaled(rest, Poly::of(shift), -1);
    }
    if (auto unwrapped = unwrapMods(rest, divisor))
        return floorModBy(*unwrapped, divisor);
    int64_t scale = 1;
    Poly multiples;
    Poly small;
    if (splitBySmallPart(rest, divisor, scale, multiples, small)) {
        auto remaining = floorModBy(multiples, divisor / scale);
        return remaining ? addScaled(small, *remaining, scale) : std::nullopt;
    }
    AtomId dividend = fromPoly(rest);
    return Poly::ofAtom(plain(ExprKind::FloorMod, dividend, constant(divisor)));
}

} // namespace lathe::arith
