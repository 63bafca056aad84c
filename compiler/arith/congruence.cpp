// SPDX-License-Identifier: Apache-2.0
//
// Divisibility: what is known of an expression modulo some number, over canonical sums.
#include "arith/simplifier.h"

#include "arith/scalar.h"

#include <numeric>

namespace lathe::arith {
namespace {

Congruence normalized(int64_t modulus, int64_t remainder) {
    if (modulus < 0)
        modulus = modulus == std::numeric_limits<int64_t>::min() ? 1 : -modulus;
    if (modulus == 0)
        return {0, remainder};
    return {modulus, floorModulo(remainder, modulus)};
}

/// gcd that cannot meet INT64_MIN.
int64_t gcdOf(int64_t a, int64_t b) {
    constexpr int64_t least = std::numeric_limits<int64_t>::min();
    return a == least || b == least ? 1 : std::gcd(a, b);
}

Congruence sumOf(Congruence a, Congruence b) {
    int64_t remainder = 0;
    if (__builtin_add_overflow(a.remainder, b.remainder, &remainder))
        return {};
    return normalized(gcdOf(a.modulus, b.modulus), remainder);
}

Congruence productOf(Congruence a, Congruence b) {
    int64_t remainder = 0;
    int64_t moduli = 0;
    int64_t left = 0;
    int64_t right = 0;
    if (__builtin_mul_overflow(a.remainder, b.remainder, &remainder) ||
        __builtin_mul_overflow(a.modulus, b.modulus, &moduli) ||
        __builtin_mul_overflow(a.modulus, b.remainder, &left) || __builtin_mul_overflow(a.remainder, b.modulus, &right))
        return {};
    return normalized(gcdOf(moduli, gcdOf(left, right)), remainder);
}

/// Known of something that is either a or b.
Congruence eitherOf(Congruence a, Congruence b) {
    int64_t difference = 0;
    if (__builtin_sub_overflow(a.remainder, b.remainder, &difference))
        return {};
    return normalized(gcdOf(gcdOf(a.modulus, b.modulus), difference), a.remainder);
}

} // namespace

Congruence Simplifier::congruenceOf(const Poly& poly) {
    Congruence sum{0, poly.constant};
    for (const Term& term : poly.terms) {
        Congruence product{0, term.coefficient};
        for (AtomId factor : term.factors)
            product = productOf(product, congruenceOf(factor));
        sum = sumOf(sum, product);
    }
    return sum;
}

Congruence Simplifier::congruenceOf(AtomId canonical) {
    auto known = congruences_.find(canonical);
    if (known != congruences_.end())
        return known->second;
    congruences_[canonical] = Congruence{};
    Expr node = atoms_[canonical];
    auto arg = [&](size_t i) { return congruenceOf(intern(node->args[i])); };
    Congruence result;
    if (auto value = asInt(node)) {
        result = {0, *value};
    } else if (node.dtype() == types::Index) {
        Poly poly = polyOf(canonical);
        bool isAtom = poly == Poly::ofAtom(canonical);
        auto divisor = node->args.size() == 2 ? asInt(node->args[1]) : std::nullopt;
        if (!isAtom) {
            result = congruenceOf(poly);
        } else if (node.kind() == ExprKind::FloorMod && divisor && *divisor > 0) {
            Congruence inner = arg(0);
            result = normalized(gcdOf(inner.modulus, *divisor), inner.remainder);
        } else if (node.kind() == ExprKind::FloorDiv && divisor && *divisor > 0) {
            Congruence inner = arg(0);
            if (inner.modulus > 0 && inner.modulus % *divisor == 0)
                result = normalized(inner.modulus / *divisor, floorDivide(inner.remainder, *divisor));
        } else if (node.kind() == ExprKind::Min || node.kind() == ExprKind::Max) {
            result = eitherOf(arg(0), arg(1));
        } else if (node.kind() == ExprKind::Select) {
            result = eitherOf(arg(1), arg(2));
        }
    }
    congruences_[canonical] = result;
    return result;
}

Congruence congruence(const Expr& expr, const Facts& facts) {
    Simplifier simplifier(facts);
    AtomId canonical = simplifier.simplified(expr);
    if (auto value = asInt(simplifier.exprOf(canonical)))
        return {0, *value};
    return expr.dtype() == types::Index ? simplifier.congruenceOf(canonical) : Congruence{};
}

bool divisible(const Expr& expr, int64_t divisor, const Facts& facts) {
    if (divisor == 0)
        return false;
    Congruence known = congruence(expr, facts);
    return known.modulus % divisor == 0 && known.remainder % divisor == 0;
}

} // namespace lathe::arith
