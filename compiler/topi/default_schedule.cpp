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
#include "tir/transform/parallel_regions.h"
#include "topi/access.h"
#include "topi/partial_results.h"
#include "topi/register_tile.h"

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

/// Producers into consumers where that repeats no real work.
void inlineProducers(Schedule& schedule) {
    for (const BlockRef& block : schedule.blocks()) {
        if (!schedule.hasBlock(block) || isOutput(schedule.get(block)) || !isInjective(schedule.get(block)))
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
        if (work * lanes >= tir::parallelGrain) // else it would be one chunk: no need to fuse the loops
            s.parallel(all.size() == 1 ? all.front() : s.fuse(all));
    });
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
    if (attempt(schedule, [&](Schedule& s) { tileDots(s, block, target); }))
        return;
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
        std::optional<RegisterTile> tile = contractionTile(schedule, block, target);
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
