// SPDX-License-Identifier: Apache-2.0
//
// Primitives that move a block under a loop of its consumers or producers and let it compute only what one iteration of
// that loop needs or has. Its own loops are made anew, one an iteration variable.
#include "schedule/editor.h"
#include "schedule/written_tile.h"

#include <algorithm>
#include <unordered_set>

namespace lathe::schedule {

namespace {

/// The offset e if the index is iter + e with e free of the block's iteration variables.
std::optional<Expr> offsetFrom(const Expr& index, const tir::IterVar& iter, const std::vector<Var>& iters) {
    auto affine = arith::asAffine(index, iters);
    if (!affine)
        return std::nullopt;
    for (size_t i = 0; i < iters.size(); ++i)
        if (!arith::isConst(affine->coefficients[i], iters[i].same(iter.var) ? 1 : 0))
            return std::nullopt;
    return affine->base;
}

std::vector<Var> iterVars(const tir::Block& block) {
    std::vector<Var> vars;
    for (const tir::IterVar& iter : block.iters)
        vars.push_back(iter.var);
    return vars;
}

/// Private buffers are indexed relative to the loops that they belong to.
bool mentionsLoop(const Editor& edit, const Expr& index) {
    auto vars = arith::freeVars(index);
    return std::ranges::any_of(vars, [&](const Var& var) { return !findLoop(edit.body, var).empty(); });
}

void requireMovable(const Editor& edit, const Path& path, const Path& loop) {
    const tir::Block& block = blockOf(path);
    edit.require(!isUnder(path, loop), fmt::format("block '{}' is under that loop already", block.name));
    for (const tir::IterVar& iter : block.iters)
        edit.require(iter.kind != tir::IterKind::Opaque,
                     fmt::format("the iterations of block '{}' have an order of their own", block.name));
    edit.require(block.writes.size() == 1,
                 fmt::format("block '{}' writes {} buffers", block.name, block.writes.size()));
    for (const std::string& writer : edit.writersOf(block.writes[0].buffer.get()))
        edit.require(writer == block.name,
                     fmt::format("block '{}' writes '{}' too", writer, block.writes[0].buffer->name));
    for (const tir::For* target : loopsOf(loop))
        edit.require(target->kind == tir::ForKind::Serial || target->kind == tir::ForKind::Parallel,
                     fmt::format("loop {} is vectorized or unrolled", target->var->name));
}

void finish(Editor& edit, const Var& loopVar, const std::string& block, LoopRef loop) {
    edit.body = compactBuffers(edit.body, loopVar, [&](const tir::Buffer* buffer) { return edit.isParameter(buffer); });
    if (auto why = hoistWorkspaces(edit.body))
        edit.fail(*why);
    edit.checkParallelLoops();
    edit.step.blocks = {edit.schedule.numberOf({block})};
    edit.step.loops = {loop.id};
    edit.commit();
}

/// What the writers of a buffer complete in one iteration of a loop.
WrittenTile completeTile(const Editor& edit, const BufferPtr& buffer, const Path& loop) {
    std::vector<Access> writes;
    for (Access& access : accessesOf(edit.body, buffer.get())) {
        if (!access.write)
            continue;
        edit.require(isUnder(access.path, loop), fmt::format("'{}' is written outside of the loop too", buffer->name));
        const auto* block = access.path.back()->as<tir::Block>();
        edit.require(block, fmt::format("'{}' is written outside of blocks", buffer->name));
        for (const tir::For* outer : loopsOf(loop))
            for (const tir::IterVar& iter : block->iters)
                edit.require(!arith::mentions(iter.binding, outer->var) || iter.kind == tir::IterKind::Spatial,
                             fmt::format("block '{}' still reduces along loop {}", block->name, outer->var->name));
        writes.push_back(std::move(access));
    }
    return {edit, buffer, loop, writes};
}

/// Restricts a consumer's iterations to those whose operand the tile holds.
class Restriction {
public:
    Restriction(const Editor& edit, const tir::Block& block) : edit_(edit), block_(block), parts(block.iters.size()) {}

    void add(const WrittenTile& tile, const BufferPtr& buffer, const std::vector<Expr>& indices) {
        std::vector<Var> iters = iterVars(block_);
        for (size_t d = 0; d < indices.size(); ++d) {
            if (tile.isWhole(d) && !mentionsLoop(edit_, indices[d])) // relative to a loop, all of it is still a tile
                continue;
            bool matched = false;
            for (size_t i = 0; i < iters.size() && !matched; ++i)
                matched = plain(tile, buffer->shape[d], d, indices[d], i, iters) || blocked(tile, d, indices, i) ||
                          flattened(tile, d, indices[d], i, iters);
            edit_.require(matched, fmt::format("block '{}' reads '{}' at {}, of which one iteration makes a part only",
                                               block_.name, buffer->name, toString(indices[d])));
        }
    }

private:
    bool restrict(size_t iter, SymbolicRange range, const arith::Facts& facts) {
        range = {arith::simplify(range.lower, facts), arith::simplify(range.upper, facts)};
        edit_.require(block_.iters[iter].kind == tir::IterKind::Spatial,
                      fmt::format("block '{}' reduces over what several iterations make", block_.name));
        if (parts[iter])
            return arith::provablyEqual(parts[iter]->lower, range.lower, facts) &&
                   arith::provablyEqual(parts[iter]->upper, range.upper, facts);
        parts[iter] = range;
        return true;
    }

