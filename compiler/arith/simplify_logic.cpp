// SPDX-License-Identifier: Apache-2.0
//
// Conditions. A comparison of indices becomes "sum < constant or sum": its operands are moved to one side, merged and
// divided by their common factor; bounds and the known truths then decide it if they can.
#include "arith/simplifier.h"

#include "arith/scalar.h"

#include <algorithm>
#include <numeric>

namespace lathe::arith {
namespace {

Expr allLanes(Expr value, int lanes) {
    return lanes == 1 ? value : broadcast(std::move(value), lanes);
}

int64_t commonFactor(const Poly& poly) {
    int64_t common = 0;
    for (const Term& term : poly.terms)
        common = std::gcd(common, term.coefficient);
    return common;
}

Poly withoutNegative(const Poly& poly) {
    Poly result;
    for (const Term& term : poly.terms)
        if (term.coefficient > 0)
            result.terms.push_back(term);
    return result;
}

ExprKind mirrored(ExprKind kind) {
    switch (kind) {
    case ExprKind::Lt:
        return ExprKind::Ge;
    case ExprKind::Le:
        return ExprKind::Gt;
    case ExprKind::Gt:
        return ExprKind::Le;
    case ExprKind::Ge:
        return ExprKind::Lt;
    case ExprKind::Eq:
        return ExprKind::Ne;
    default:
        return ExprKind::Eq;
    }
}

} // namespace

bool Simplifier::nonNegative(const Poly& poly, int depth) {
    if (boundsOf(poly).lower >= 0)
        return true;
    if (depth >= 2)
        return false;
    for (const Poly& slack : slacks_)
        for (const Term& term : slack.terms) {
            const Term* own = poly.find(term.factors);
            if (own == nullptr || own->coefficient % term.coefficient != 0 || own->coefficient / term.coefficient < 1)
                continue;
            auto rest = addScaled(poly, slack, -(own->coefficient / term.coefficient));
            if (rest && nonNegative(*rest, depth + 1))
                return true;
            break;
        }
    return false;
}

bool Simplifier::isBelow(const Poly& poly, const Poly& divisor) {
    auto room = addScaled(divisor, poly, -1);
    if (room)
        room = addScaled(*room, Poly::of(-1), 1);
    return room && nonNegative(poly) && nonNegative(*room);
}

AtomId Simplifier::known(AtomId condition) {
    auto found = knownConditions_.find(condition);
    return found == knownConditions_.end() ? condition : intern(boolImm(found->second));
}

void Simplifier::learn(AtomId condition, bool holds) {
    Expr expr = atoms_[condition];
    if (isConst(expr))
        return;
    if (expr.kind() == ExprKind::Not)
        return learn(argOf(condition, 0), !holds);
    bool splits = holds ? expr.kind() == ExprKind::And : expr.kind() == ExprKind::Or;
    if (splits) {
        learn(argOf(condition, 0), holds);
        learn(argOf(condition, 1), holds);
        return;
    }
    knownConditions_[condition] = holds;
    if (slacks_.size() >= 64)
        return;
    if (auto slack = slackOf(condition)) {
        // Where a - b - 1 >= 0 does not hold, its negative minus one does.
        auto reverse = scaled(*slack, -1);
        if (reverse)
            reverse = addScaled(*reverse, Poly::of(-1), 1);
        if (holds)
            slacks_.push_back(*slack);
        else if (reverse)
            slacks_.push_back(*reverse);
        return;
    }
    bool equal = expr.kind() == (holds ? ExprKind::Eq : ExprKind::Ne);
    if (!equal || expr->args[0].dtype() != types::Index)
        return;
    auto difference = addScaled(polyOf(argOf(condition, 0)), polyOf(argOf(condition, 1)), -1);
    auto reverse = difference ? scaled(*difference, -1) : std::nullopt;
    if (difference && reverse) {
        slacks_.push_back(*difference);
        slacks_.push_back(*reverse);
    }
}

std::optional<Poly> Simplifier::slackOf(AtomId condition) {
    const Expr& expr = atoms_[condition];
    if (expr.kind() != ExprKind::Lt || expr->args[0].dtype() != types::Index)
        return std::nullopt;
    AtomId a = argOf(condition, 0);
    AtomId b = argOf(condition, 1);
    Poly left = polyOf(a);
    auto result = addScaled(polyOf(b), left, -1);
    return result ? addScaled(*result, Poly::of(-1), 1) : std::nullopt;
}

AtomId Simplifier::compareIndex(ExprKind kind, AtomId a, AtomId b) {
    if (kind == ExprKind::Gt || kind == ExprKind::Ge)
        return compareIndex(kind == ExprKind::Gt ? ExprKind::Lt : ExprKind::Le, b, a);
    Poly left = polyOf(a);
    auto difference = addScaled(left, polyOf(b), -1);
    if (difference && kind == ExprKind::Le)
        difference = addScaled(*difference, Poly::of(-1), 1); // a <= b is a - b - 1 < 0
    if (!difference)
        return intern(binary(kind, atoms_[a], atoms_[b]));
    Poly merged = mergeDivMod(std::move(*difference));
    return kind == ExprKind::Eq || kind == ExprKind::Ne ? equalOrNot(kind, merged) : lessThan(merged);
}

/// difference < 0
AtomId Simplifier::lessThan(const Poly& difference) {
    if (difference.isConstant())
        return intern(boolImm(difference.constant < 0));
    int64_t common = commonFactor(difference);
    Poly reduced;
    for (const Term& term : difference.terms)
        reduced.terms.push_back({term.factors, term.coefficient / common});
    // g s + k < 0 is s <= floor((-k - 1) / g), which is s - that - 1 < 0.
    int64_t negated = 0;
    int64_t shifted = 0;
    bool overflow = __builtin_sub_overflow(int64_t{-1}, difference.constant, &negated) ||
                    __builtin_sub_overflow(int64_t{-1}, floorDivide(negated, common), &shifted);
    if (overflow)
        return intern(binary(ExprKind::Lt, atoms_[fromPoly(difference)], Expr(0)));
    reduced.constant = shifted;
    auto slack = scaled(reduced, -1);
    if (slack)
        slack = addScaled(*slack, Poly::of(-1), 1);
    if (slack && nonNegative(*slack))
        return intern(boolImm(true));
    if (nonNegative(reduced))
        return intern(boolImm(false));
    Poly left = withoutNegative(reduced);
    auto right = addScaled(left, reduced, -1);
    if (!right)
        return intern(binary(ExprKind::Lt, atoms_[fromPoly(reduced)], Expr(0)));
    AtomId a = fromPoly(left);
    AtomId b = fromPoly(*right);
    return known(intern(binary(ExprKind::Lt, atoms_[a], atoms_[b])));
}

/// difference == 0, or != 0
AtomId Simplifier::equalOrNot(ExprKind kind, const Poly& difference) {
    auto decided = [&](bool equal) { return intern(boolImm(equal == (kind == ExprKind::Eq))); };
    if (difference.isConstant())
        return decided(difference.constant == 0);
    int64_t common = commonFactor(difference);
    if (difference.constant % common != 0)
        return decided(false);
    Poly reduced = Poly::of(difference.constant / common);
    for (const Term& term : difference.terms)
        reduced.terms.push_back({term.factors, term.coefficient / common});
    auto negative = scaled(reduced, -1);
    if (!negative)
        return intern(binary(kind, atoms_[fromPoly(reduced)], Expr(0)));
    auto oneLess = addScaled(reduced, Poly::of(-1), 1);
    auto oneMore = addScaled(*negative, Poly::of(-1), 1);
    if ((oneLess && nonNegative(*oneLess)) || (oneMore && nonNegative(*oneMore)))
        return decided(false);
    if (nonNegative(reduced) && nonNegative(*negative))
        return decided(true);
    Congruence residue = congruenceOf(reduced);
    if (residue.modulus > 1 && residue.remainder != 0)
        return decided(false);
    const Term* first = &reduced.terms.front();
    for (const Term& term : reduced.terms)
        if (before(term, *first))
            first = &term;
    const Poly& oriented = first->coefficient > 0 ? reduced : *negative;
    Poly left = withoutNegative(oriented);
    auto right = addScaled(left, oriented, -1);
    if (!right)
        return intern(binary(kind, atoms_[fromPoly(reduced)], Expr(0)));
    AtomId a = fromPoly(left);
    AtomId b = fromPoly(*right);
    AtomId opposite = intern(binary(mirrored(kind), atoms_[a], atoms_[b]));
    if (auto found = knownConditions_.find(opposite); found != knownConditions_.end())
        return intern(boolImm(!found->second));
    return known(intern(binary(kind, atoms_[a], atoms_[b])));
}

AtomId Simplifier::compareData(const Expr& node) {
    DataType type = node->args[0].dtype();
    AtomId a = intern(node->args[0]);
    AtomId b = intern(node->args[1]);
    bool isInteger = type.lanes == 1 && (type.isInt() || type.isBool());
    if (!isInteger)
        return known(intern(node));
    if (a == b)
        return intern(
            boolImm(node.kind() == ExprKind::Eq || node.kind() == ExprKind::Le || node.kind() == ExprKind::Ge));
    Interval left = boundsOf(a);
    Interval right = boundsOf(b);
    bool comparable = !(type.code == TypeCode::UInt && type.bits == 64);
    bool below =
        comparable && left.upper != unboundedUpper && right.lower != unboundedLower && left.upper < right.lower;
    bool above =
        comparable && right.upper != unboundedUpper && left.lower != unboundedLower && right.upper < left.lower;
    if (below || above) {
        bool holds = node.kind() == ExprKind::Ne ||
                     ((node.kind() == ExprKind::Lt || node.kind() == ExprKind::Le) && below) ||
                     ((node.kind() == ExprKind::Gt || node.kind() == ExprKind::Ge) && above);
        return intern(boolImm(holds));
    }
    return known(intern(node));
}

AtomId Simplifier::simplifyNot(const Expr& node) {
    const Expr& value = node->args[0];
    if (value.kind() == ExprKind::Not)
        return intern(value->args[0]);
    bool isCompare = value.kind() >= ExprKind::Eq && value.kind() <= ExprKind::Ge;
    if (!isCompare)
        return known(intern(node));
    DataType type = value->args[0].dtype();
    bool exact = !type.isFloat() || value.kind() == ExprKind::Eq || value.kind() == ExprKind::Ne; // NaN orders nothing
    if (!exact)
        return known(intern(node));
    if (type == types::Index)
        return compareIndex(mirrored(value.kind()), argOf(intern(value), 0), argOf(intern(value), 1));
    return known(intern(binary(mirrored(value.kind()), value->args[0], value->args[1])));
}

AtomId Simplifier::andOr(const Expr& node) {
    bool isAnd = node.kind() == ExprKind::And;
    std::vector<AtomId> operands;
    std::vector<Expr> pending{node->args[1], node->args[0]};
    while (!pending.empty()) {
        Expr current = pending.back();
        pending.pop_back();
        if (current.kind() == node.kind() && operands.size() + pending.size() < 64) {
            pending.push_back(current->args[1]);
            pending.push_back(current->args[0]);
            continue;
        }
        if (auto value = asInt(current.kind() == ExprKind::Broadcast ? current->args[0] : current)) {
            if ((*value != 0) != isAnd)
                return intern(allLanes(boolImm(!isAnd), node.dtype().lanes));
            continue;
        }
        AtomId id = intern(current);
        if (std::ranges::find(operands, id) != operands.end())
            continue;
        AtomId opposite = simplifyNot(make(ExprKind::Not, {atoms_[id]}, types::Bool));
        if (node.dtype().lanes == 1 && std::ranges::find(operands, opposite) != operands.end())
            return intern(boolImm(!isAnd));
        operands.push_back(id);
    }
    // A comparison that another one implies says nothing more (in an "or": one that implies another).
    std::vector<std::optional<Poly>> slacks;
    for (AtomId operand : operands)
        slacks.push_back(operands.size() <= 16 ? slackOf(operand) : std::nullopt);
    std::vector<bool> dropped(operands.size(), false);
    for (size_t i = 0; i < operands.size(); ++i)
        for (size_t j = 0; j < operands.size(); ++j) {
            if (i == j || dropped[i] || dropped[j] || !slacks[i] || !slacks[j])
                continue;
            auto more = isAnd ? addScaled(*slacks[i], *slacks[j], -1) : addScaled(*slacks[j], *slacks[i], -1);
            if (more && boundsOf(*more).lower >= 0)
                dropped[i] = true;
        }
    Expr result;
    for (size_t i = 0; i < operands.size(); ++i) {
        if (dropped[i])
            continue;
        const Expr& operand = atoms_[operands[i]];
        result = result ? binary(node.kind(), result, operand) : operand;
    }
    return result ? known(intern(result)) : intern(allLanes(boolImm(isAnd), node.dtype().lanes));
}

bool provablyEqual(const Expr& a, const Expr& b, const Facts& facts) {
    if (a.same(b))
        return true;
    if (!a || !b || a.dtype() != b.dtype())
        return false;
    Simplifier simplifier(facts);
    if (simplifier.simplified(a) == simplifier.simplified(b))
        return true;
    return a.dtype() == types::Index && isConst(simplifier.simplify(eq(a, b)), 1);
}

} // namespace lathe::arith
