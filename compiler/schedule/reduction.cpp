// SPDX-License-Identifier: Apache-2.0
//
// Primitives for reductions: the initialisation on its own, and partial results along a loop.
#include "schedule/editor.h"

#include <algorithm>

namespace lathe::schedule {

namespace {

bool reducesAlong(const tir::Block& block, const Var& loopVar) {
    return std::ranges::any_of(block.iters, [&](const tir::IterVar& iter) {
        return iter.kind != tir::IterKind::Spatial && arith::mentions(iter.binding, loopVar);
    });
}

bool spatialAlong(const tir::Block& block, const Var& loopVar) {
    return std::ranges::any_of(block.iters, [&](const tir::IterVar& iter) {
        return iter.kind == tir::IterKind::Spatial && arith::mentions(iter.binding, loopVar);
    });
}

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

/// The element that a reduction's store combines into its result: store = op(load of the same element, element).
struct Combination {
    arith::ExprKind op;
    Expr element;
};
std::optional<Combination> combinationOf(const tir::Store& store) {
    using enum arith::ExprKind;
    const Expr& value = store.value;
    if (value->args.size() != 2)
        return std::nullopt;
    for (auto kind : {Add, Mul, Max, Min, And, Or})
        if (value.kind() == kind && structurallyEqual(value->args[0], arith::load(store.buffer, store.indices)))
            return Combination{kind, value->args[1]};
    return std::nullopt;
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

BlockRef Schedule::rfactor(LoopRef loop, int factorAxis) {
    Editor edit(*this, "rfactor");
    Path loopPath = edit.loop(loop);
    const tir::For factor = loopOf(loopPath);
    std::vector<Path> inner;
    for (const Path& candidate : findBlocks(edit.body))
        if (contains(loopPath.back(), candidate.back().get()))
            inner.push_back(candidate);
    edit.require(inner.size() == 1, edit.nameOf(loop) + " does not hold exactly one block");
    Path path = inner[0];
    const tir::Block old = blockOf(path);
    int origin = path.back()->origin;
    const tir::Store* store = soleStore(old);
    edit.require(store && old.init && old.init->as<tir::Store>(),
                 fmt::format("block '{}' is no reduction with an initialisation", old.name));
    auto combination = combinationOf(*store);
    edit.require(combination.has_value(),
                 fmt::format("block '{}' does not combine in a way that can be regrouped", old.name));
    edit.require(reducesAlong(old, factor.var) && !spatialAlong(old, factor.var),
                 fmt::format("block '{}' does not reduce along {}", old.name, edit.nameOf(loop)));
    edit.require(factor.kind == tir::ForKind::Serial, edit.nameOf(loop) + " is no plain loop");
    BufferPtr buffer = store->buffer;
    int rank = static_cast<int>(buffer->shape.size());
    int axis = factorAxis < 0 ? factorAxis + rank + 1 : factorAxis;
    edit.require(axis >= 0 && axis <= rank,
                 fmt::format("there is no axis {} in a result of rank {}", factorAxis, rank));
    Path nest = edit.enclosingNest(path, buffer.get());
    for (const Access& access : accessesOf(nest.back(), buffer.get()))
        edit.require(access.path.back() == path.back(),
                     fmt::format("'{}' is used in the loops that make it", buffer->name));
    for (size_t d = 0; d < store->indices.size(); ++d)
        edit.require(std::ranges::any_of(old.iters,
                                         [&](const tir::IterVar& iter) {
                                             return store->indices[d].same(iter.var) &&
                                                    arith::provablyEqual(iter.extent, buffer->shape[d]);
                                         }),
                     fmt::format("'{}' holds a tile of the result only", buffer->name));
    std::vector<const tir::For*> loops = loopsOf(path);
    for (const tir::For* around : loops) {
        edit.require(!arith::mentions(factor.extent, around->var) && arith::isConst(around->min, 0),
                     fmt::format("the range of {} depends on loop {}", edit.nameOf(loop), around->var->name));
        edit.require(!(reducesAlong(old, around->var) && spatialAlong(old, around->var)),
                     fmt::format("loop {} is fused from both kinds", around->var->name));
    }

    // The partial block reduces along the loops themselves; the factor loop is one more dimension of its result.
    auto insertAt = [&](std::vector<Expr> list, const Expr& item) {
        list.insert(list.begin() + axis, item);
        return list;
    };
    BufferPtr partial = tir::makeBuffer(edit.freeBufferName(buffer->name + "_rf"), buffer->dtype,
                                        insertAt(buffer->shape, factor.extent), tir::Scope::Workspace);
    tir::Block rf;
    rf.name = edit.freeBlockName(old.name + "_rf");
    arith::VarMap iters, loopIters;
    for (const tir::IterVar& iter : old.iters)
        if (iter.kind == tir::IterKind::Spatial) {
            Var var = arith::var(iter.var->name);
            iters[iter.var.get()] = var;
            rf.iters.push_back({var, iter.extent, iter.kind, iter.binding});
        }
    Var lane = arith::var("v" + factor.var->name);
    rf.iters.push_back({lane, factor.extent, tir::IterKind::Spatial, factor.var});
    loopIters[factor.var.get()] = lane;
    for (const tir::For* around : loops)
        if (!around->var.same(factor.var) && reducesAlong(old, around->var)) {
            Var var = arith::var("v" + around->var->name);
            rf.iters.push_back({var, around->extent, tir::IterKind::Reduce, around->var});
            loopIters[around->var.get()] = var;
        }
    for (const tir::IterVar& iter : old.iters)
        if (iter.kind == tir::IterKind::Reduce)
            iters[iter.var.get()] = arith::substitute(iter.binding, loopIters);
    std::vector<Expr> guards, predicates;
    for (const Expr& condition : arith::conjuncts(old.predicate)) {
        auto vars = arith::freeVars(condition);
        bool reduces = std::ranges::any_of(vars, [&](const Var& var) { return reducesAlong(old, var); });
        bool spatial = std::ranges::any_of(vars, [&](const Var& var) { return spatialAlong(old, var); });
        edit.require(!reduces || !spatial, fmt::format("block '{}' runs only where {}, which mixes its loops", old.name,
                                                       toString(condition)));
        if (reduces)
            guards.push_back(arith::substitute(condition, loopIters)); // a lane without elements keeps its identity
        else
            predicates.push_back(condition);
    }
    if (const auto* guarded = old.body->as<tir::If>())
        for (const Expr& condition : arith::conjuncts(arith::substitute(guarded->condition, iters))) {
            // x < n says more than x < max(n, 1), which the loops of a maybe empty domain leave behind.
            std::erase_if(guards, [&](const Expr& weaker) {
                return weaker.kind() == arith::ExprKind::Lt && condition.kind() == arith::ExprKind::Lt &&
                       arith::provablyEqual(weaker->args[0], condition->args[0]) &&
                       arith::provablyEqual(weaker->args[1], arith::max(condition->args[1], 1));
            });
            guards.push_back(condition);
        }
    rf.predicate = arith::conjunction(predicates);
    std::vector<Expr> spatialIndices;
    for (const Expr& index : store->indices)
        spatialIndices.push_back(arith::substitute(index, iters));
    std::vector<Expr> at = insertAt(spatialIndices, lane);
    Expr identity = old.init->as<tir::Store>()->value;
    rf.init = tir::makeStmt(tir::Store{partial, at, identity, {}}, origin);
    rf.body = tir::makeStmt(tir::Store{partial,
                                       at,
                                       arith::binary(combination->op, arith::load(partial, at),
                                                     arith::substitute(combination->element, iters)),
                                       {}},
                            origin);
    if (!guards.empty())
        rf.body = tir::makeStmt(tir::If{arith::conjunction(guards), rf.body, nullptr}, origin);
    refreshRegions(rf);

    tir::Block rest;
    rest.name = old.name;
    std::vector<NestLoop> restLoops;
    arith::VarMap restIters;
    for (const tir::IterVar& iter : old.iters)
        if (iter.kind == tir::IterKind::Spatial) {
            Var var = arith::var(iter.var->name);
            restIters[iter.var.get()] = var;
            rest.iters.push_back({var, iter.extent, iter.kind, {}});
            restLoops.push_back({{}, iter.extent});
        }
    Var restLane = arith::var(lane->name);
    rest.iters.push_back({restLane, factor.extent, tir::IterKind::Reduce, {}});
    restLoops.push_back({{}, factor.extent});
    std::vector<Expr> result;
    for (const Expr& index : store->indices)
        result.push_back(arith::substitute(index, restIters));
    rest.init = tir::makeStmt(tir::Store{buffer, result, identity, {}}, origin);
    rest.body = tir::makeStmt(tir::Store{buffer,
                                         result,
                                         arith::binary(combination->op, arith::load(buffer, result),
                                                       arith::load(partial, insertAt(result, restLane))),
                                         {}},
                              origin);
    refreshRegions(rest);

    std::string partialName = rf.name;
    edit.body = withBlock(path, std::move(rf));
    nest = edit.enclosingNest(edit.block(partialName), buffer.get());
    edit.body =
        insertAfter(nest, makeNest(std::move(rest), restLoops, loopsOf({nest.begin(), nest.end() - 1}), origin));
    edit.allocate(partial, buffer.get());
    edit.checkParallelLoops();
    edit.step.loops = {loop.id};
    edit.step.numbers = {factorAxis};
    edit.commit({}, {partialName});
    return {partialName};
}

} // namespace lathe::schedule