    /// Iterations beyond what is written in all, whose reads a condition may keep, would be left out.
    bool plain(const WrittenTile& tile, const Expr& extent, size_t d, const Expr& index, size_t i,
               const std::vector<Var>& iters) {
        auto offset = offsetFrom(index, block_.iters[i], iters);
        if (offset && !mentionsLoop(edit_, *offset) &&
            !(arith::provablyTrue(arith::ge(*offset, 0)) &&
              arith::provablyTrue(arith::le(block_.iters[i].extent + *offset, extent))))
            return false;
        return offset&& restrict(i, {tile.range(d).lower - *offset, tile.range(d).upper - *offset}, tile.facts());
    }

    /// Reads [… c // f …, … c % f …] where the second dimension is whole.
    bool blocked(const WrittenTile& tile, size_t d, const std::vector<Expr>& indices, size_t i) {
        const Expr& quotient = indices[d];
        const Var& var = block_.iters[i].var;
        if (quotient.kind() != arith::ExprKind::FloorDiv || !quotient->args[0].same(var) ||
            !arith::asInt(quotient->args[1]))
            return false;
        Expr factor = quotient->args[1];
        for (size_t other = 0; other < indices.size(); ++other)
            if (tile.isWhole(other) && structurallyEqual(indices[other], arith::floorMod(var, factor)))
                return restrict(i, {tile.range(d).lower * factor, tile.range(d).upper * factor + factor - 1},
                                tile.facts());
        return false;
    }

    /// Reads [… c · f + r …] with r over all of [0, f), where the tile is made of such runs.
    bool flattened(const WrittenTile& tile, size_t d, const Expr& index, size_t i, const std::vector<Var>& iters) {
        auto affine = arith::asAffine(index, iters);
        auto factor = affine ? arith::asInt(affine->coefficients[i]) : std::nullopt;
        if (!factor || *factor <= 1 || !arith::isConst(affine->base, 0))
            return false;
        int rests = 0;
        for (size_t j = 0; j < iters.size(); ++j) {
            if (j == i || arith::isConst(affine->coefficients[j], 0))
                continue;
            if (!arith::isConst(affine->coefficients[j], 1) ||
                !arith::provablyEqual(block_.iters[j].extent, *factor, tile.facts()))
                return false;
            ++rests;
        }
        const SymbolicRange& range = tile.range(d);
        if (rests != 1 || !arith::divisible(range.lower, *factor, tile.facts()) ||
            !arith::divisible(extentOf(range, tile.facts()), *factor, tile.facts()))
            return false;
        return restrict(i, {arith::floorDiv(range.lower, *factor), arith::floorDiv(range.upper, *factor)},
                        tile.facts());
    }

