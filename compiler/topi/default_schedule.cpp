// SPDX-License-Identifier: Apache-2.0
//
// Default schedules. First what is cheap or used once is inlined; then each remaining computation gets a schedule by its
// structure:
//   contraction   (matrix products, convolutions) register tile: rows of one operand, vectors along the other, the
//                 reduction inside, accumulators in registers, what follows computed on the tile
//   products between transforms (Winograd's convolution)   three phases for chunks of tiles: topi/transformed_products.h
//   rows          (softmax, normalisations) all stages of one row together, rows parallel
//   window        (pooling, depthwise convolutions, sums over outer axes) register tile: neighbouring windows, vectors along
//                 the axis in which the result is contiguous; what pads the operand along that axis is computed for bands of
//                 windows
//   reduction     partial results along the reduced axis; of short rows a vector of them
//   elementwise   vectors along the innermost axis, tiles of them where they gather; outer loops parallel
// Each attempt works on a copy of the schedule: one that turns out illegal leaves a Refusal and nothing else.
#include "topi/default_schedule.h"

#include "arith/analysis.h"
#include "base/cache_lines.h"
#include "moves/partial_results.h"
#include "moves/rows_together.h"
#include "schedule/initialisations.h"
#include "schedule/schedule_loops.h"
#include "tir/access.h"
#include "topi/elementwise_schedule.h"
#include "topi/inline_producers.h"
#include "topi/parallel_task.h"
#include "topi/partial_results.h"
#include "topi/register_tile.h"
#include "topi/short_rows.h"
#include "topi/tile_reduction.h"
#include "topi/transformed_products.h"

#include <algorithm>

