// SPDX-License-Identifier: Apache-2.0
//
// Interning, the order of canonical forms, and the simplification of everything that is neither an index sum nor a
// condition.
#include "arith/simplifier.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace lathe::arith {
namespace {

bool isScalarIndex(const Expr& expr) {
    return expr.dtype() == types::Index;
}

bool isBroadcast(const Expr& expr) {
    return expr.kind() == ExprKind::Broadcast;
}

/// A comparison or logic of broadcast operands, of those.
Expr ofOneLane(const Expr& node) {
    std::vector<Expr> args;
    for (const Expr& arg : node->args)
        args.push_back(arg->args[0]);
    return make(node.kind(), std::move(args), types::Bool);
}

/// A mask that leaves out no lane.
bool isAllTrue(const Expr& mask) {
    return isConst(mask, 1) || (isBroadcast(mask) && isConst(mask->args[0], 1));
}

size_t combine(size_t seed, size_t value) {
    return (seed ^ value) * 0x9e3779b97f4a7c15ull + (seed >> 29);
}

size_t shallowHash(const ExprNode& node) {
    size_t hash = combine(static_cast<size_t>(node.kind), static_cast<size_t>(node.intrinsic));
    hash = combine(hash, (static_cast<size_t>(node.dtype.code) << 32) | (static_cast<size_t>(node.dtype.bits) << 16) |
                             node.dtype.lanes);
    hash = combine(hash, static_cast<size_t>(node.intValue));
    hash = combine(hash, std::bit_cast<size_t>(node.floatValue));
    hash = combine(hash, std::bit_cast<size_t>(node.storage.get()));
    for (const Expr& arg : node.args)
        hash = combine(hash, std::bit_cast<size_t>(arg.get()));
    return hash;
}

bool shallowEqual(const ExprNode& a, const ExprNode& b) {
    if (a.kind != b.kind || a.intrinsic != b.intrinsic || a.masked != b.masked || a.dtype != b.dtype ||
        a.intValue != b.intValue || a.storage != b.storage || a.args.size() != b.args.size() ||
        std::bit_cast<uint64_t>(a.floatValue) != std::bit_cast<uint64_t>(b.floatValue))
        return false;
    for (size_t i = 0; i < a.args.size(); ++i)
        if (!a.args[i].same(b.args[i]))
            return false;
    return a.kind != ExprKind::Var; // a Var is itself alone
}

bool isZeroValue(const Expr& expr) {
    return isConst(expr, 0);
}

} // namespace

Simplifier::Simplifier(const Facts& facts) : facts_(facts) {
    std::vector<AtomId> conditions;
    for (const Expr& truth : facts.truths)
        conditions.push_back(simplified(truth));
    for (AtomId condition : conditions)
        learn(condition, true);
    if (conditions.empty())
        return;
    // What was remembered before the truths were known holds, but may now be simplified further.
    memory_.clear();
    bounds_.clear();
}

AtomId Simplifier::intern(const Expr& expr) {
    auto known = idOfNode_.find(expr.get());
    if (known != idOfNode_.end())
        return known->second;
    Expr canonical = expr;
    if (!expr->args.empty()) {
        std::vector<Expr> args;
        args.reserve(expr->args.size());
        for (const Expr& arg : expr->args)
            args.push_back(atoms_[intern(arg)]);
        canonical = withArgs(expr, std::move(args));
        if (!canonical.same(expr)) {
            AtomId result = intern(canonical);
            remember(expr, result);
            return result;
        }
    }
    size_t hash = shallowHash(*canonical);
    if (canonical.kind() != ExprKind::Var) {
        auto [begin, end] = interned_.equal_range(hash);
        for (auto place = begin; place != end; ++place)
            if (shallowEqual(*atoms_[place->second], *canonical)) {
                remember(expr, place->second);
                return place->second;
            }
    }
    auto id = static_cast<AtomId>(atoms_.size());
    atoms_.push_back(canonical);
    interned_.emplace(hash, id);
    idOfNode_.emplace(canonical.get(), id);
    return id;
}

/// Without this a node that many others share would be walked once for each way to it.
void Simplifier::remember(const Expr& expr, AtomId id) {
    if (expr->args.empty())
        return;
    alive_.push_back(expr);
    idOfNode_.emplace(expr.get(), id);
}