    const Editor& edit_;
    const tir::Block& block_;

public:
    std::vector<std::optional<SymbolicRange>> parts; // by iteration variable; nothing: all of its domain
};

/// Part of an iteration variable's domain; nothing: all of it.
struct Part {
    std::optional<SymbolicRange> range;
    bool binding = false; // no more than the range may run; otherwise it is what suffices
};

std::vector<NestLoop> nestFor(const tir::Block& block, const std::vector<Part>& parts, const arith::Facts& facts) {
    std::vector<NestLoop> loops;
    for (size_t i = 0; i < parts.size(); ++i) {
        const Expr& whole = block.iters[i].extent;
        auto extent = smallerExtent(parts[i].range, whole, facts);
        if (parts[i].binding && parts[i].range)
            extent = extentOf(*parts[i].range, facts);
        loops.push_back(extent ? NestLoop{parts[i].range->lower, *extent} : NestLoop{{}, whole});
    }
    return loops;
}

} // namespace

void Schedule::computeAt(const BlockRef& block, LoopRef loop) {
    Editor edit(*this, "computeAt");
    Path path = edit.block(block.name);
    Path loopPath = edit.loop(loop);
    Var loopVar = loopOf(loopPath).var;
    requireMovable(edit, path, loopPath);
    tir::Block moved = blockOf(path);
    BufferPtr buffer = moved.writes[0].buffer;
    edit.require(!edit.isParameter(buffer.get()),
                 fmt::format("block '{}' makes the result '{}'", block.name, buffer->name));

    std::vector<Access> uses;
    std::vector<Expr> written;
    for (Access& access : accessesOf(edit.body, buffer.get())) {
        if (access.path.back() == path.back()) {
            if (access.write)
                written = access.indices;
            continue;
        }
        edit.require(isUnder(access.path, loopPath),
                     fmt::format("'{}' is used outside of {} too", buffer->name, edit.nameOf(loop)));
        uses.push_back(std::move(access));
    }
    edit.require(!uses.empty(), fmt::format("{} has no consumer of block '{}'", edit.nameOf(loop), block.name));

    std::vector<const tir::For*> around = loopsOf(loopPath);
    LoopRanges outside(around, around.size());
    std::vector<std::optional<SymbolicRange>> needed = touchedRanges(*buffer, uses, loopPath);
    std::vector<Part> parts(moved.iters.size());
    std::vector<Var> iters = iterVars(moved);
    for (size_t i = 0; i < iters.size(); ++i) {
        if (moved.iters[i].kind != tir::IterKind::Spatial)
            continue;
        int mentions = 0;
        Part part;
        for (size_t d = 0; d < written.size(); ++d) {
            if (!arith::mentions(written[d], iters[i]))
                continue;
            ++mentions;
            auto offset = offsetFrom(written[d], moved.iters[i], iters);
            bool tile = mentionsLoop(edit, written[d]);
            edit.require(offset || !tile, fmt::format("'{}' holds a tile of an involved form", buffer->name));
            std::optional<SymbolicRange> range = needed[d];
            if (tile && !smallerExtent(range, buffer->shape[d], outside.facts))
                range = SymbolicRange{0, buffer->shape[d] - 1};
            if (offset && range)
                part = {SymbolicRange{range->lower - *offset, range->upper - *offset}, tile};
        }
        if (mentions == 1)
            parts[i] = part;
        else
            edit.require(!part.binding, fmt::format("'{}' holds a tile of an involved form", buffer->name));
    }
    moved.predicate = {};
    Stmt nest = makeNest(moved, nestFor(moved, parts, outside.facts), around, path.back()->origin);
    edit.requireInScope(nest, loopPath, block.name);

    edit.body = replaceAt(path, nullptr);
    Path first;
    for (const Path& other : findBlocks(edit.body))
        if (first.empty() && reads(blockOf(other), buffer.get()))
            first = other;
    size_t depth = findLoop(edit.body, loopVar).size();
    while (first[depth]->as<tir::Allocate>() || first[depth]->as<tir::Seq>())
        ++depth;
    first.resize(depth + 1);
    edit.body = insertBefore(first, nest);
    finish(edit, loopVar, block.name, loop);
}

void Schedule::reverseComputeAt(const BlockRef& block, LoopRef loop) {
    Editor edit(*this, "reverseComputeAt");
    Path path = edit.block(block.name);
    Path loopPath = edit.loop(loop);
    Var loopVar = loopOf(loopPath).var;
    requireMovable(edit, path, loopPath);
    tir::Block moved = blockOf(path);

    // Everything that the block reads must be complete, either before the loop or within its iteration.
    bool loopSeen = false, selfSeen = false;
    std::unordered_set<const tir::Buffer*> made;
    for (const Path& other : findBlocks(edit.body)) {
        bool under = isUnder(other, loopPath);
        bool feeds = false;
        for (const tir::Region& region : blockOf(other).writes)
            if (other.back() != path.back() && reads(moved, region.buffer.get())) {
                feeds = true;
                if (under)
                    made.insert(region.buffer.get());
            }
        edit.require(!feeds || under || !loopSeen, fmt::format("block '{}' needs block '{}', which comes after {}",
                                                               block.name, blockOf(other).name, edit.nameOf(loop)));
        edit.require(!under || !selfSeen, fmt::format("block '{}' comes before {}", block.name, edit.nameOf(loop)));
        loopSeen = loopSeen || under;
        selfSeen = selfSeen || other.back() == path.back();
    }
    edit.require(!made.empty(), fmt::format("{} has no producer of block '{}'", edit.nameOf(loop), block.name));

    Restriction restriction(edit, moved);
    std::vector<Expr> conditions;
    for (const BufferPtr& buffer : buffersIn(path.back())) {
        if (!made.contains(buffer.get()))
            continue;
        const WrittenTile tile = completeTile(edit, buffer, loopPath);
        std::ranges::copy(tile.conditions(), std::back_inserter(conditions));
        for (const Access& access : accessesOf(edit.body, buffer.get()))
            if (access.path.back() == path.back() && !access.write)
                restriction.add(tile, buffer, access.indices);
    }
    std::vector<Part> parts;
    for (const std::optional<SymbolicRange>& range : restriction.parts)
        parts.push_back({range, true});
    std::vector<const tir::For*> around = loopsOf(loopPath);
    LoopRanges outside(around, around.size());
    moved.predicate = arith::conjunction(conditions);
    Stmt nest = makeNest(moved, nestFor(moved, parts, outside.facts), around, path.back()->origin);
    edit.requireInScope(nest, loopPath, block.name);

    edit.body = replaceAt(path, nullptr);
    Path last = findLoop(edit.body, loopVar);
    last.push_back(loopOf(last).body);
    while (const auto* allocate = last.back()->as<tir::Allocate>())
        last.push_back(allocate->body);
    edit.body = insertAfter(last, nest);
    finish(edit, loopVar, block.name, loop);
}

} // namespace lathe::schedule
