// SPDX-License-Identifier: Apache-2.0
//
// Interval arithmetic over expressions: affine forms exactly, the rest by structure.
#include "schedule/symbolic_range.h"

#include <algorithm>

namespace lathe::schedule {

using arith::ExprKind;

namespace {

bool isNonNegative(const Expr& expr, const arith::Facts& facts) {
    return arith::bounds(expr, facts).lower >= 0;
}
bool isPositive(const Expr& expr, const arith::Facts& facts) {
    return arith::bounds(expr, facts).lower >= 1;
}

class Bounder {
public:
    explicit Bounder(const LoopRanges& loops) : loops_(loops) {}

    std::optional<SymbolicRange> run(const Expr& expr) {
        std::vector<Var> relaxed;
        for (const Var& var : arith::freeVars(expr))
            if (loops_.ranges.contains(var.get()))
                relaxed.push_back(var);
        if (relaxed.empty())
            return SymbolicRange{expr, expr};
        if (auto affine = arith::asAffine(expr, relaxed))
            if (auto range = affineRange(*affine, relaxed))
                return range;
        return byStructure(expr);
    }

private:
    std::optional<SymbolicRange> affineRange(const arith::Affine& affine, const std::vector<Var>& vars) {
        SymbolicRange range{affine.base, affine.base};
        for (size_t i = 0; i < vars.size(); ++i) {
            const Expr& factor = affine.coefficients[i];
            const SymbolicRange& of = loops_.ranges.at(vars[i].get());
            if (isNonNegative(factor, loops_.facts)) {
                range.lower = range.lower + factor * of.lower;
                range.upper = range.upper + factor * of.upper;
            } else if (arith::bounds(factor, loops_.facts).upper <= 0) {
                range.lower = range.lower + factor * of.upper;
                range.upper = range.upper + factor * of.lower;
            } else {
                return std::nullopt;
            }
        }
        return tidy(range);
    }

    SymbolicRange tidy(const SymbolicRange& range) {
        return {arith::simplify(range.lower, loops_.facts), arith::simplify(range.upper, loops_.facts)};
    }

    std::optional<SymbolicRange> byStructure(const Expr& expr) {
        if (expr.kind() == ExprKind::Var)
            return loops_.ranges.at(expr.get());
        std::vector<SymbolicRange> args;
        for (size_t i = expr.kind() == ExprKind::Select ? 1 : 0; i < expr->args.size(); ++i) {
            auto range = expr->args[i].dtype().isIndex() ? run(expr->args[i]) : std::nullopt;
            if (!range)
                return std::nullopt;
            args.push_back(*range);
        }
        switch (expr.kind()) {
        case ExprKind::Add:
            return tidy({args[0].lower + args[1].lower, args[0].upper + args[1].upper});
        case ExprKind::Sub:
            return tidy({args[0].lower - args[1].upper, args[0].upper - args[1].lower});
        case ExprKind::Mul:
            return product(args[0], args[1]);
        case ExprKind::FloorDiv:
            if (args[1].lower.same(args[1].upper) && isPositive(args[1].lower, loops_.facts))
                return tidy(
                    {arith::floorDiv(args[0].lower, args[1].lower), arith::floorDiv(args[0].upper, args[1].lower)});
            return std::nullopt;
        case ExprKind::FloorMod:
            return remainder(args[0], args[1]);
        case ExprKind::Min:
            return tidy({arith::min(args[0].lower, args[1].lower), arith::min(args[0].upper, args[1].upper)});
        case ExprKind::Max:
            return tidy({arith::max(args[0].lower, args[1].lower), arith::max(args[0].upper, args[1].upper)});
        case ExprKind::Select:
            return unite(args[0], args[1], loops_.facts);
        default:
            return std::nullopt;
        }
    }

    std::optional<SymbolicRange> product(const SymbolicRange& a, const SymbolicRange& b) {
        const SymbolicRange& fixed = a.lower.same(a.upper) ? a : b;
        const SymbolicRange& moving = a.lower.same(a.upper) ? b : a;
        if (!fixed.lower.same(fixed.upper))
            return std::nullopt;
        if (isNonNegative(fixed.lower, loops_.facts))
            return tidy({moving.lower * fixed.lower, moving.upper * fixed.lower});
        if (arith::bounds(fixed.lower, loops_.facts).upper <= 0)
            return tidy({moving.upper * fixed.lower, moving.lower * fixed.lower});
        return std::nullopt;
    }

