// SPDX-License-Identifier: Apache-2.0
//
// Primitives that reshape a loop nest: split, fuse, reorder.
#include "schedule/editor.h"

#include <algorithm>

namespace lathe::schedule {

namespace {

void requirePlain(const Editor& edit, const tir::For& loop, LoopRef ref) {
    edit.require(loop.kind == tir::ForKind::Serial, edit.nameOf(ref) + " is already parallel, vectorized or unrolled");
}

/// min + value, without a 0 that would then stand in every expression of the body.
Expr shifted(const Expr& min, const Expr& value) {
    return arith::isConst(min, 0) ? value : min + value;
}

} // namespace

std::vector<LoopRef> Schedule::split(LoopRef loop, const std::vector<Number>& numbers) {
    Editor edit(*this, "split");
    const std::vector<int64_t> factors(numbers.begin(), numbers.end());
    Path path = edit.loop(loop);
    const tir::For& old = loopOf(path);
    requirePlain(edit, old, loop);
    edit.require(!factors.empty(), "there are no factors");
    std::vector<const tir::For*> around = loopsOf(path);
    around.pop_back();
    LoopRanges outside(around);

    int64_t product = 1;
    int open = -1;
    for (size_t i = 0; i < factors.size(); ++i) {
        if (factors[i] == -1) {
            edit.require(open < 0, "only one factor may be -1");
            open = static_cast<int>(i);
            continue;
        }
        edit.require(factors[i] >= 1, fmt::format("{} is no factor", factors[i]));
        edit.require(!__builtin_mul_overflow(product, factors[i], &product), "the factors are too large");
    }
    std::vector<Expr> extents(factors.begin(), factors.end());
    bool exact = false;
    if (open >= 0) {
        extents[static_cast<size_t>(open)] = arith::simplify(arith::ceilDiv(old.extent, product), outside.facts);
        exact = arith::divisible(old.extent, product, outside.facts);
    } else {
        exact = arith::provablyEqual(old.extent, Expr(product), outside.facts);
        edit.require(
            exact || provablyBelow(old.extent - 1, Expr(product), outside),
            fmt::format("the product {} of the factors may be less than the extent {}", product, toString(old.extent)));
    }

    std::vector<Var> vars;
    std::vector<tir::For> loops;
    Expr value;
    for (size_t i = 0; i < factors.size(); ++i) {
        vars.push_back(arith::var(fmt::format("{}_{}", old.var->name, i)));
        loops.push_back({vars[i], 0, extents[i], tir::ForKind::Serial, nullptr});
        value = value ? value * extents[i] + vars[i] : Expr(vars[i]);
    }
    Stmt body = old.body;
    if (!exact)
        body = guard(body, arith::lt(arith::simplify(Expr(old.var) - old.min), old.extent));
    body = tir::substitute(body, {{old.var.get(), shifted(old.min, value)}});
    Stmt nest = simplifyBindings(wrap(loops, body, path.back()->origin), around);
    edit.body = replaceAt(path, nest);

    std::vector<LoopRef> refs = edit.give(vars);
    edit.step.loops = {loop.id};
    for (const Number& number : numbers)
        edit.step.numbers.push_back(Editor::recorded(number));
    edit.commit(refs);
    return refs;
}

LoopRef Schedule::fuse(const std::vector<LoopRef>& loops) {
    Editor edit(*this, "fuse");
    edit.require(loops.size() >= 2, "fusing takes two loops or more");
    Path path = edit.loop(loops[0]);
    std::vector<const tir::For*> around = loopsOf(path);
    around.pop_back();

    std::vector<tir::For> chain;
    Stmt current = path.back();
    for (size_t i = 0; i < loops.size(); ++i) {
        const auto* loop = current->as<tir::For>();
        const Path wanted = edit.loop(loops[i]);
        edit.require(loop && loop->var.same(loopOf(wanted).var),
                     fmt::format("{} is not directly inside {}", edit.nameOf(loops[i]),
                                 i == 0 ? "the function" : edit.nameOf(loops[i - 1])));
        requirePlain(edit, *loop, loops[i]);
        for (size_t j = 0; j < i; ++j)
            edit.require(!arith::mentions(loop->extent, chain[j].var) && !arith::mentions(loop->min, chain[j].var),
                         fmt::format("the range of {} depends on {}", edit.nameOf(loops[i]), edit.nameOf(loops[j])));
        chain.push_back(*loop);
        current = loop->body;
    }

    std::string name = chain[0].var->name;
    Expr extent = chain[0].extent;
    for (size_t i = 1; i < chain.size(); ++i) {
        name += "_" + chain[i].var->name;
        extent = extent * chain[i].extent;
    }
    Var fused = arith::var(name);
    arith::VarMap values;
    Expr rest = fused;
    for (size_t i = chain.size(); i-- > 0;) {
        values[chain[i].var.get()] = shifted(chain[i].min, i == 0 ? rest : arith::floorMod(rest, chain[i].extent));
        if (i > 0)
            rest = arith::floorDiv(rest, chain[i].extent);
    }
    tir::For outer{fused, 0, extent, tir::ForKind::Serial, tir::substitute(current, values)};
    edit.body = replaceAt(path, simplifyBindings(tir::makeStmt(std::move(outer), path.back()->origin), around));

    LoopRef ref = edit.give({fused})[0];
    for (const LoopRef& loop : loops)
        edit.step.loops.push_back(loop.id);
    edit.commit({ref});
    return ref;
}

void Schedule::reorder(const std::vector<LoopRef>& loops) {
    Editor edit(*this, "reorder");
    edit.require(!loops.empty(), "there are no loops");
    std::vector<const arith::ExprNode*> wanted;
    Path outermost;
    for (const LoopRef& ref : loops) {
        Path path = edit.loop(ref);
        const Var& var = loopOf(path).var;
        edit.require(std::ranges::find(wanted, var.get()) == wanted.end(), edit.nameOf(ref) + " is named twice");
        wanted.push_back(var.get());
        if (outermost.empty() || path.size() < outermost.size())
            outermost = path;
    }

    std::vector<tir::For> chain;
    Stmt current = outermost.back();
    for (size_t found = 0; found < wanted.size();) {
        const auto* loop = current->as<tir::For>();
        edit.require(loop != nullptr, "the loops do not nest in one chain: between them stands more than one loop");
        chain.push_back(*loop);
        if (std::ranges::find(wanted, loop->var.get()) != wanted.end())
            ++found;
        current = loop->body;
    }
    std::vector<tir::For> ordered;
    size_t next = 0;
    for (const tir::For& loop : chain) {
        bool moves = std::ranges::find(wanted, loop.var.get()) != wanted.end();
        const arith::ExprNode* var = moves ? wanted[next++] : loop.var.get();
        ordered.push_back(*std::ranges::find_if(chain, [&](const tir::For& other) { return other.var.get() == var; }));
    }
    for (size_t i = 0; i < ordered.size(); ++i)
        for (size_t j = i + 1; j < ordered.size(); ++j)
            edit.require(!arith::mentions(ordered[i].extent, ordered[j].var) &&
                             !arith::mentions(ordered[i].min, ordered[j].var),
                         fmt::format("the range of loop {} depends on loop {}, which would be inside",
                                     ordered[i].var->name, ordered[j].var->name));
    for (const Path& path : findBlocks(current)) {
        const tir::Block& block = blockOf(path);
        auto feeds = [&](const tir::For& loop, tir::IterKind kind) {
            return std::ranges::any_of(block.iters, [&](const tir::IterVar& iter) {
                return iter.kind == kind && arith::mentions(iter.binding, loop.var);
            });
        };
        for (const tir::For& loop : chain) {
            edit.require(!feeds(loop, tir::IterKind::Opaque),
                         fmt::format("the order of loop {} matters to block '{}'", loop.var->name, block.name));
            // Loops of one kind start all results at the same time; a fused one may come to a result in its middle.
            edit.require(!block.init || !feeds(loop, tir::IterKind::Spatial) || !feeds(loop, tir::IterKind::Reduce),
                         fmt::format("loop {} is fused from both kinds, and block '{}' initialises its result",
                                     loop.var->name, block.name));
        }
    }
    // Two blocks in one chain pass values within an iteration; interchanging loops could let one run ahead.
    auto blocks = findBlocks(current);
    for (const Path& a : blocks)
        for (const Path& b : blocks)
            for (const tir::Region& region : blockOf(a).writes)
                edit.require(a.back() == b.back() || findAllocate(current, region.buffer.get()).size() > 0 ||
                                 !reads(blockOf(b), region.buffer.get()),
                             fmt::format("block '{}' reads what block '{}' writes under the same loops",
                                         blockOf(b).name, blockOf(a).name));

    edit.body = replaceAt(outermost, wrap(std::move(ordered), current, outermost.back()->origin));
    for (const LoopRef& loop : loops)
        edit.step.loops.push_back(loop.id);
    edit.commit();
}

} // namespace lathe::schedule
