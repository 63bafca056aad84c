// SPDX-License-Identifier: Apache-2.0
//
// A primitive for reductions: the initialisation on its own. Partial results along a loop are rfactor.cpp's.
#include "schedule/editor.h"

#include <algorithm>

namespace lathe::schedule {

namespace {

/// A loop that ran once more than its empty domain, for the initialisation's sake, need not any longer.
Stmt dropEmptyGuard(const Stmt& body, const std::string& name) {
    Path path = findBlock(body, name);
    tir::Block block = blockOf(path);
    const auto* guarded = block.body->as<tir::If>();
    if (!guarded)
        return body;
    std::vector<Expr> kept;
    std::vector<std::pair<Var, Expr>> loops;
    for (const Expr& condition : arith::conjuncts(guarded->condition)) {
        auto iter = std::ranges::find_if(block.iters, [&](const tir::IterVar& candidate) {
            return candidate.kind == tir::IterKind::Reduce && condition.kind() == arith::ExprKind::Lt &&
                   condition->args[0].same(candidate.var) && candidate.binding.kind() == arith::ExprKind::Var &&
                   arith::provablyEqual(candidate.extent, arith::max(condition->args[1], 1));
        });
        const tir::For* loop = nullptr;
        if (iter != block.iters.end())
            for (const tir::For* around : loopsOf(path))
                if (findBlocks(around->body).size() == 1 && around->var.same(iter->binding) &&
                    arith::isConst(around->min, 0) && arith::provablyEqual(around->extent, iter->extent))
                    loop = around;
        if (!loop) {
            kept.push_back(condition);
            continue;
        }
        loops.emplace_back(loop->var, condition->args[1]);
        iter->extent = condition->args[1];
    }
    if (loops.empty())
        return body;
    block.body = kept.empty()
                     ? guarded->thenCase
                     : tir::makeStmt(tir::If{arith::conjunction(kept), guarded->thenCase, nullptr}, block.body->origin);
    Stmt result = withBlock(path, std::move(block));
    for (const auto& [var, extent] : loops) {
        Path at = findLoop(result, var);
        tir::For loop = loopOf(at);
        loop.extent = extent;
        result = replaceAt(at, tir::makeStmt(std::move(loop), at.back()->origin));
    }
    return result;
}

} // namespace

BlockRef Schedule::decomposeReduction(const BlockRef& block, LoopRef loop) {
    Editor edit(*this, "decomposeReduction");
    Path path = edit.block(block.name);
    Path loopPath = edit.loop(loop);
    const tir::Block& old = blockOf(path);
    edit.require(old.init != nullptr, fmt::format("block '{}' has no initialisation", block.name));
    edit.require(path.size() > loopPath.size() && path[loopPath.size() - 1] == loopPath.back(),
                 fmt::format("{} is not around block '{}'", edit.nameOf(loop), block.name));
    std::vector<const tir::For*> loops = loopsOf(path);
    size_t first = loopsOf(loopPath).size() - 1;
    for (size_t i = 0; i < first; ++i)
        edit.require(!reducesAlong(old, loops[i]->var),
                     fmt::format("block '{}' reduces along loop {}, which is outside of {}", block.name,
                                 loops[i]->var->name, edit.nameOf(loop)));
    arith::VarCollector used;
    for (const Access& access : accessesOf(old.init, old.writes[0].buffer.get()))
        for (const Expr& index : access.indices)
            used.add(index);
    for (size_t i = first; i < loops.size(); ++i) {
        const Var& var = loops[i]->var;
        edit.require(std::ranges::none_of(used.vars(), [&](const Var& other) { return other.same(var); }),
                     fmt::format("'{}' holds the result of one iteration of loop {} only", old.writes[0].buffer->name,
                                 var->name));
        edit.require(arith::isConst(loops[i]->extent, 1) || spatialAlong(old, var) || reducesAlong(old, var),
                     fmt::format("block '{}' is repeated along loop {}", block.name, var->name));
    }

    tir::Block init;
    init.name = edit.freeBlockName(block.name + "_init");
    std::vector<tir::For> copies;
    arith::VarMap fresh, iters;
    std::vector<Var> replaced, dropped;
    for (size_t i = first; i < loops.size(); ++i) {
        if (!spatialAlong(old, loops[i]->var)) {
            dropped.push_back(loops[i]->var);
            continue;
        }
        tir::For copy = *loops[i];
        copy.var = arith::var(copy.var->name + "_init");
        copy.min = arith::substitute(copy.min, fresh);
        copy.extent = arith::substitute(copy.extent, fresh);
        for (const Var& var : dropped)
            edit.require(!arith::mentions(copy.min, var) && !arith::mentions(copy.extent, var),
                         fmt::format("the range of loop {} depends on loop {}", loops[i]->var->name, var->name));
        fresh[loops[i]->var.get()] = copy.var;
        replaced.push_back(loops[i]->var);
        copies.push_back(std::move(copy));
    }
    for (const tir::IterVar& iter : old.iters) {
        if (iter.kind != tir::IterKind::Spatial)
            continue;
        Var var = arith::var(iter.var->name);
        iters[iter.var.get()] = var;
        init.iters.push_back({var, iter.extent, iter.kind, arith::substitute(iter.binding, fresh)});
    }
    std::vector<Expr> conditions;
    for (const Expr& condition : arith::conjuncts(old.predicate)) {
        bool usesDropped =
            std::ranges::any_of(dropped, [&](const Var& var) { return arith::mentions(condition, var); });
        bool usesKept = std::ranges::any_of(replaced, [&](const Var& var) { return arith::mentions(condition, var); });
        bool reduces = std::ranges::any_of(
            replaced, [&](const Var& var) { return arith::mentions(condition, var) && reducesAlong(old, var); });
        edit.require(!usesDropped || !usesKept, fmt::format("block '{}' runs only where {}, which mixes its loops",
                                                            block.name, toString(condition)));
        if (!usesDropped && !reduces)
            conditions.push_back(arith::substitute(condition, fresh));
    }
    // A loop that serves both kinds keeps its conditions on the spatial part by the domain itself.
    for (const tir::IterVar& iter : init.iters)
        conditions.push_back(arith::lt(iter.binding, iter.extent));
    std::vector<const tir::For*> around(loops.begin(), loops.begin() + static_cast<long>(first));
    LoopRanges ranges(around);
    for (const tir::For& copy : copies)
        ranges.add(copy.var, copy.min, copy.extent, true);
    init.predicate = simplifyPredicate(arith::conjunction(conditions), ranges);
    init.body = tir::substitute(old.init, iters);
    refreshRegions(init);
    std::string name = init.name;
    Stmt nest = tir::makeStmt(std::move(init), path.back()->origin);
    for (size_t i = copies.size(); i-- > 0;) {
        copies[i].body = std::move(nest);
        nest = tir::makeStmt(std::move(copies[i]), path.back()->origin);
    }

    tir::Block update = old;
    edit.requireInScope(nest, {loopPath.begin(), loopPath.end() - 1}, name);
    update.init = nullptr;
    refreshRegions(update);
    edit.body = withBlock(path, std::move(update));
    edit.body = insertBefore(edit.loop(loop), nest);
    edit.body = dropEmptyGuard(edit.body, block.name);
    edit.checkParallelLoops();
    edit.step.blocks = {numberOf(block)};
    edit.step.loops = {loop.id};
    edit.commit({}, {name});
    return {name};
}

} // namespace lathe::schedule
