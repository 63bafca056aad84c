// SPDX-License-Identifier: Apache-2.0
//
// See loop_facts.h.
#include "tir/transform/loop_facts.h"

namespace lathe::tir {

using arith::ExprKind;

void bindLoop(arith::Facts& facts, const For& loop) {
    arith::Interval min = arith::bounds(loop.min, facts);
    Expr last = loop.min + loop.extent - Expr(1);
    arith::Interval upper = arith::bounds(arith::simplify(last, facts), facts);
    facts.bind(loop.var, {min.lower, upper.upper});
}

namespace {

/// expr compared with constants only as `var op c`, `c op var`.
void assumeRange(arith::Facts& facts, const Expr& expr) {
    const ExprKind kind = expr.kind();
    if (kind != ExprKind::Lt && kind != ExprKind::Le && kind != ExprKind::Gt && kind != ExprKind::Ge &&
        kind != ExprKind::Eq)
        return;
    Expr a = expr->args[0], b = expr->args[1];
    ExprKind op = kind;
    if (b.kind() == ExprKind::Var) {
        std::swap(a, b);
        op = kind == ExprKind::Lt   ? ExprKind::Gt
             : kind == ExprKind::Le ? ExprKind::Ge
             : kind == ExprKind::Gt ? ExprKind::Lt
             : kind == ExprKind::Ge ? ExprKind::Le
                                    : kind;
    }
    std::optional<int64_t> c = arith::asInt(b);
    if (a.kind() != ExprKind::Var || !a.dtype().isIndex() || !c)
        return;
    arith::Interval range = arith::bounds(a, facts);
    switch (op) {
    case ExprKind::Lt:
        range.upper = std::min(range.upper, *c - 1);
        break;
    case ExprKind::Le:
        range.upper = std::min(range.upper, *c);
        break;
    case ExprKind::Gt:
        range.lower = std::max(range.lower, *c + 1);
        break;
    case ExprKind::Ge:
        range.lower = std::max(range.lower, *c);
        break;
    default:
        range = {*c, *c};
        break;
    }
    facts.ranges[a.get()] = range;
}

} // namespace

void assume(arith::Facts& facts, const Expr& condition) {
    for (const Expr& part : arith::conjuncts(condition)) {
        if (part.dtype().lanes != 1)
            continue;
        facts.truths.push_back(part);
        assumeRange(facts, part);
    }
}

Expr negation(const Expr& condition) {
    const bool floats = !condition->args.empty() && condition->args[0].dtype().isFloat(); // NaN: no opposite compare
    if (!floats) {
        switch (condition.kind()) {
        case ExprKind::Lt:
            return arith::ge(condition->args[0], condition->args[1]);
        case ExprKind::Le:
            return arith::gt(condition->args[0], condition->args[1]);
        case ExprKind::Gt:
            return arith::le(condition->args[0], condition->args[1]);
        case ExprKind::Ge:
            return arith::lt(condition->args[0], condition->args[1]);
        default:
            break;
        }
    }
    return arith::logicalNot(condition);
}

bool readsMemory(const Expr& expr) {
    bool found = false;
    arith::visit(expr, [&](const Expr& e) {
        found = found || e.kind() == ExprKind::Load ||
                (e.kind() == ExprKind::Call && e->intrinsic == arith::Intrinsic::RtCall);
        return !found;
    });
    return found;
}

Stmt LoopMutator::mutate(const Stmt& stmt) {
    if (!stmt)
        return stmt;
    if (const For* loop = stmt->as<For>())
        bindLoop(facts_, *loop);
    Stmt inner = descend(stmt);
    const For* loop = inner->as<For>();
    return loop ? rewritten(*loop, inner) : inner;
}

} // namespace lathe::tir
