// SPDX-License-Identifier: Apache-2.0
//
// Default schedules. First what is cheap or used once is inlined; then each remaining computation gets a schedule by its
// structure:
//   contraction   (matrix products, convolutions) register tile: rows of one operand, vectors along the other, the
//                 reduction inside, accumulators in registers, what follows computed on the tile
//   rows          (softmax, normalisations) all stages of one row together, rows parallel
//   reduction     vectors along the contiguous spatial axis, or partial results along the reduced one
//   elementwise   vectors along the innermost axis, the rest parallel
// Each attempt works on a copy of the schedule: one that turns out illegal leaves no trace.
#include "topi/default_schedule.h"

#include "arith/analysis.h"
#include "topi/access.h"

#include <algorithm>
#include <functional>

namespace lathe::topi {
namespace {

using arith::Expr;
using schedule::BlockRef;
using schedule::LoopRef;
using schedule::Schedule;

bool attempt(Schedule& schedule, const std::function<void(Schedule&)>& fn) {
    Schedule copy = schedule;
    try {
        fn(copy);
    } catch (const schedule::ScheduleError&) {
        return false;
    }
    schedule = std::move(copy);
    return true;
}

bool isOutput(const Schedule& schedule, const BlockRef& block) {
    const tir::Store* store = onlyStore(schedule.get(block));
    return !store || store->buffer->scope == tir::Scope::Global;
}

/// Producers into consumers where that repeats no real work.
void inlineProducers(Schedule& schedule) {
    for (const BlockRef& block : schedule.blocks()) {
        if (!schedule.hasBlock(block) || isOutput(schedule, block) || !isInjective(schedule.get(block)))
            continue;
        std::vector<BlockRef> consumers = schedule.consumers(block);
        bool cheap = isCheap(schedule.get(block));
        bool repeated = consumers.size() > 1;
        // What a reduction reads must stay linear in its axes, or there are no vectors.
        bool linear = true;
        for (const Access& read : readsOf(schedule.get(block)))
            linear &= read.affine;
        bool contracted = false;
        for (const BlockRef& consumer : consumers) {
            const tir::Block& body = schedule.get(consumer);
            if (!isReduction(body))
                continue;
            contracted |= !linear || asContraction(body).has_value();
            // An element that a reduction reads for several results is computed that many times.
            for (const Access& read : readsOf(body))
                if (read.buffer == onlyStore(schedule.get(block))->buffer)
                    for (const tir::IterVar& iter : body.iters)
                        repeated |= iter.kind == tir::IterKind::Spatial && !read.uses(iter.var) &&
                                    !arith::isConst(iter.extent, 1);
        }
        if (contracted || (repeated && !cheap))
            continue;
        attempt(schedule, [&](Schedule& s) { s.computeInline(block); });
    }
}

bool mentions(const Expr& expr, const arith::Var& var) {
    std::vector<arith::Var> vars = arith::freeVars(expr);
    return std::any_of(vars.begin(), vars.end(), [&](const arith::Var& other) { return other.same(var); });
}

int64_t extentOf(const Schedule& schedule, LoopRef loop) {
    return arith::bounds(schedule.get(loop).extent).upper;
}

/// Work below this many element operations is not worth waking threads for.
constexpr int64_t parallelGrain = 16384;

void parallelOuter(Schedule& schedule, const std::vector<LoopRef>& loops) {
    if (loops.empty())
        return;
    attempt(schedule, [&](Schedule& s) { s.parallel(loops.size() == 1 ? loops.front() : s.fuse(loops)); });
}

void scheduleElementwise(Schedule& schedule, const BlockRef& block, const Target& target) {
    const tir::Store* store = onlyStore(schedule.get(block));
    if (!store)
        return;
    std::vector<LoopRef> loops = schedule.loops(block);
    if (loops.empty())
        return;
    int64_t lanes = target.lanes(std::max(8, static_cast<int>(store->buffer->dtype.bits)));
    int widest = store->buffer->dtype.bits;
    for (const Access& read : readsOf(schedule.get(block)))
        widest = std::max<int>(widest, read.buffer->dtype.bits);
    lanes = std::max<int64_t>(2, target.lanes(widest));
    // One flat loop when all reads go along with the store or stay: otherwise the innermost axis alone is vectorized.
    bool flat = true;
    for (const Access& read : readsOf(schedule.get(block))) {
        Access output = accessOf(store->buffer, store->indices, schedule.get(block));
        flat &= read.affine && output.affine;
        for (const tir::IterVar& iter : schedule.get(block).iters)
            flat &= read.uses(iter.var) == output.uses(iter.var) &&
                    (!read.uses(iter.var) ||
                     arith::provablyEqual(read.stride.at(iter.var.get()), output.stride.at(iter.var.get())));
    }
    attempt(schedule, [&](Schedule& s) {
        std::vector<LoopRef> all = loops;
        if (flat && all.size() > 1)
            all = {s.fuse(all)};
        LoopRef inner = all.back();
        all.pop_back();
        int64_t extent = extentOf(s, inner);
        if (extent >= lanes) {
            std::vector<LoopRef> parts = s.split(inner, {-1, lanes});
            s.vectorize(parts[1]);
            all.push_back(parts[0]);
        } else {
            all.push_back(inner);
        }
        int64_t work = 1;
        for (LoopRef loop : all)
            work = std::min<int64_t>(int64_t{1} << 40,
                                     work * std::max<int64_t>(1, std::min<int64_t>(extentOf(s, loop), 1 << 20)));
        if (work * lanes >= parallelGrain)
            s.parallel(all.size() == 1 ? all.front() : s.fuse(all));
    });
}

/// Splits a reduction along the contiguous axis into as many partial results as a vector has lanes; gives the block that
/// makes them. Fails where the reads do not follow the axis.
BlockRef partialResults(Schedule& schedule, const BlockRef& block, const Target& target) {
    const tir::Block& body = schedule.get(block);
    const tir::Store* store = onlyStore(body);
    std::vector<LoopRef> loops = schedule.loops(block);
    bool follows = false, fits = store && loops.size() == body.iters.size() && isReduction(body) &&
                                 body.iters.back().kind == tir::IterKind::Reduce;
    int64_t lanes = fits ? target.lanes(std::max<int>(32, store->buffer->dtype.bits)) : 0;
    if (fits)
        for (const Access& read : readsOf(body)) {
            auto stride = read.constantStride(body.iters.back().var);
            fits &= stride && (*stride == 0 || *stride == 1);
            follows |= stride == 1;
        }
    if (!fits || !follows || extentOf(schedule, loops.back()) < 2 * lanes)
        throw schedule::ScheduleError("no vectors along the reduction");
    schedule.rfactor(schedule.split(loops.back(), {-1, lanes})[1], -1);
    return {block.name + "_rf"};
}

/// After computeAt: partial results are registers, the lanes innermost.
void vectorizePartial(Schedule& schedule, const BlockRef& partial) {
    schedule.setScope(partial, 0, tir::Scope::Local);
    const tir::Block& body = schedule.get(partial);
    std::vector<LoopRef> loops = schedule.loops(partial);
    loops.erase(loops.begin(), loops.end() - static_cast<int64_t>(body.iters.size()));
    size_t spatial = 0;
    while (body.iters[spatial].kind == tir::IterKind::Spatial)
        ++spatial;
    LoopRef lane = loops[spatial - 1], first = loops[spatial];
    std::vector<LoopRef> order(loops.begin() + static_cast<int64_t>(spatial), loops.end());
    order.push_back(lane);
    schedule.reorder(order);
    BlockRef init = schedule.decomposeReduction(partial, first);
    schedule.vectorize(lane);
    schedule.vectorize(schedule.loops(init).back());
}

void scheduleReduction(Schedule& schedule, const BlockRef& block, const Target& target) {
    const tir::Block& body = schedule.get(block);
    if (!onlyStore(body))
        return;
    std::vector<LoopRef> loops = schedule.loops(block);
    size_t spatial = 0;
    for (const tir::IterVar& iter : body.iters)
        spatial += iter.kind == tir::IterKind::Spatial;
    if (loops.size() != body.iters.size())
        return;
    std::vector<LoopRef> outer(loops.begin(), loops.begin() + static_cast<int64_t>(spatial));
    if (spatial > 0 && attempt(schedule, [&](Schedule& s) {
            BlockRef partial = partialResults(s, block, target);
            std::vector<LoopRef> own = s.loops(block);
            own.resize(spatial);
            LoopRef row = own.size() == 1 ? own.front() : s.fuse(own);
            s.computeAt(partial, row);
            vectorizePartial(s, partial);
            s.parallel(row);
        }))
        return;
    parallelOuter(schedule, outer);
}

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

/// How a reduction is tiled: vectors of `width` along one spatial axis, `rows` of another (-1: none) unrolled around them.
struct Tile {
    int vectorAxis = -1, rowAxis = -1;
    int64_t width = 1, rows = 1;
    std::vector<int> before; // axes outside of all tiles of one panel; the others pass inside
};

/// Whether the one that reads the block's result walks the same axes in the same order.
bool isEpilogue(Schedule& schedule, const BlockRef& block, const BlockRef& consumer) {
    const tir::Block& body = schedule.get(block);
    const tir::Block& next = schedule.get(consumer);
    if (isOutput(schedule, block) || !isInjective(next) || schedule.loops(consumer).size() != next.iters.size())
        return false;
    size_t axis = 0;
    for (const tir::IterVar& iter : body.iters)
        if (iter.kind == tir::IterKind::Spatial &&
            (axis >= next.iters.size() || !arith::provablyEqual(iter.extent, next.iters[axis++].extent)))
            return false;
    if (axis != next.iters.size())
        return false;
    for (const Access& read : readsOf(next))
        if (read.buffer == onlyStore(body)->buffer)
            for (const tir::IterVar& iter : next.iters)
                if (!read.affine || (!read.uses(iter.var) && !arith::isConst(iter.extent, 1)))
                    return false;
    return true;
}

/// Computes the reduction in tiles whose results are registers, then what follows on the tile. Gives the blocks that are
/// scheduled with it; throws if that is illegal.
std::vector<std::string> tileReduction(Schedule& s, const BlockRef& block, const Tile& tile) {
    const tir::Block body = s.get(block);
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
            std::vector<LoopRef> parts = s.split(loop, {-1, tile.width});
            tileColumn = parts[0], columnInner = parts[1];
        } else if (static_cast<int>(i) == tile.rowAxis) {
            std::vector<LoopRef> parts = s.split(loop, {-1, tile.rows});
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

/// The axis along which the result is contiguous and every read moves by a constant step or not at all: windows that
/// slide (pooling, depthwise convolution), reductions over outer axes.
constexpr int64_t widestStep = 4; // beyond, a vector's elements come from as many cache lines
std::optional<Tile> slidingTile(const tir::Block& body, const Target& target) {
    const tir::Store* store = onlyStore(body);
    if (!store || !isReduction(body))
        return std::nullopt;
    Access output = accessOf(store->buffer, store->indices, body);
    for (size_t i = 0; i < body.iters.size(); ++i) {
        const tir::IterVar& iter = body.iters[i];
        if (iter.kind != tir::IterKind::Spatial || output.constantStride(iter.var) != 1)
            continue;
        for (const Access& read : readsOf(body))
            if (auto stride = read.constantStride(iter.var); !stride || *stride < 0 || *stride > widestStep)
                return std::nullopt;
        int64_t lanes = target.lanes(std::max<int>(32, store->buffer->dtype.bits));
        int64_t columns = arith::bounds(iter.extent).upper;
        if (columns * 2 <= lanes)
            return std::nullopt;
        Tile tile;
        tile.vectorAxis = static_cast<int>(i);
        tile.width = columns % (2 * lanes) == 0 || columns >= 8 * lanes ? 2 * lanes : lanes;
        for (size_t axis = 0; axis < i; ++axis)
            tile.before.push_back(static_cast<int>(axis));
        return tile;
    }
    return std::nullopt;
}

/// The tile of a matrix product or convolution; nothing if the block is none or its axes do not fit.
std::optional<Tile> contractionTile(Schedule& schedule, const BlockRef& block, const Target& target) {
    const tir::Block& body = schedule.get(block);
    std::optional<Contraction> found = asContraction(body);
    if (!found || !found->output.affine || !found->a.affine || !found->b.affine)
        return std::nullopt;
    int64_t lanes = target.lanes(std::max<int>(32, found->output.buffer->dtype.bits));
    Tile tile;
    const Access* vectors = nullptr;
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
    const Access* scalars = vectors == &found->b ? &found->a : &found->b;
    int64_t best = 0;
    for (size_t i = 0; i < body.iters.size(); ++i) {
        const tir::IterVar& iter = body.iters[i];
        if (iter.kind != tir::IterKind::Spatial || static_cast<int>(i) == tile.vectorAxis)
            continue;
        if (vectors->uses(iter.var)) {
            tile.before.push_back(static_cast<int>(i));
            continue;
        }
        int64_t extent = std::min<int64_t>(arith::bounds(iter.extent).upper, 1 << 20);
        if (scalars->uses(iter.var) && extent >= best)
            best = extent, tile.rowAxis = static_cast<int>(i);
    }
    const tir::IterVar& column = body.iters[static_cast<size_t>(tile.vectorAxis)];
    tile.width = arith::bounds(column.extent).upper >= 2 * lanes ? 2 * lanes : lanes;
    if (auto panel = vectors->panel.find(column.var.get()); panel != vectors->panel.end())
        tile.width = panel->second;
    if (tile.rowAxis < 0)
        return tile;
    // Accumulators, the vectors of one step and a broadcast value must fit the registers.
    int64_t vectorsWide = tile.width / lanes;
    int64_t rows = std::min({best, int64_t{12}, (target.vectorRegisters - 1 - vectorsWide) / vectorsWide});
    // As few tiles as that needs, as even as they can be: 7 rows are 4 + 3, not 6 + 1.
    if (rows > 1 && best < (1 << 20))
        rows = (best + (best + rows - 1) / rows - 1) / ((best + rows - 1) / rows);
    tile.rows = schedule.choose("rows", {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14}, rows);
    return tile;
}

/// Stages that share leading axes (softmax, normalisations): all of them for one row, rows in parallel.
bool scheduleRows(Schedule& schedule, const std::vector<BlockRef>& blocks, const Target& target) {
    if (blocks.size() < 2)
        return false;
    const BlockRef& last = blocks.back();
    if (!isInjective(schedule.get(last)))
        return false;
    // Leading axes common to all stages: as many as the stage with the fewest spatial axes of more than one element has.
    size_t shared = schedule.get(last).iters.size();
    for (const BlockRef& block : blocks) {
        const tir::Block& body = schedule.get(block);
        if (asContraction(body))
            return false;
        size_t same = 0;
        const tir::Block& final = schedule.get(last);
        for (size_t i = 0; i < std::min(body.iters.size(), final.iters.size()); ++i) {
            if (body.iters[i].kind != tir::IterKind::Spatial ||
                !arith::provablyEqual(body.iters[i].extent, final.iters[i].extent))
                break;
            ++same;
        }
        shared = std::min(shared, same);
    }
    if (shared == 0 || shared >= schedule.get(last).iters.size())
        return false;
    return attempt(schedule, [&](Schedule& s) {
        std::vector<LoopRef> loops = s.loops(last);
        std::vector<LoopRef> outer(loops.begin(), loops.begin() + static_cast<int64_t>(shared));
        LoopRef row = outer.size() == 1 ? outer.front() : s.fuse(outer);
        std::vector<BlockRef> stages;
        std::vector<BlockRef> partials;
        for (const BlockRef& block : blocks) {
            if (isReduction(s.get(block)) && attempt(s, [&](Schedule& t) { partialResults(t, block, target); }))
                partials.push_back(stages.emplace_back(block.name + "_rf"));
            stages.push_back(block);
        }
        for (size_t i = stages.size() - 1; i-- > 0;)
            s.computeAt(stages[i], row);
        for (const BlockRef& partial : partials)
            attempt(s, [&](Schedule& t) { vectorizePartial(t, partial); });
        int64_t lanes = target.lanes(32);
        std::vector<LoopRef> inner = s.loops(last);
        if (extentOf(s, inner.back()) >= lanes)
            attempt(s, [&](Schedule& t) { t.vectorize(t.split(inner.back(), {-1, lanes})[1]); });
        for (const BlockRef& block : blocks) {
            if (block.name == last.name || !isInjective(s.get(block)))
                continue;
            std::vector<LoopRef> own = s.loops(block);
            if (own.size() > 1 && extentOf(s, own.back()) >= lanes)
                attempt(s, [&](Schedule& t) { t.vectorize(t.split(own.back(), {-1, lanes})[1]); });
        }
        s.parallel(row);
    });
}

/// Each computation by its structure.
void scheduleBlocks(Schedule& schedule, const Target& target) {
    std::vector<BlockRef> blocks = schedule.blocks();
    if (scheduleRows(schedule, blocks, target))
        return;
    std::vector<std::string> done;
    for (const BlockRef& block : blocks) {
        if (std::find(done.begin(), done.end(), block.name) != done.end() || !schedule.hasBlock(block))
            continue;
        std::optional<Tile> tile = contractionTile(schedule, block, target);
        if (!tile)
            tile = slidingTile(schedule.get(block), target);
        if (tile && attempt(schedule, [&](Schedule& s) {
                std::vector<std::string> scheduled = tileReduction(s, block, *tile);
                done.insert(done.end(), scheduled.begin(), scheduled.end());
            }))
            continue;
        if (isReduction(schedule.get(block)))
            scheduleReduction(schedule, block, target);
        else
            scheduleElementwise(schedule, block, target);
    }
}

/// An initialisation of its own needs no test in each step, and runs if there is no step at all.
void decomposeReductions(Schedule& schedule) {
    for (const BlockRef& block : schedule.blocks()) {
        const tir::Block body = schedule.get(block);
        if (!body.init)
            continue;
        auto reduces = [&](LoopRef loop) {
            return std::any_of(body.iters.begin(), body.iters.end(), [&](const tir::IterVar& iter) {
                return iter.kind == tir::IterKind::Reduce && mentions(iter.binding, schedule.get(loop).var);
            });
        };
        std::vector<LoopRef> loops = schedule.loops(block);
        if (auto first = std::find_if(loops.begin(), loops.end(), reduces); first != loops.end())
            attempt(schedule, [&](Schedule& s) { s.decomposeReduction(block, *first); });
    }
}

} // namespace

Schedule scheduleDefault(const Schedule& start, const Target& target) {
    Schedule schedule = start;
    inlineProducers(schedule);
    scheduleBlocks(schedule, target);
    decomposeReductions(schedule);
    return schedule;
}

} // namespace lathe::topi
