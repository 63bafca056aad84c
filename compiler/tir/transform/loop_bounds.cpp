// SPDX-License-Identifier: Apache-2.0
//
// See loop_bounds.h. Each comparison becomes base + k * var > 0.
#include "tir/transform/loop_bounds.h"

#include "tir/transform/loop_facts.h"

namespace lathe::tir {

using arith::ExprKind;

std::optional<Bound> boundOf(const Expr& condition, const Var& var, const arith::Facts& facts) {
    const ExprKind kind = condition.kind();
    const bool comparison =
        kind == ExprKind::Lt || kind == ExprKind::Le || kind == ExprKind::Gt || kind == ExprKind::Ge;
    if (!comparison || !condition->args[0].dtype().isIndex() || condition.dtype().lanes > 1 || readsMemory(condition))
        return std::nullopt;
    Expr less = condition->args[0], greater = condition->args[1];
    if (kind == ExprKind::Gt || kind == ExprKind::Ge)
        std::swap(less, greater);
    Expr difference = greater - less;
    if (kind == ExprKind::Le || kind == ExprKind::Ge)
        difference = difference + Expr(1);
    const Var vars[] = {var};
    std::optional<arith::Affine> affine = arith::asAffine(arith::simplify(difference, facts), vars);
    if (!affine)
        return std::nullopt;
    std::optional<int64_t> k = arith::asInt(arith::simplify(affine->coefficients[0], facts));
    if (!k || *k == 0)
        return std::nullopt;
    const Expr& base = affine->base;
    if (*k < 0) // base > -k * var
        return Bound{true, arith::simplify(*k == -1 ? base : arith::ceilDiv(base, Expr(-*k)), facts)};
    return Bound{false, arith::simplify(arith::floorDiv(-base, Expr(*k)) + Expr(1), facts)};
}

} // namespace lathe::tir