int Simplifier::compare(const Expr& a, const Expr& b) const {
    if (a.same(b))
        return 0;
    bool constantA = isConst(a);
    bool constantB = isConst(b);
    if (constantA != constantB)
        return constantA ? 1 : -1;
    if (a.kind() != b.kind())
        return a.kind() < b.kind() ? -1 : 1;
    if (int order = a->name.compare(b->name); order != 0)
        return order;
    if (a->storage && b->storage)
        if (int order = a->storage->name.compare(b->storage->name); order != 0)
            return order;
    if (a->intValue != b->intValue)
        return a->intValue < b->intValue ? -1 : 1;
    for (size_t i = 0; i < std::min(a->args.size(), b->args.size()); ++i)
        if (int order = compare(a->args[i], b->args[i]); order != 0)
            return order;
    auto idA = idOfNode_.find(a.get());
    auto idB = idOfNode_.find(b.get());
    AtomId left = idA == idOfNode_.end() ? 0 : idA->second;
    AtomId right = idB == idOfNode_.end() ? 0 : idB->second;
    return left < right ? -1 : left > right ? 1 : 0;
}

/// Products of more factors first, then larger coefficients, then by structure: "i * n + io * 16 + ii".
bool Simplifier::before(const Term& a, const Term& b) const {
    if (a.factors.size() != b.factors.size())
        return a.factors.size() > b.factors.size();
    uint64_t sizeA = a.coefficient < 0 ? -static_cast<uint64_t>(a.coefficient) : static_cast<uint64_t>(a.coefficient);
    uint64_t sizeB = b.coefficient < 0 ? -static_cast<uint64_t>(b.coefficient) : static_cast<uint64_t>(b.coefficient);
    if (sizeA != sizeB)
        return sizeA > sizeB;
    for (size_t i = 0; i < a.factors.size(); ++i)
        if (int order = compare(atoms_[a.factors[i]], atoms_[b.factors[i]]); order != 0)
            return order < 0;
    return false;
}

Expr Simplifier::rebuild(const Poly& poly) {
    std::vector<const Term*> terms;
    for (const Term& term : poly.terms)
        terms.push_back(&term);
    std::ranges::sort(terms, [&](const Term* a, const Term* b) {
        if ((a->coefficient > 0) != (b->coefficient > 0))
            return a->coefficient > 0;
        return before(*a, *b);
    });
    Expr result;
    auto magnitude = [&](const Term& term, int64_t coefficient) {
        std::vector<Expr> factors;
        for (AtomId factor : term.factors)
            factors.push_back(atoms_[factor]);
        std::ranges::sort(factors, [&](const Expr& a, const Expr& b) { return compare(a, b) < 0; });
        Expr product = factors.front();
        for (size_t i = 1; i < factors.size(); ++i)
            product = product * factors[i];
        return coefficient == 1 ? product : product * Expr(coefficient);
    };
    bool constantDone = poly.constant == 0;
    for (const Term* term : terms) {
        if (!result && term->coefficient < 0 && poly.constant > 0) {
            result = Expr(poly.constant);
            constantDone = true;
        }
        if (!result)
            result = magnitude(*term, term->coefficient);
        else if (term->coefficient > 0 || term->coefficient == std::numeric_limits<int64_t>::min())
            result = result + magnitude(*term, term->coefficient);
        else
            result = result - magnitude(*term, -term->coefficient);
    }
    if (!result)
        return Expr(poly.constant);
    if (constantDone)
        return result;
    if (poly.constant > 0 || poly.constant == std::numeric_limits<int64_t>::min())
        return result + Expr(poly.constant);
    return result - Expr(-poly.constant);
}

AtomId Simplifier::fromPoly(Poly poly) {
    AtomId id = intern(rebuild(poly));
    polys_.try_emplace(id, std::move(poly));
    return id;
}

const Poly& Simplifier::polyOf(AtomId canonical) {
    auto known = polys_.find(canonical);
    if (known != polys_.end())
        return known->second;
    const Expr& expr = atoms_[canonical];
    auto value = asInt(expr);
    return polys_.emplace(canonical, value ? Poly::of(*value) : Poly::ofAtom(canonical)).first->second;
}

AtomId Simplifier::simplified(const Expr& expr) {
    auto known = memory_.find(expr.get());
    if (known != memory_.end())
        return known->second;
    AtomId result = simplifyNode(expr);
    alive_.push_back(expr);
    memory_[expr.get()] = result;
    // A canonical form is its own.
    memory_.try_emplace(atoms_[result].get(), result);
    return result;
}

