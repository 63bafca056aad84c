// SPDX-License-Identifier: Apache-2.0
#include "topi/register_tile.h"

#include "arith/analysis.h"
#include "topi/access.h"

#include <algorithm>

namespace lathe::topi {

using arith::Expr;
using schedule::BlockRef;
using schedule::LoopRef;
using schedule::Number;
using schedule::Schedule;

namespace {

/// More rows than registers hold are slow, not wrong: a search may try them.
const std::vector<int64_t> rowCounts = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};

/// Beyond this step, a vector's elements come from as many cache lines.
constexpr int64_t widestStep = 4;

/// A loop that may be longer is as good as endless: its last tile does not count.
constexpr int64_t unknownExtent = 1 << 20;

/// Elements along `var` become neighbours in the buffer that the block writes: accumulators are whole vectors.
void innermostInStorage(Schedule& schedule, const BlockRef& block, const arith::Var& var) {
    const tir::Store* store = onlyStore(schedule.get(block));
    std::vector<arith::Var> vars;
    std::vector<Expr> map, last;
    for (size_t i = 0; i < store->indices.size(); ++i) {
        vars.push_back(arith::var(fmt::format("i{}", i)));
        (var.same(store->indices[i]) ? last : map).push_back(vars.back());
    }
    if (last.size() != 1 || var.same(store->indices.back()))
        return;
    map.push_back(last.front());
    schedule.transformLayout(block, 0, vars, map);
}

/// Whether the one that reads the block's result walks the same axes in the same order.
bool isEpilogue(Schedule& schedule, const BlockRef& block, const BlockRef& consumer) {
    const tir::Block& body = schedule.get(block);
    const tir::Block& next = schedule.get(consumer);
    if (isOutput(body) || !isInjective(next) || schedule.loops(consumer).size() != next.iters.size())
        return false;
    size_t axis = 0;
    for (const tir::IterVar& iter : body.iters)
        if (iter.kind == tir::IterKind::Spatial &&
            (axis >= next.iters.size() || !arith::provablyEqual(iter.extent, next.iters[axis++].extent)))
            return false;
    if (axis != next.iters.size())
        return false;
    for (const AccessPattern& read : readsOf(next))
        if (read.buffer == onlyStore(body)->buffer)
            for (const tir::IterVar& iter : next.iters)
                if (!read.affine || (!read.uses(iter.var) && !arith::isConst(iter.extent, 1)))
                    return false;
    return true;
}

/// Rows of a tile that is `vectors` wide, for `extent` of them: those with the fewest cycles a step over all tiles, the
/// last one included. Accumulators, the vectors of one step and a broadcast value must fit the registers.
int64_t rowsOf(int64_t extent, int64_t vectors, const Target& target) {
    constexpr int64_t hiding = 8; // multiply-adds in flight: four cycles, two a cycle
    const int64_t most = std::min({extent, int64_t{12}, (target.vectorRegisters - 1 - vectors) / vectors});
    if (extent >= unknownExtent)
        return most;
    const auto cost = [&](int64_t rows) { return std::max(rows * vectors, hiding) + 1; }; // 1: the step itself
    int64_t best = 1, least = std::numeric_limits<int64_t>::max();
    for (int64_t rows = 1; rows <= most; ++rows) {
        const int64_t rest = extent % rows;
        const int64_t all = extent / rows * cost(rows) + (rest > 0 ? cost(rest) : 0);
        if (all <= least) {
            least = all;
            best = rows;
        }
    }
    return best;
}

} // namespace

std::optional<RegisterTile> contractionTile(const tir::Block& body, const Target& target) {
    std::optional<Contraction> found = asContraction(body);
    if (!found || !found->output.affine || !found->a.affine || !found->b.affine)
        return std::nullopt;
    int64_t lanes = target.lanes(std::max<int>(32, found->output.buffer->dtype.bits));
    RegisterTile tile;
    const AccessPattern* vectors = nullptr;
    // Best a panel of packed weights, whatever the result's layout; else an axis along which the result is contiguous.
    for (bool packed : {true, false})
        for (size_t i = 0; i < body.iters.size() && tile.vectorAxis < 0; ++i) {
            const tir::IterVar& iter = body.iters[i];
            if (iter.kind != tir::IterKind::Spatial || (!packed && found->output.constantStride(iter.var) != 1))
                continue;
            for (const auto& [own, other] : {std::pair(&found->b, &found->a), std::pair(&found->a, &found->b)})
                if (own->constantStride(iter.var) == 1 && !other->uses(iter.var) &&
                    own->panel.contains(iter.var.get()) == packed) {
                    tile.vectorAxis = static_cast<int>(i);
                    vectors = own;
                }
        }
    if (tile.vectorAxis < 0)
        return std::nullopt;
    const AccessPattern* scalars = vectors == &found->b ? &found->a : &found->b;
    int64_t best = 0;
    for (size_t i = 0; i < body.iters.size(); ++i) {
        const tir::IterVar& iter = body.iters[i];
        if (iter.kind != tir::IterKind::Spatial || static_cast<int>(i) == tile.vectorAxis)
            continue;
        if (vectors->uses(iter.var)) {
            tile.before.push_back(static_cast<int>(i));
            continue;
        }
        int64_t extent = std::min(arith::bounds(iter.extent).upper, unknownExtent);
        if (scalars->uses(iter.var) && extent >= best)
            best = extent, tile.rowAxis = static_cast<int>(i);
    }
    const tir::IterVar& column = body.iters[static_cast<size_t>(tile.vectorAxis)];
    tile.width = arith::bounds(column.extent).upper >= 2 * lanes ? 2 * lanes : lanes;
    tile.widths = {lanes, 2 * lanes, 3 * lanes, 4 * lanes};
    if (auto panel = vectors->panel.find(column.var.get()); panel != vectors->panel.end())
        tile.width = panel->second, tile.widths.clear();
    if (tile.rowAxis >= 0)
        tile.rows = rowsOf(best, tile.width / lanes, target);
    return tile;
}

