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

/// A reduction whose initialisation is to stand in loops of its own, before one of the loops around it.
struct Decomposed {
    Path path, loopPath;
    tir::Block block;
    std::vector<const tir::For*> outside, loops; // around the block: of the loop, and from it on

    bool reduces(const Var& var) const { return reducesAlong(block, var); }
};

/// Fails where the elements of one iteration of a loop are not those of all.
Decomposed decomposedAt(const Editor& edit, const BlockRef& block, LoopRef loop) {
    Decomposed made;
    made.path = edit.block(block.name);
    made.loopPath = edit.loop(loop);
    made.block = blockOf(made.path);
    const tir::Block& old = made.block;
    edit.require(old.init != nullptr, fmt::format("block '{}' has no initialisation", block.name));
    edit.require(isUnder(made.path, made.loopPath),
                 fmt::format("{} is not around block '{}'", edit.nameOf(loop), block.name));
    made.loops = loopsOf(made.path);
    const auto first = made.loops.begin() + (std::ssize(loopsOf(made.loopPath)) - 1);
    made.outside.assign(made.loops.begin(), first);
    made.loops.erase(made.loops.begin(), first);
    for (const tir::For* around : made.outside)
        edit.require(!made.reduces(around->var), fmt::format("block '{}' reduces along loop {}, which is outside of {}",
                                                             block.name, around->var->name, edit.nameOf(loop)));
    const BufferPtr& result = old.writes[0].buffer;
    arith::VarCollector used;
    for (const Access& access : accessesOf(old.init, result.get()))
        for (const Expr& index : access.indices)
            used.add(index);
    for (const tir::For* around : made.loops) {
        const Var& var = around->var;
        edit.require(std::ranges::none_of(used.vars(), [&](const Var& other) { return other.same(var); }),
                     fmt::format("'{}' holds the result of one iteration of loop {} only", result->name, var->name));
        edit.require(arith::isConst(around->extent, 1) || spatialAlong(old, var) || made.reduces(var),
                     fmt::format("block '{}' is repeated along loop {}", block.name, var->name));
    }
    return made;
}

/// The loops of the initialisation, copies of those that are not for the reduction alone.
struct InitLoops {
    std::vector<tir::For> copies;
    std::vector<Var> replaced, dropped; // variables of the old ones
    arith::VarMap fresh;                // the copies' by those that were replaced

    bool replaces(const Expr& condition) const { return mentionsAny(condition, replaced); }
    bool drops(const Expr& condition) const { return mentionsAny(condition, dropped); }

private:
    static bool mentionsAny(const Expr& condition, const std::vector<Var>& vars) {
        return std::ranges::any_of(vars, [&](const Var& var) { return arith::mentions(condition, var); });
    }
};
InitLoops initLoops(const Editor& edit, const Decomposed& old) {
    InitLoops made;
    for (const tir::For* loop : old.loops) {
        if (!spatialAlong(old.block, loop->var)) {
            made.dropped.push_back(loop->var);
            continue;
        }
        tir::For copy = *loop;
        copy.var = arith::var(copy.var->name + "_init");
        copy.min = arith::substitute(copy.min, made.fresh);
        copy.extent = arith::substitute(copy.extent, made.fresh);
        for (const Var& var : made.dropped)
            edit.require(!arith::mentions(copy.min, var) && !arith::mentions(copy.extent, var),
                         fmt::format("the range of loop {} depends on loop {}", loop->var->name, var->name));
        made.fresh[loop->var.get()] = copy.var;
        made.replaced.push_back(loop->var);
        made.copies.push_back(std::move(copy));
    }
    return made;
}

/// What of the block's predicate is not about the reduction, and the domain of the initialisation's own iterations.
Expr initPredicate(const Editor& edit, const Decomposed& old, const InitLoops& loops,
                   const std::vector<tir::IterVar>& iters) {
    std::vector<Expr> conditions;
    for (const Expr& condition : arith::conjuncts(old.block.predicate)) {
        edit.require(
            !loops.drops(condition) || !loops.replaces(condition),
            fmt::format("block '{}' runs only where {}, which mixes its loops", old.block.name, toString(condition)));
        const bool reduces = std::ranges::any_of(
            loops.replaced, [&](const Var& var) { return arith::mentions(condition, var) && old.reduces(var); });
        if (!loops.drops(condition) && !reduces)
            conditions.push_back(arith::substitute(condition, loops.fresh));
    }
    // A loop that serves both kinds keeps its conditions on the spatial part by the domain itself.
    for (const tir::IterVar& iter : iters)
        conditions.push_back(arith::lt(iter.binding, iter.extent));
    LoopRanges ranges(old.outside);
    for (const tir::For& copy : loops.copies)
        ranges.add(copy.var, copy.min, copy.extent, true);
    return simplifyPredicate(arith::conjunction(conditions), ranges);
}

tir::Block initBlock(const Editor& edit, const Decomposed& old, const InitLoops& loops) {
    tir::Block made;
    made.name = edit.freeBlockName(old.block.name + "_init");
    arith::VarMap iters;
    for (const tir::IterVar& iter : old.block.iters) {
        if (iter.kind != tir::IterKind::Spatial)
            continue;
        const Var var = arith::var(iter.var->name);
        iters[iter.var.get()] = var;
        made.iters.push_back({var, iter.extent, iter.kind, arith::substitute(iter.binding, loops.fresh)});
    }
    made.predicate = initPredicate(edit, old, loops, made.iters);
    made.body = tir::substitute(old.block.init, iters);
    refreshRegions(made);
    return made;
}

} // namespace

BlockRef Schedule::decomposeReduction(const BlockRef& block, LoopRef loop) {
    Editor edit(*this, "decomposeReduction");
    const Decomposed old = decomposedAt(edit, block, loop);
    InitLoops loops = initLoops(edit, old);
    tir::Block init = initBlock(edit, old, loops);
    const std::string name = init.name;
    const int origin = old.path.back()->origin;
    const Stmt nest = wrap(std::move(loops.copies), tir::makeStmt(std::move(init), origin), origin);
    edit.requireInScope(nest, {old.loopPath.begin(), old.loopPath.end() - 1}, name);
    tir::Block update = old.block;
    update.init = nullptr;
    refreshRegions(update);
    edit.body = withBlock(old.path, std::move(update));
    edit.body = insertBefore(edit.loop(loop), nest);
    edit.body = dropEmptyGuard(edit.body, block.name);
    edit.checkParallelLoops();
    edit.step.blocks = {numberOf(block)};
    edit.step.loops = {loop.id};
    edit.commit({}, {name});
    return {name};
}

} // namespace lathe::schedule