namespace lathe::topi {
namespace {

using schedule::attempt;
using schedule::BlockRef;
using schedule::LoopRef;
using schedule::Schedule;

using Refusals = std::vector<schedule::Refusal>;

void scheduleReduction(Schedule& schedule, const BlockRef& block, const Target& target, Refusals& refusals) {
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
    if (attempt(schedule, "tile of dot products", block, refusals, [&](Schedule& s) { tileDots(s, block, target); }))
        return;
    if (spatial > 0 && attempt(schedule, "partial results", block, refusals, [&](Schedule& s) {
            BlockRef partial = partialResults(s, block, target);
            const LoopRef row = moves::fuseOutermost(s, block, spatial);
            s.computeAt(partial, row);
            moves::vectorizePartials(s, partial, moves::Sums::OfOne);
            attempt(s, "combination of lanes", block, refusals,
                    [&](Schedule& t) { moves::vectorizeCombination(t, block); });
            parallelTask(s, block, row);
        }))
        return;
    if (!outer.empty())
        attempt(schedule, "parallel loops", block, refusals,
                [&](Schedule& s) { parallelTask(s, block, fusedTasks(s, block, outer)); });
}

/// Elements of as many rows as are computed together; what lies between their stages has to stay near.
constexpr int64_t mostTogether = 1024;

/// Of a group of rows: fewer leave gaps between the steps of a row.
constexpr int64_t leastRows = 4, mostRowsTogether = 8;

/// The loop over rows, or over groups of them. Each stage of a row waits for the one before, down to the last lane; of short
/// rows another row's steps fill the gaps. A group that leaves rows over would need all stages twice.
LoopRef rowsTogether(Schedule& s, const BlockRef& last, LoopRef row) {
    int64_t elements = 1;
    for (LoopRef loop : s.loops(last))
        if (loop.id != row.id)
            elements *= std::clamp<int64_t>(mostIterations(s, loop), 1, mostTogether);
    std::vector<int64_t> fitting = {1};
    int64_t preferred = 1;
    for (int64_t rows = leastRows; rows <= mostRowsTogether; ++rows)
        if (arith::divisible(s.get(row).extent, rows)) {
            fitting.push_back(rows);
            if (rows * elements <= mostTogether)
                preferred = rows;
        }
    const schedule::Number rows = s.choose(last, "rows", fitting, preferred);
    return rows == 1 ? row : s.split(row, {-1, rows})[0];
}

/// Stages that share leading axes (softmax, normalisations): all of them for one row, rows in parallel.
bool scheduleRows(Schedule& schedule, const std::vector<BlockRef>& blocks, const Target& target, Refusals& refusals) {
    if (blocks.size() < 2)
        return false;
    const BlockRef& last = blocks.back();
    if (!isInjective(schedule.get(last)))
        return false;
    // Vectors along other axes than a row's: a schedule for each block.
    if (std::ranges::any_of(blocks, [&](const BlockRef& block) {
            return asContraction(schedule.get(block)) || registerTile(schedule.get(block), target);
        }))
        return false;
    const size_t shared = moves::sharedAxes(schedule, blocks);
    if (shared == 0)
        return false;
    return attempt(schedule, "rows", last, refusals, [&](Schedule& s) {
        const LoopRef row = rowsTogether(s, last, moves::fuseOutermost(s, last, shared));
        std::vector<BlockRef> stages;
        std::vector<std::pair<BlockRef, BlockRef>> partials; // and what combines them
        for (const BlockRef& block : blocks) {
            if (isReduction(s.get(block)))
                attempt(s, "partial results", block, refusals, [&](Schedule& t) {
                    partials.emplace_back(stages.emplace_back(partialResults(t, block, target)), block);
                });
            stages.push_back(block);
        }
        moves::computeTogether(s, stages, row);
        // What one row needs lies near, and whoever reads it knows that nothing else writes it.
        for (const BlockRef& stage : stages)
            if (!isOutput(s.get(stage)))
                attempt(s, "memory of a row", stage, refusals,
                        [&](Schedule& t) { t.setScope(stage, 0, tir::Scope::Local); });
        for (const auto& [partial, block] : partials) {
            attempt(s, "vectors", partial, refusals,
                    [&](Schedule& t) { moves::vectorizePartials(t, partial, moves::Sums::OfOne); });
            attempt(s, "combination of lanes", block, refusals,
                    [&](Schedule& t) { moves::vectorizeCombination(t, block); });
        }
        vectorizeInnermost(s, last, target, refusals);
        for (const BlockRef& block : blocks)
            if (block.name != last.name && isInjective(s.get(block)))
                vectorizeInnermost(s, block, target, refusals);
        parallelTask(s, last, row);
    });
}

/// Each computation by its structure.
void scheduleBlocks(Schedule& schedule, const Target& target, Refusals& refusals) {
    std::vector<BlockRef> blocks = schedule.blocks();
    if (scheduleRows(schedule, blocks, target, refusals))
        return;
    std::vector<std::string> done;
    const auto isDone = [&](const BlockRef& block) {
        return std::ranges::find(done, block.name) != done.end() || !schedule.hasBlock(block);
    };
    // Reductions first: they take what goes before and after them along.
    for (const BlockRef& block : blocks) {
        if (isDone(block))
            continue;
        TiledReduction made;
        std::optional<RegisterTile> tile = registerTile(schedule.get(block), target);
        const bool isShort = !tile;
        if (isShort)
            tile = tileOfShortRows(schedule.get(block), target);
        if (tile && attempt(schedule, isShort ? "tile of rows" : "register tile", block, refusals, [&](Schedule& s) {
                made = tileReduction(s, block, *tile, target);
                if (isShort)
                    unrollSteps(s, block);
            })) {
            done.insert(done.end(), made.blocks.begin(), made.blocks.end());
            refusals.insert(refusals.end(), made.refusals.begin(), made.refusals.end());
            for (const BlockRef& operand : made.operands) {
                done.push_back(operand.name);
                vectorizeInnermost(schedule, operand, target, refusals);
            }
        } else if (isReduction(schedule.get(block))) {
            done.push_back(block.name);
            scheduleReduction(schedule, block, target, refusals);
        }
    }
    for (const BlockRef& block : blocks)
        if (!isDone(block))
            scheduleElementwise(schedule, block, target, refusals);
}

/// Rows whole pages apart compete for one place in the first cache, whoever reads several of them.
void alignRows(Schedule& schedule, const std::vector<BlockRef>& blocks, Refusals& refusals) {
    for (const BlockRef& block : blocks) {
        const tir::Store* store = schedule.hasBlock(block) ? onlyStore(schedule.get(block)) : nullptr;
        if (!store || store->buffer->scope != tir::Scope::Workspace || store->buffer->shape.size() < 2)
            continue;
        const int64_t bytes = std::max(1, store->buffer->dtype.bytes());
        const int64_t row = arith::asInt(store->buffer->shape.back()).value_or(0);
        if (row == 0 || rowsHeld(row * bytes, 1) > 1)
            continue;
        attempt(schedule, "rows apart", block, refusals, [&](Schedule& s) {
            if (s.choose(block, "align", {0, 1}, 0) == 1)
                s.storageAlign(block, 0, -2, pageBytes / bytes, lineBytes / bytes);
        });
    }
}

} // namespace

Scheduled scheduleDefault(const Schedule& start, const Target& target) {
    Scheduled made{start, {}};
    const std::optional<TransformedProducts> transformed = findTransformedProducts(start);
    inlineProducers(made.schedule, transformed, target, made.refusals);
    const auto inPhases = [&](bool chunked, const char* what) {
        return transformed && attempt(made.schedule, what, transformed->products, made.refusals, [&](Schedule& s) {
                   scheduleTransformedProducts(s, *transformed, chunked, target);
               });
    };
    if (!inPhases(true, "chunks of tiles") && !inPhases(false, "products between transforms"))
        scheduleBlocks(made.schedule, target, made.refusals);
    schedule::decomposeReductions(made.schedule, made.refusals);
    alignRows(made.schedule, start.blocks(), made.refusals);
    return made;
}

} // namespace lathe::topi