std::optional<RegisterTile> slidingTile(const tir::Block& body, const Target& target) {
    const tir::Store* store = onlyStore(body);
    if (!store || !isReduction(body))
        return std::nullopt;
    AccessPattern output = accessPatternOf(store->buffer, store->indices, body);
    for (size_t i = 0; i < body.iters.size(); ++i) {
        const tir::IterVar& iter = body.iters[i];
        if (iter.kind != tir::IterKind::Spatial || output.constantStride(iter.var) != 1)
            continue;
        for (const AccessPattern& read : readsOf(body))
            if (auto stride = read.constantStride(iter.var); !stride || *stride < 0 || *stride > widestStep)
                return std::nullopt;
        int64_t lanes = target.lanes(std::max<int>(32, store->buffer->dtype.bits));
        int64_t columns = arith::bounds(iter.extent).upper;
        if (columns * 2 <= lanes)
            return std::nullopt;
        RegisterTile tile;
        tile.vectorAxis = static_cast<int>(i);
        tile.width = columns % (2 * lanes) == 0 || columns >= 8 * lanes ? 2 * lanes : lanes;
        tile.widths = {lanes, 2 * lanes, 4 * lanes};
        for (size_t axis = 0; axis < i; ++axis)
            tile.before.push_back(static_cast<int>(axis));
        return tile;
    }
    return std::nullopt;
}

std::vector<std::string> tileReduction(Schedule& s, const BlockRef& block, const RegisterTile& tile) {
    const tir::Block body = s.get(block);
    const Number width = tile.widths.empty() ? Number(tile.width) : s.choose(block, "width", tile.widths, tile.width);
    const Number rows = tile.rowAxis < 0 ? Number(1) : s.choose(block, "rows", rowCounts, tile.rows);
    std::vector<BlockRef> consumers = s.consumers(block);
    const bool epilogue = consumers.size() == 1 && isEpilogue(s, block, consumers.front());
    const BlockRef consumer = epilogue ? consumers.front() : s.cacheWrite(block, 0, tir::Scope::Local);
    if (epilogue)
        s.setScope(block, 0, tir::Scope::Local);
    innermostInStorage(s, block, body.iters[static_cast<size_t>(tile.vectorAxis)].var);
    std::vector<LoopRef> loops = s.loops(consumer);
    std::vector<LoopRef> order, inside;
    LoopRef tileRow, tileColumn, rowInner, columnInner;
    for (size_t i = 0, axis = 0; i < body.iters.size(); ++i) {
        if (body.iters[i].kind != tir::IterKind::Spatial)
            continue;
        LoopRef loop = loops.at(axis++);
        if (static_cast<int>(i) == tile.vectorAxis) {
            std::vector<LoopRef> parts = s.split(loop, {-1, width});
            tileColumn = parts[0], columnInner = parts[1];
        } else if (static_cast<int>(i) == tile.rowAxis) {
            std::vector<LoopRef> parts = s.split(loop, {-1, rows});
            tileRow = parts[0], rowInner = parts[1];
        } else {
            bool before = std::find(tile.before.begin(), tile.before.end(), static_cast<int>(i)) != tile.before.end();
            (before ? order : inside).push_back(loop);
        }
    }
    // One panel stays in cache while what does not depend on it passes.
    order.push_back(tileColumn);
    order.insert(order.end(), inside.begin(), inside.end());
    if (tile.rowAxis >= 0)
        order.push_back(tileRow);
    std::vector<LoopRef> nest = order;
    if (tile.rowAxis >= 0)
        nest.push_back(rowInner);
    nest.push_back(columnInner);
    s.reorder(nest);
    s.computeAt(block, order.back());
    s.vectorize(columnInner);
    if (tile.rowAxis >= 0)
        s.unroll(rowInner);
    // Inside the tile: reduction outside, rows unrolled, columns as vectors.
    std::vector<LoopRef> own = s.loops(block);
    own.erase(own.begin(), own.begin() + static_cast<int64_t>(order.size()));
    std::vector<LoopRef> spatialLoops, reduceLoops;
    LoopRef ownRow, ownColumn;
    for (size_t i = 0; i < body.iters.size(); ++i) {
        LoopRef loop = own.at(i);
        if (body.iters[i].kind != tir::IterKind::Spatial)
            reduceLoops.push_back(loop);
        else if (static_cast<int>(i) == tile.vectorAxis)
            ownColumn = loop;
        else if (static_cast<int>(i) == tile.rowAxis)
            ownRow = loop;
        else
            spatialLoops.push_back(loop);
    }
    std::vector<LoopRef> inner = spatialLoops;
    inner.insert(inner.end(), reduceLoops.begin(), reduceLoops.end());
    if (tile.rowAxis >= 0)
        inner.push_back(ownRow);
    inner.push_back(ownColumn);
    s.reorder(inner);
    BlockRef init = s.decomposeReduction(block, reduceLoops.front());
    s.vectorize(ownColumn);
    if (tile.rowAxis >= 0)
        s.unroll(ownRow);
    std::vector<LoopRef> initLoops = s.loops(init);
    s.vectorize(initLoops.back());
    if (tile.rowAxis >= 0)
        s.unroll(initLoops[initLoops.size() - 2]);
    s.parallel(order.size() == 1 ? order.front() : s.fuse(order));
    return {block.name, consumer.name};
}

} // namespace lathe::topi
