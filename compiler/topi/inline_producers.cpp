// SPDX-License-Identifier: Apache-2.0
#include "topi/inline_producers.h"

#include "arith/analysis.h"
#include "moves/inlining.h"
#include "tir/access.h"
#include "topi/register_tile.h"

#include <algorithm>
#include <ranges>
#include <unordered_map>

namespace lathe::topi {

using arith::Expr;
using schedule::attempt;
using schedule::BlockRef;
using schedule::Schedule;

namespace {

/// Whether an expression reads a buffer at different places each time it is computed: of a select, one side counts.
bool readsSeveral(const Expr& expr, const tir::Buffer* buffer) {
    using Places = std::vector<Expr>; // loads, two of them at most
    std::unordered_map<const arith::ExprNode*, Places> places;
    const auto join = [](Places& all, const Places& more) {
        for (const Expr& place : more)
            if (all.empty() || (all.size() == 1 && !arith::structurallyEqual(all[0], place)))
                all.push_back(place);
    };
    arith::visitUpwards(expr, [&](const Expr& node) {
        Places own;
        if (node.kind() == arith::ExprKind::Load && node->storage.get() == buffer)
            own.push_back(node);
        if (node.kind() == arith::ExprKind::Select) {
            const Places &a = places[node->args[1].get()], &b = places[node->args[2].get()];
            join(own, places[node->args[0].get()]);
            join(own, a.size() > b.size() ? a : b);
        } else {
            for (const Expr& arg : node->args)
                join(own, places[arg.get()]);
        }
        places[node.get()] = std::move(own);
    });
    return places[expr.get()].size() > 1;
}

/// Whether a block reads elements of a buffer again in a loop outside of one that they follow: no loop is left to compute
/// them before.
bool readsAgain(const tir::Block& block, const tir::Buffer& buffer) {
    for (const tir::AccessPattern& read : readsOf(block)) {
        if (read.buffer.get() != &buffer)
            continue;
        bool outer = false;
        for (const tir::IterVar& iter : block.iters) {
            if (outer && read.uses(iter.var))
                return true;
            outer |= !read.uses(iter.var) && !arith::isConst(iter.extent, 1);
        }
    }
    return false;
}

/// Whether windows whose operand is chosen (padding) still read whole vectors of what it is chosen from: what is chosen, and
/// where it is read otherwise than in steps, follows from loops of constant extents that are not the vectors'. Then borders
/// get code of their own, and the rest reads as if there were none.
bool choosesVectors(const tir::Block& producer, const tir::Store& made, const tir::Block& windows,
                    const arith::Var& vector) {
    std::vector<bool> bent(made.indices.size()); // dims along which it is chosen
    bool whole = true;
    const auto bend = [&](const tir::IterVar& iter) {
        whole &= arith::asInt(iter.extent).has_value();
        for (size_t dim = 0; dim < bent.size(); ++dim)
            bent[dim] = bent[dim] || arith::mentions(made.indices[dim], iter.var);
    };
    for (const tir::IterVar& iter : producer.iters) {
        bool chosen = false;
        for (const tir::AccessPattern& read : readsOf(producer))
            chosen |= read.irregular.contains(iter.var.get());
        arith::visit(made.value, [&](const Expr& node) {
            chosen |= node.kind() == arith::ExprKind::Select && arith::mentions(node->args[0], iter.var);
            return !chosen;
        });
        if (chosen)
            bend(iter);
    }
    arith::visit(onlyStore(windows)->value, [&](const Expr& node) {
        if (node.kind() == arith::ExprKind::Load && node->storage.get() == made.buffer.get())
            for (size_t dim = 0; dim < bent.size(); ++dim)
                whole &= !bent[dim] || !arith::mentions(node->args[dim], vector);
        return true;
    });
    return whole;
}

/// What becomes of a block's readers if it becomes part of them.
struct Readers {
    bool repeated = false;   // they compute an element more than once
    bool contracted = false; // and are worse to compute for it: no vectors, or the same test for each of many elements
    bool large = false;      // and one of them grows beyond measure
    bool reductions = false; // some are
};

Readers readersOf(const Schedule& schedule, const BlockRef& block, const Target& target) {
    const std::vector<BlockRef> consumers = schedule.consumers(block);
    Readers readers{.repeated = consumers.size() > 1};
    // What a reduction reads must stay linear in its axes, or there are no vectors; but for borders.
    bool linear = true;
    for (const tir::AccessPattern& read : readsOf(schedule.get(block)))
        linear &= read.affine();
    const tir::Store& made = *onlyStore(schedule.get(block));
    for (const BlockRef& consumer : consumers) {
        const tir::Block& body = schedule.get(consumer);
        const tir::Store* read = onlyStore(body);
        readers.large |= read && !moves::staysSmall(*read, made);
        if (!isReduction(body)) {
            const bool several = read && readsSeveral(read->value, made.buffer.get());
            readers.repeated |= several || readsAgain(body, *made.buffer);
            readers.contracted |= several && !linear;
            continue;
        }
        readers.reductions = true;
        // Windows that overlap would test and choose each element of a padded operand several times.
        const std::optional<RegisterTile> tile = chooses(made) ? registerTile(body, target) : std::nullopt;
        if (tile && tile->band > 0)
            readers.contracted |=
                !choosesVectors(schedule.get(block), made, body, body.iters[static_cast<size_t>(tile->vectorAxis)].var);
        else
            readers.contracted |= !linear || asContraction(body).has_value();
        // An element that a reduction reads for several results is computed that many times.
        for (const tir::AccessPattern& read : readsOf(body))
            if (read.buffer == made.buffer)
                for (const tir::IterVar& iter : body.iters)
                    readers.repeated |=
                        iter.kind == tir::IterKind::Spatial && !read.uses(iter.var) && !arith::isConst(iter.extent, 1);
    }
    return readers;
}

bool mayBePlaced(const Schedule& schedule, const BlockRef& block, const KeepsBlock& keeps) {
    return !keeps(block) && schedule.hasBlock(block) && !isOutput(schedule.get(block)) &&
           isInjective(schedule.get(block));
}

void place(Schedule& schedule, const BlockRef& block, int64_t preferred, std::vector<schedule::Refusal>& refusals) {
    attempt(schedule, "inlining", block, refusals, [&](Schedule& s) { s.place(block, {}, preferred); });
}

} // namespace

void inlineProducers(Schedule& schedule, const KeepsBlock& keeps, const Target& target,
                     std::vector<schedule::Refusal>& refusals) {
    const std::vector<BlockRef> blocks = schedule.blocks();
    std::vector<BlockRef> left;
    // Readers first, where nothing is repeated: two that become one read an element once.
    for (const BlockRef& block : blocks | std::views::reverse) {
        if (!mayBePlaced(schedule, block, keeps))
            continue;
        const Readers readers = readersOf(schedule, block, target);
        if (readers.reductions || readers.repeated || readers.large)
            left.push_back(block);
        else
            place(schedule, block, Schedule::placeInline, refusals);
    }
    // Of the others what they are made of comes first, and makes them less cheap.
    for (const BlockRef& block : left | std::views::reverse) {
        const Readers readers = readersOf(schedule, block, target);
        const bool stored = readers.contracted || readers.large || (readers.repeated && !isCheap(schedule.get(block)));
        place(schedule, block, stored ? Schedule::placeStored : Schedule::placeInline, refusals);
    }
}

} // namespace lathe::topi
