// SPDX-License-Identifier: Apache-2.0
//
// Intervals of canonical expressions. The interval of a sum is the sum of its terms' intervals, sharpened twice:
// c * (y floordiv c) differs from y by less than c, and min, max and select are one of their operands.
#include "arith/simplifier.h"

#include "arith/scalar.h"

#include <algorithm>

namespace lathe::arith {

Interval Simplifier::boundsOf(AtomId canonical) {
    auto known = bounds_.find(canonical);
    if (known != bounds_.end())
        return known->second;
    Expr node = atoms_[canonical];
    Interval result;
    if (node.dtype() == types::Index) {
        const Poly& poly = polyOf(canonical);
        bool isAtom = poly.constant == 0 && poly.terms.size() == 1 && poly.terms[0].coefficient == 1 &&
                      poly.terms[0].factors.size() == 1 && poly.terms[0].factors[0] == canonical;
        result = isAtom ? boundsOfNode(node) : boundsOf(Poly(poly));
    } else {
        result = boundsOfNode(node);
    }
    bounds_[canonical] = result;
    return result;
}

Interval Simplifier::boundsOfNode(const Expr& node) {
    Interval typeRange = rangeOfType(node.dtype().scalar());
    auto arg = [&](size_t i) { return boundsOf(intern(node->args[i])); };
    if (node.dtype().lanes != 1 || node.dtype().isFloat())
        return typeRange;
    switch (node.kind()) {
    case ExprKind::IntImm:
        return {node->intValue, node->intValue};
    case ExprKind::Var: {
        Interval own = intervalIntersection(typeRange, {node->lower, node->upper});
        auto fact = facts_.ranges.find(node.get());
        return fact == facts_.ranges.end() ? own : intervalIntersection(own, fact->second);
    }
    case ExprKind::Select:
        return intervalHull(arg(1), arg(2));
    case ExprKind::Min:
    case ExprKind::Max:
        if (node.dtype().code == TypeCode::UInt && node.dtype().bits == 64)
            return typeRange;
        return node.kind() == ExprKind::Min ? intervalMin(arg(0), arg(1)) : intervalMax(arg(0), arg(1));
    case ExprKind::Cast: {
        DataType from = node->args[0].dtype();
        if (from.isFloat() || !(from.isInt() || from.isBool()))
            return typeRange;
        Interval inner = arg(0);
        bool unsignedWide = from.code == TypeCode::UInt && from.bits == 64;
        bool fits = inner.lower >= typeRange.lower && inner.upper <= typeRange.upper && !unsignedWide;
        return fits ? inner : typeRange;
    }
    case ExprKind::Call:
        if (node->intrinsic == Intrinsic::PopCount)
            return {0, 64};
        return typeRange;
    default:
        break;
    }
    if (!node.dtype().isIndex())
        return typeRange;
    switch (node.kind()) {
    case ExprKind::Add:
        return intervalSum(arg(0), arg(1));
    case ExprKind::Sub:
        return intervalSum(arg(0), intervalProduct(arg(1), {-1, -1}));
    case ExprKind::Mul:
        return intervalProduct(arg(0), arg(1));
    case ExprKind::FloorDiv:
        return intervalFloorDiv(arg(0), arg(1));
    case ExprKind::FloorMod:
        return intervalFloorMod(arg(0), arg(1));
    case ExprKind::Mod: {
        Interval dividend = arg(0);
        Interval divisor = arg(1);
        if (divisor.lower < 1 || divisor.upper == unboundedUpper)
            return typeRange;
        int64_t most = divisor.upper - 1;
        return {dividend.lower >= 0 ? 0 : -most, dividend.upper <= 0 ? 0 : most};
    }
    case ExprKind::Div: {
        // Truncation lies between the floor quotient and that plus one.
        Interval quotient = intervalFloorDiv(arg(0), arg(1));
        return intervalSum(quotient, {0, 1});
    }
    default:
        return typeRange;
    }
}

Interval Simplifier::boundsOf(const Poly& poly, int depth) {
    Interval sum{poly.constant, poly.constant};
    bool hasComplexAtom = false;
    for (const Term& term : poly.terms) {
        Interval product{term.coefficient, term.coefficient};
        for (size_t i = 0; i < term.factors.size(); ++i) {
            Interval factor = boundsOf(term.factors[i]);
            bool isSquare = i + 1 < term.factors.size() && term.factors[i + 1] == term.factors[i];
            if (isSquare) {
                factor = intervalProduct(factor, factor);
                factor.lower = std::max<int64_t>(factor.lower, 0);
                ++i;
            }
            product = intervalProduct(product, factor);
        }
        sum = intervalSum(sum, product);
        hasComplexAtom = hasComplexAtom || (term.factors.size() == 1 && !atoms_[term.factors[0]]->args.empty());
    }
    if (poly.terms.size() + (poly.constant != 0 ? 1 : 0) < 2 || !hasComplexAtom || depth >= maximumSplits)
        return sum;
    sum = refineByDivisions(poly, sum, depth);
    return refineBySplits(poly, sum, depth);
}

Interval Simplifier::refineByDivisions(const Poly& poly, Interval interval, int depth) {
    Poly relaxed = poly;
    Interval error{0, 0};
    bool changed = false;
    for (const Term& term : poly.terms) {
        const Expr& atom = atoms_[term.factors[0]];
        if (term.factors.size() != 1 || atom.kind() != ExprKind::FloorDiv)
            continue;
        auto divisor = asInt(atom->args[1]);
        if (!divisor || *divisor < 1 || term.coefficient % *divisor != 0)
            continue;
        int64_t scale = term.coefficient / *divisor;
        Poly dividend = polyOf(intern(atom->args[0]));
        auto without = addScaled(relaxed, monomial(term.factors, term.coefficient), -1);
        auto replaced = without ? addScaled(*without, dividend, scale) : std::nullopt;
        if (!replaced)
            continue;
        relaxed = std::move(*replaced);
        error = intervalSum(error, intervalProduct({-scale, -scale}, {0, *divisor - 1}));
        changed = true;
    }
    if (!changed)
        return interval;
    return intervalIntersection(interval, intervalSum(boundsOf(relaxed, depth + 1), error));
}

Interval Simplifier::refineBySplits(const Poly& poly, Interval interval, int depth) {
    for (const Term& term : poly.terms) {
        if (term.factors.size() != 1)
            continue;
        Expr atom = atoms_[term.factors[0]];
        bool isSelect = atom.kind() == ExprKind::Select;
        if (!isSelect && atom.kind() != ExprKind::Min && atom.kind() != ExprKind::Max)
            continue;
        size_t first = isSelect ? 1 : 0;
        auto rest = addScaled(poly, monomial(term.factors, term.coefficient), -1);
        Poly left = polyOf(intern(atom->args[first]));
        Poly right = polyOf(intern(atom->args[first + 1]));
        auto one = rest ? addScaled(*rest, left, term.coefficient) : std::nullopt;
        auto other = rest ? addScaled(*rest, right, term.coefficient) : std::nullopt;
        if (!one || !other)
            continue;
        Interval a = boundsOf(*one, depth + 1);
        Interval b = boundsOf(*other, depth + 1);
        bool lesser = (atom.kind() == ExprKind::Min) == (term.coefficient > 0);
        Interval split = isSelect ? intervalHull(a, b) : lesser ? intervalMin(a, b) : intervalMax(a, b);
        return intervalIntersection(interval, split);
    }
    return interval;
}

} // namespace lathe::arith