AtomId Simplifier::simplifyNode(const Expr& expr) {
    if (expr.kind() == ExprKind::Var) {
        AtomId id = intern(expr);
        if (!isScalarIndex(expr))
            return id;
        Interval range = boundsOf(id);
        return range.isPoint() ? constant(range.lower) : id;
    }
    if (expr->args.empty() && expr.kind() != ExprKind::Load && expr.kind() != ExprKind::Call)
        return intern(expr);
    std::vector<Expr> args;
    args.reserve(expr->args.size());
    for (const Expr& arg : expr->args)
        args.push_back(atoms_[simplified(arg)]);
    Expr node = withArgs(expr, std::move(args));
    if (isConst(node))
        return intern(node);
    if (node.kind() >= ExprKind::Eq && node.kind() <= ExprKind::Not && node.dtype().lanes > 1 &&
        std::ranges::all_of(node->args, isBroadcast))
        return intern(broadcast(simplify(ofOneLane(node)), node.dtype().lanes));
    if (node.kind() == ExprKind::Select)
        return simplifySelect(node);
    if (node.kind() == ExprKind::Load && node->masked && isAllTrue(node->args.back())) {
        const Expr whole = load(node->storage, {node->args.begin(), node->args.end() - 1});
        return intern(whole.dtype() == node.dtype() ? whole : node);
    }
    if (node.kind() == ExprKind::Cast)
        return simplifyCast(node);
    if (node.kind() == ExprKind::Not)
        return simplifyNot(node);
    if (node.kind() == ExprKind::And || node.kind() == ExprKind::Or)
        return andOr(node);
    if (node.kind() >= ExprKind::Eq && node.kind() <= ExprKind::Ge) {
        bool index = isScalarIndex(node->args[0]);
        return index ? compareIndex(node.kind(), intern(node->args[0]), intern(node->args[1])) : compareData(node);
    }
    return isScalarIndex(node) ? simplifyIndexNode(node) : simplifyDataNode(node);
}

AtomId Simplifier::simplifyIndexNode(const Expr& node) {
    switch (node.kind()) {
    case ExprKind::Add:
    case ExprKind::Sub:
    case ExprKind::Mul: {
        AtomId a = intern(node->args[0]);
        AtomId b = intern(node->args[1]);
        auto result = sumOrProduct(node.kind(), polyOf(a), polyOf(b));
        return result ? fromPoly(mergeDivMod(std::move(*result))) : intern(node);
    }
    case ExprKind::Div:
    case ExprKind::Mod: {
        AtomId a = intern(node->args[0]);
        AtomId b = intern(node->args[1]);
        if (boundsOf(a).lower >= 0 && boundsOf(b).lower >= 1)
            return floorDivMod(node.kind() == ExprKind::Div ? ExprKind::FloorDiv : ExprKind::FloorMod, a, b);
        return intern(node);
    }
    case ExprKind::FloorDiv:
    case ExprKind::FloorMod:
        return floorDivMod(node.kind(), intern(node->args[0]), intern(node->args[1]));
    case ExprKind::Min:
    case ExprKind::Max:
        return minMax(node);
    default:
        return intern(node);
    }
}

AtomId Simplifier::minMax(const Expr& node) {
    bool isMin = node.kind() == ExprKind::Min;
    std::vector<AtomId> operands;
    std::vector<Expr> pending{node->args[1], node->args[0]};
    while (!pending.empty()) {
        Expr current = pending.back();
        pending.pop_back();
        if (current.kind() == node.kind() && operands.size() + pending.size() < 8) {
            pending.push_back(current->args[1]);
            pending.push_back(current->args[0]);
        } else {
            operands.push_back(intern(current));
        }
    }
    // Keeps an operand unless another one that stays is always at least as extreme.
    std::vector<AtomId> kept;
    for (AtomId operand : operands) {
        bool dominated = false;
        for (size_t i = 0; i < kept.size() && !dominated;) {
            auto difference = addScaled(polyOf(kept[i]), polyOf(operand), -1);
            auto reverse = addScaled(polyOf(operand), polyOf(kept[i]), -1);
            // Either may go beyond 64 bits alone.
            const auto &weaker = isMin ? reverse : difference, &stronger = isMin ? difference : reverse;
            if (weaker && nonNegative(*weaker))
                dominated = true;
            else if (stronger && nonNegative(*stronger))
                kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(i));
            else
                ++i;
        }
        if (!dominated)
            kept.push_back(operand);
    }
    std::ranges::sort(kept, [&](AtomId a, AtomId b) { return compare(atoms_[a], atoms_[b]) < 0; });
    Expr result = atoms_[kept.front()];
    for (size_t i = 1; i < kept.size(); ++i)
        result = binary(node.kind(), result, atoms_[kept[i]]);
    return intern(result);
}

