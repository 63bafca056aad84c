// SPDX-License-Identifier: Apache-2.0
#include "schedule/written_tile.h"

#include <algorithm>

namespace lathe::schedule {

namespace {

/// Conditions that cut a tile elsewhere than at the end of the domain leave holes.
bool isDomainLimit(const Expr& condition, const tir::Block& block, const arith::Facts& facts) {
    bool below = condition.kind() == arith::ExprKind::Lt, above = condition.kind() == arith::ExprKind::Ge;
    for (const tir::IterVar& iter : block.iters)
        if ((below || above) && arith::provablyEqual(condition->args[0], iter.binding, facts) &&
            arith::provablyEqual(condition->args[1], below ? iter.extent : Expr(0), facts))
            return true;
    return false;
}

} // namespace

WrittenTile::WrittenTile(const Editor& edit, BufferPtr buffer, const Path& loop, const std::vector<Access>& writes)
    : buffer_(std::move(buffer)) {
    std::vector<const tir::For*> outer = loopsOf(loop);
    outside_ = LoopRanges(outer, outer.size());
    ranges_ = touchedRanges(*buffer_, writes, loop);
    for (const Access& access : writes)
        requireExact(edit, access, outer.size());
}

bool WrittenTile::isWhole(size_t dim) const {
    const auto& range = ranges_[dim];
    return range && arith::provablyEqual(range->lower, 0, outside_.facts) &&
           arith::bounds(arith::simplify(range->upper + 1 - buffer_->shape[dim], outside_.facts), outside_.facts)
                   .lower >= 0;
}

/// The box must hold no element that is not written: dimensions that are a run of consecutive elements, or whole.
void WrittenTile::requireExact(const Editor& edit, const Access& access, size_t outer) {
    const tir::Block& block = blockOf(access.path);
    arith::VarMap bindings;
    for (const tir::IterVar& iter : block.iters)
        bindings[iter.var.get()] = iter.binding;
    std::vector<const tir::For*> loops = loopsOf(access.path);
    std::vector<const tir::For*> inner(loops.begin() + static_cast<long>(outer), loops.end());
    std::vector<Var> vars;
    for (const tir::For* loop : inner)
        vars.push_back(loop->var);
    std::vector<bool> used(inner.size(), false);
    LoopRanges all(loops);
    for (const Expr& condition : arith::conjuncts(block.predicate)) {
        bool cuts = std::ranges::any_of(vars, [&](const Var& var) { return arith::mentions(condition, var); });
        if (!cuts)
            conditions_.push_back(condition);
        else
            edit.require(isDomainLimit(condition, block, all.facts),
                         fmt::format("block '{}' runs only where {}", block.name, toString(condition)));
    }
    for (size_t d = 0; d < access.indices.size(); ++d) {
        if (isWhole(d))
            continue;
        bool exact = ranges_[d].has_value();
        Expr index = arith::simplify(arith::substitute(access.indices[d], bindings), all.facts);
        auto affine = arith::asAffine(index, vars);
        exact = exact && affine;
        Expr run = 1; // consecutive elements so far, innermost loop first
        for (size_t i = inner.size(); exact && i-- > 0;) {
            const Expr& step = affine->coefficients[i];
            if (arith::isConst(step, 0))
                continue;
            exact = !used[i] && arith::bounds(step, all.facts).lower >= 1 &&
                    arith::bounds(arith::simplify(run - step, all.facts), all.facts).lower >= 0;
            used[i] = true;
            run = arith::simplify(run + step * (inner[i]->extent - 1), all.facts);
        }
        edit.require(exact, fmt::format("what block '{}' writes of '{}' in one iteration is not a box", block.name,
                                        buffer_->name));
    }
}

} // namespace lathe::schedule