    std::optional<SymbolicRange> remainder(const SymbolicRange& a, const SymbolicRange& b) {
        if (!b.lower.same(b.upper) || !isPositive(b.lower, loops_.facts))
            return std::nullopt;
        Expr first = arith::floorDiv(a.lower, b.lower), last = arith::floorDiv(a.upper, b.lower);
        if (arith::provablyEqual(first, last, loops_.facts))
            return tidy({arith::floorMod(a.lower, b.lower), arith::floorMod(a.upper, b.lower)});
        return tidy({0, b.lower - 1});
    }

    const LoopRanges& loops_;
};

/// other says e < n; does that imply x < limit? So if e = f·x + r with r >= 0 for a constant f > 0, and f·limit >= n.
bool implies(const Expr& other, const Expr& x, const Expr& limit, const LoopRanges& loops) {
    if (other.kind() != ExprKind::Lt)
        return false;
    const Expr &e = other->args[0], &n = other->args[1];
    std::vector<Var> vars = arith::freeVars(x);
    if (vars.empty())
        return false;
    auto ofX = arith::asAffine(x, vars);
    auto ofE = arith::asAffine(e, vars);
    if (!ofX || !ofE)
        return false;
    std::optional<int64_t> factor;
    for (size_t i = 0; i < vars.size(); ++i) {
        auto inX = arith::asInt(ofX->coefficients[i]), inE = arith::asInt(ofE->coefficients[i]);
        if (!inX || !inE || *inX == 0 || *inE % *inX != 0 || (factor && *factor * *inX != *inE))
            return false;
        factor = *inE / *inX;
    }
    if (*factor <= 0)
        return false;
    Expr rest = arith::simplify(e - x * Expr(*factor), loops.facts);
    if (!provablyAtLeast(rest, 0, loops))
        return false;
    if (arith::provablyEqual(limit, arith::ceilDiv(n, *factor), loops.facts))
        return true;
    return arith::bounds(arith::simplify(limit * Expr(*factor) - n, loops.facts), loops.facts).lower >= 0;
}

Expr simplifyConjunct(const Expr& condition, const arith::Facts& facts) {
    switch (condition.kind()) {
    case ExprKind::Lt:
    case ExprKind::Le:
    case ExprKind::Gt:
    case ExprKind::Ge:
        if (condition->args[0].dtype().isIndex())
            return arith::make(condition.kind(),
                               {arith::simplify(condition->args[0], facts), arith::simplify(condition->args[1], facts)},
                               condition.dtype());
        return condition;
    default:
        return arith::simplify(condition, facts);
    }
}

bool guaranteed(const Expr& condition, const LoopRanges& loops) {
    if (auto value = arith::asInt(condition))
        return *value != 0;
    if (!condition->args.empty() && condition->args[0].dtype().isIndex()) {
        if (condition.kind() == ExprKind::Lt)
            return provablyBelow(condition->args[0], condition->args[1], loops);
        if (condition.kind() == ExprKind::Ge)
            return provablyAtLeast(condition->args[0], condition->args[1], loops);
    }
    return arith::provablyTrue(condition, loops.facts);
}

} // namespace

LoopRanges::LoopRanges(const std::vector<const tir::For*>& loops, size_t relaxFrom) {
    for (size_t i = 0; i < loops.size(); ++i)
        add(loops[i]->var, loops[i]->min, loops[i]->extent, i >= relaxFrom);
}

void LoopRanges::add(const Var& var, const Expr& min, const Expr& extent, bool relax) {
    Expr last = arith::simplify(min + extent - 1, facts);
    facts.bind(var, {arith::bounds(min, facts).lower, arith::bounds(last, facts).upper});
    if (!relax)
        return;
    auto low = rangeOf(min, *this), high = rangeOf(last, *this);
    if (low && high)
        ranges[var.get()] = {low->lower, high->upper};
    else
        ranges[var.get()] = {min, last};
}

std::optional<SymbolicRange> rangeOf(const Expr& expr, const LoopRanges& loops) {
    return Bounder(loops).run(arith::simplify(expr, loops.facts));
}

SymbolicRange unite(const SymbolicRange& a, const SymbolicRange& b, const arith::Facts& facts) {
    auto pick = [&](const Expr& x, const Expr& y, bool least) {
        arith::Interval difference = arith::bounds(arith::simplify(x - y, facts), facts);
        if (least ? difference.upper <= 0 : difference.lower >= 0)
            return x;
        if (least ? difference.lower >= 0 : difference.upper <= 0)
            return y;
        return arith::simplify(least ? arith::min(x, y) : arith::max(x, y), facts);
    };
    return {pick(a.lower, b.lower, true), pick(a.upper, b.upper, false)};
}

Expr extentOf(const SymbolicRange& range, const arith::Facts& facts) {
    return arith::simplify(range.upper - range.lower + 1, facts);
}

bool provablyAtLeast(const Expr& expr, const Expr& lower, const LoopRanges& loops) {
    auto range = rangeOf(expr - lower, loops);
    return range && isNonNegative(range->lower, loops.facts);
}

bool provablyBelow(const Expr& expr, const Expr& limit, const LoopRanges& loops) {
    auto range = rangeOf(limit - 1 - expr, loops);
    return range && isNonNegative(range->lower, loops.facts);
}

Expr simplifyPredicate(const Expr& predicate, const LoopRanges& loops) {
    std::vector<Expr> kept;
    for (const Expr& condition : arith::conjuncts(predicate)) {
        Expr simple = simplifyConjunct(condition, loops.facts);
        bool known = std::ranges::any_of(kept, [&](const Expr& other) { return structurallyEqual(other, simple); });
        if (!known && !guaranteed(simple, loops))
            kept.push_back(simple);
    }
    for (size_t i = kept.size(); i-- > 0;) {
        if (kept[i].kind() != ExprKind::Lt || !kept[i]->args[0].dtype().isIndex())
            continue;
        for (size_t j = 0; j < kept.size(); ++j)
            if (j != i && implies(kept[j], kept[i]->args[0], kept[i]->args[1], loops)) {
                kept.erase(kept.begin() + static_cast<long>(i));
                break;
            }
    }
    return arith::conjunction(kept);
}

Stmt guard(const Stmt& stmt, const Expr& condition) {
    auto node = std::make_shared<tir::StmtNode>(*stmt);
    if (auto* block = std::get_if<tir::Block>(&node->value)) {
        block->predicate = block->predicate ? arith::logicalAnd(block->predicate, condition) : condition;
    } else if (auto* loop = std::get_if<tir::For>(&node->value)) {
        loop->body = guard(loop->body, condition);
    } else if (auto* allocate = std::get_if<tir::Allocate>(&node->value)) {
        allocate->body = guard(allocate->body, condition);
    } else if (auto* all = std::get_if<tir::Seq>(&node->value)) {
        for (Stmt& child : all->stmts)
            child = guard(child, condition);
    } else {
        return tir::makeStmt(tir::If{condition, stmt, nullptr}, stmt->origin);
    }
    return node;
}

Stmt simplifyBindings(const Stmt& stmt, const std::vector<const tir::For*>& around) {
    auto node = std::make_shared<tir::StmtNode>(*stmt);
    if (auto* block = std::get_if<tir::Block>(&node->value)) {
        LoopRanges loops(around);
        for (tir::IterVar& iter : block->iters)
            iter.binding = arith::simplify(iter.binding, loops.facts);
        block->predicate = simplifyPredicate(block->predicate, loops);
    } else if (auto* loop = std::get_if<tir::For>(&node->value)) {
        LoopRanges loops(around);
        loop->min = arith::simplify(loop->min, loops.facts);
        loop->extent = arith::simplify(loop->extent, loops.facts);
        std::vector<const tir::For*> inner = around;
        inner.push_back(loop);
        loop->body = simplifyBindings(loop->body, inner);
    } else if (auto* allocate = std::get_if<tir::Allocate>(&node->value)) {
        allocate->body = simplifyBindings(allocate->body, around);
    } else if (auto* all = std::get_if<tir::Seq>(&node->value)) {
        for (Stmt& child : all->stmts)
            child = simplifyBindings(child, around);
    } else {
        return stmt;
    }
    return node;
}

} // namespace lathe::schedule