AtomId Simplifier::simplifySelect(const Expr& node) {
    const Expr& condition = node->args[0];
    if (auto value = asInt(isBroadcast(condition) ? condition->args[0] : condition))
        return intern(node->args[*value != 0 ? 1 : 2]);
    AtomId a = intern(node->args[1]);
    AtomId b = intern(node->args[2]);
    if (a == b)
        return a;
    if (condition.kind() == ExprKind::Not)
        return intern(select(condition->args[0], node->args[2], node->args[1]));
    return intern(node);
}

AtomId Simplifier::simplifyCast(const Expr& node) {
    const Expr& value = node->args[0];
    bool inner = value.kind() == ExprKind::Cast;
    if (isScalarIndex(node) && inner && isScalarIndex(value->args[0])) {
        Interval range = rangeOfType(value.dtype());
        Interval actual = boundsOf(intern(value->args[0]));
        bool isWide = value.dtype().code == TypeCode::Int && value.dtype().bits == 64;
        bool fits =
            value.dtype().code == TypeCode::Int || (value.dtype().code == TypeCode::UInt && value.dtype().bits < 64);
        if (fits && (isWide || (actual.lower >= range.lower && actual.upper <= range.upper)))
            return intern(value->args[0]);
    }
    if (value.kind() == ExprKind::Select && node.dtype().lanes == 1 && isConst(value->args[1]) &&
        isConst(value->args[2]))
        return intern(select(value->args[0], cast(value->args[1], node.dtype()), cast(value->args[2], node.dtype())));
    return intern(node);
}

AtomId Simplifier::simplifyDataNode(const Expr& node) {
    if (node->args.size() != 2 || node.kind() == ExprKind::Call || node.kind() == ExprKind::Load)
        return intern(node);
    AtomId a = intern(node->args[0]);
    AtomId b = intern(node->args[1]);
    const Expr& left = atoms_[a];
    const Expr& right = atoms_[b];
    bool isFloat = node.dtype().isFloat();
    auto isValue = [&](const Expr& expr, double value) {
        auto constant = asFloat(expr);
        return constant && *constant == value && std::signbit(*constant) == std::signbit(value);
    };
    auto isOne = [&](const Expr& expr) { return isFloat ? isValue(expr, 1.0) : isConst(expr, 1); };
    switch (node.kind()) {
    case ExprKind::Add: // x + -0.0 is x; x + 0.0 is not, for x = -0.0
        if (isFloat ? isValue(right, -0.0) : isZeroValue(right))
            return a;
        if (isFloat ? isValue(left, -0.0) : isZeroValue(left))
            return b;
        break;
    case ExprKind::Sub:
        if (isFloat ? isValue(right, 0.0) : isZeroValue(right))
            return a;
        if (!isFloat && a == b && node.dtype().lanes == 1)
            return intern(zero(node.dtype()));
        break;
    case ExprKind::Mul:
        if (isOne(right))
            return a;
        if (isOne(left))
            return b;
        if (!isFloat && isZeroValue(right))
            return b;
        if (!isFloat && isZeroValue(left))
            return a;
        break;
    case ExprKind::Div:
    case ExprKind::FloorDiv:
        if (isOne(right) && (!isFloat || node.kind() == ExprKind::Div))
            return a;
        break;
    case ExprKind::Min:
    case ExprKind::Max:
        if (a == b)
            return a;
        break;
    case ExprKind::BitAnd:
    case ExprKind::BitOr:
        if (a == b)
            return a;
        break;
    case ExprKind::Shl:
    case ExprKind::Shr:
        if (isZeroValue(right))
            return a;
        break;
    default:
        break;
    }
    return intern(node);
}

} // namespace lathe::arith
