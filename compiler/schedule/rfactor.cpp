// SPDX-License-Identifier: Apache-2.0
//
// rfactor: a reduction in two steps. The block keeps a partial result for each iteration of one of its loops (a dimension
// more), and another block combines them. Source: Suriana, Adams, Kamil, "Parallel Associative Reductions in Halide", CGO 2017.
#include "schedule/editor.h"

#include <algorithm>

namespace lathe::schedule {

namespace {

/// The element that a reduction's store combines into its result: store = op(load of the same element, element).
struct Combination {
    arith::ExprKind op{};
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

/// A reduction that stands alone in a loop, and what is to become of it.
struct Factored {
    Path path; // to the block
    tir::Block block;
    tir::For factor;                    // the loop
    std::vector<const tir::For*> loops; // around the block, that one among them
    tir::Store store;                   // the block's
    Combination combination;
    Expr identity; // what the block's result begins with
    int axis = 0;  // of the partial result: the loop's iterations
    int origin = -1;

    bool reduces(const Var& var) const { return reducesAlong(block, var); }
    bool isSpatial(const Var& var) const { return spatialAlong(block, var); }
    /// A shape or indices of the result with the partial result's dimension.
    std::vector<Expr> withAxis(std::vector<Expr> list, const Expr& item) const {
        list.insert(list.begin() + axis, item);
        return list;
    }
};

/// Fails where the block's iterations cannot be regrouped along the loop.
Factored factoredAlong(const Editor& edit, LoopRef loop, int factorAxis) {
    const Path loopPath = edit.loop(loop);
    std::vector<Path> inner;
    for (const Path& candidate : findBlocks(edit.body))
        if (contains(loopPath.back(), candidate.back().get()))
            inner.push_back(candidate);
    edit.require(inner.size() == 1, edit.nameOf(loop) + " does not hold exactly one block");
    Factored made;
    made.path = inner[0];
    made.block = blockOf(made.path);
    made.factor = loopOf(loopPath);
    made.loops = loopsOf(made.path);
    made.origin = made.path.back()->origin;
    const tir::Block& block = made.block;
    const tir::Store* store = soleStore(block);
    const auto* init = block.init ? block.init->as<tir::Store>() : nullptr;
    edit.require(store && init, fmt::format("block '{}' is no reduction with an initialisation", block.name));
    made.store = *store;
    made.identity = init->value;
    const auto combination = combinationOf(*store);
    edit.require(combination.has_value(),
                 fmt::format("block '{}' does not combine in a way that can be regrouped", block.name));
    made.combination = *combination;
    edit.require(made.reduces(made.factor.var) && !made.isSpatial(made.factor.var),
                 fmt::format("block '{}' does not reduce along {}", block.name, edit.nameOf(loop)));
    edit.require(made.factor.kind == tir::ForKind::Serial, edit.nameOf(loop) + " is no plain loop");
    const tir::Buffer& buffer = *store->buffer;
    const int rank = static_cast<int>(buffer.shape.size());
    made.axis = factorAxis < 0 ? factorAxis + rank + 1 : factorAxis;
    edit.require(made.axis >= 0 && made.axis <= rank,
                 fmt::format("there is no axis {} in a result of rank {}", factorAxis, rank));
    for (const Access& access : accessesOf(edit.enclosingNest(made.path, &buffer).back(), &buffer))
        edit.require(access.path.back() == made.path.back(),
                     fmt::format("'{}' is used in the loops that make it", buffer.name));
    for (size_t d = 0; d < store->indices.size(); ++d)
        edit.require(std::ranges::any_of(block.iters,
                                         [&](const tir::IterVar& iter) {
                                             return store->indices[d].same(iter.var) &&
                                                    arith::provablyEqual(iter.extent, buffer.shape[d]);
                                         }),
                     fmt::format("'{}' holds a tile of the result only", buffer.name));
    for (const tir::For* around : made.loops) {
        edit.require(!arith::mentions(made.factor.extent, around->var) && arith::isConst(around->min, 0),
                     fmt::format("the range of {} depends on loop {}", edit.nameOf(loop), around->var->name));
        edit.require(!(made.reduces(around->var) && made.isSpatial(around->var)),
                     fmt::format("loop {} is fused from both kinds", around->var->name));
    }
    return made;
}

/// When the partial block runs, and which of its elements count: a partial result without elements keeps its identity.
struct Conditions {
    std::vector<Expr> predicates, guards;
};
/// iters: the old block's variables by the new one's; loops: likewise for the loops that it reduces along.
Conditions conditionsOf(const Editor& edit, const Factored& old, const arith::VarMap& iters,
                        const arith::VarMap& loops) {
    Conditions made;
    for (const Expr& condition : arith::conjuncts(old.block.predicate)) {
        const auto vars = arith::freeVars(condition);
        const bool reduces = std::ranges::any_of(vars, [&](const Var& var) { return old.reduces(var); });
        const bool spatial = std::ranges::any_of(vars, [&](const Var& var) { return old.isSpatial(var); });
        edit.require(!reduces || !spatial, fmt::format("block '{}' runs only where {}, which mixes its loops",
                                                       old.block.name, toString(condition)));
        if (reduces)
            made.guards.push_back(arith::substitute(condition, loops));
        else
            made.predicates.push_back(condition);
    }
    if (const auto* guarded = old.block.body->as<tir::If>())
        for (const Expr& condition : arith::conjuncts(arith::substitute(guarded->condition, iters))) {
            // x < n says more than x < max(n, 1), which the loops of a maybe empty domain leave behind.
            std::erase_if(made.guards, [&](const Expr& weaker) {
                return weaker.kind() == arith::ExprKind::Lt && condition.kind() == arith::ExprKind::Lt &&
                       arith::provablyEqual(weaker->args[0], condition->args[0]) &&
                       arith::provablyEqual(weaker->args[1], arith::max(condition->args[1], 1));
            });
            made.guards.push_back(condition);
        }
    return made;
}

/// Reduces along the loops themselves; the factor's loop is one more dimension of its result.
tir::Block partialBlock(const Editor& edit, const Factored& old, const BufferPtr& partial) {
    tir::Block made;
    made.name = edit.freeBlockName(old.block.name + "_rf");
    arith::VarMap iters, loops;
    for (const tir::IterVar& iter : old.block.iters)
        if (iter.kind == tir::IterKind::Spatial) {
            const Var var = arith::var(iter.var->name);
            iters[iter.var.get()] = var;
            made.iters.push_back({var, iter.extent, iter.kind, iter.binding});
        }
    const Var lane = arith::var("v" + old.factor.var->name);
    made.iters.push_back({lane, old.factor.extent, tir::IterKind::Spatial, old.factor.var});
    loops[old.factor.var.get()] = lane;
    for (const tir::For* around : old.loops)
        if (!around->var.same(old.factor.var) && old.reduces(around->var)) {
            const Var var = arith::var("v" + around->var->name);
            made.iters.push_back({var, around->extent, tir::IterKind::Reduce, around->var});
            loops[around->var.get()] = var;
        }
    for (const tir::IterVar& iter : old.block.iters)
        if (iter.kind == tir::IterKind::Reduce)
            iters[iter.var.get()] = arith::substitute(iter.binding, loops);
    const Conditions conditions = conditionsOf(edit, old, iters, loops);
    made.predicate = arith::conjunction(conditions.predicates);
    std::vector<Expr> indices;
    for (const Expr& index : old.store.indices)
        indices.push_back(arith::substitute(index, iters));
    const std::vector<Expr> at = old.withAxis(std::move(indices), lane);
    made.init = tir::makeStmt(tir::Store{partial, at, old.identity, {}}, old.origin);
    const Expr sum =
        arith::binary(old.combination.op, arith::load(partial, at), arith::substitute(old.combination.element, iters));
    made.body = tir::makeStmt(tir::Store{partial, at, sum, {}}, old.origin);
    if (!conditions.guards.empty())
        made.body = tir::makeStmt(tir::If{arith::conjunction(conditions.guards), made.body, nullptr}, old.origin);
    refreshRegions(made);
    return made;
}

/// Combines the partial results, and the loops to put around it.
std::pair<tir::Block, std::vector<NestLoop>> combiningBlock(const Factored& old, const BufferPtr& partial) {
    tir::Block made;
    made.name = old.block.name;
    std::vector<NestLoop> loops;
    arith::VarMap iters;
    for (const tir::IterVar& iter : old.block.iters)
        if (iter.kind == tir::IterKind::Spatial) {
            const Var var = arith::var(iter.var->name);
            iters[iter.var.get()] = var;
            made.iters.push_back({var, iter.extent, iter.kind, {}});
            loops.push_back({{}, iter.extent});
        }
    const Var lane = arith::var("v" + old.factor.var->name);
    made.iters.push_back({lane, old.factor.extent, tir::IterKind::Reduce, {}});
    loops.push_back({{}, old.factor.extent});
    std::vector<Expr> at;
    for (const Expr& index : old.store.indices)
        at.push_back(arith::substitute(index, iters));
    const BufferPtr& result = old.store.buffer;
    made.init = tir::makeStmt(tir::Store{result, at, old.identity, {}}, old.origin);
    const Expr sum =
        arith::binary(old.combination.op, arith::load(result, at), arith::load(partial, old.withAxis(at, lane)));
    made.body = tir::makeStmt(tir::Store{result, at, sum, {}}, old.origin);
    refreshRegions(made);
    return {std::move(made), std::move(loops)};
}

} // namespace

BlockRef Schedule::rfactor(LoopRef loop, int factorAxis) {
    Editor edit(*this, "rfactor");
    const Factored old = factoredAlong(edit, loop, factorAxis);
    const BufferPtr& result = old.store.buffer;
    const BufferPtr partial = tir::makeBuffer(edit.freeBufferName(result->name + "_rf"), result->dtype,
                                              old.withAxis(result->shape, old.factor.extent), tir::Scope::Workspace);
    tir::Block block = partialBlock(edit, old, partial);
    const std::string name = block.name;
    edit.body = withBlock(old.path, std::move(block));
    const Path nest = edit.enclosingNest(edit.block(name), result.get());
    auto [combining, loops] = combiningBlock(old, partial);
    edit.body =
        insertAfter(nest, makeNest(std::move(combining), loops, loopsOf({nest.begin(), nest.end() - 1}), old.origin));
    edit.allocate(partial, result.get());
    edit.checkParallelLoops();
    edit.step.loops = {loop.id};
    edit.step.numbers = {factorAxis};
    edit.commit({}, {name});
    return {name};
}

} // namespace lathe::schedule
