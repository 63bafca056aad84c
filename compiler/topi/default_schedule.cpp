// SPDX-License-Identifier: Apache-2.0
//
// Default schedules. First what is cheap or used once is inlined; then each remaining computation gets a schedule by its
// structure:
//   contraction   (matrix products, convolutions) register tile: rows of one operand, vectors along the other, the
//                 reduction inside, accumulators in registers, what follows computed on the tile
//   products between transforms (Winograd's convolution)   three phases for chunks of tiles: topi/transformed_products.h
//   rows between products (attention)   tasks take some rows through all of it: topi/rows_between_products.h
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
#include "topi/row_stages.h"
#include "topi/rows_between_products.h"
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
        computeStages(s, blocks, row, target, refusals);
        parallelTask(s, last, row);
    });
}

/// Each computation by its structure, those between two products together.
void scheduleBlocks(Schedule& schedule, const std::optional<RowsBetweenProducts>& between, const Target& target,
                    Refusals& refusals) {
    std::vector<BlockRef> blocks = schedule.blocks();
    if (scheduleRows(schedule, blocks, target, refusals))
        return;
    std::vector<std::string> done;
    if (between) {
        const std::vector<BlockRef> stages = between->stagesLeft(schedule);
        if (scheduleRows(schedule, stages, target, refusals))
            for (const BlockRef& stage : stages)
                done.push_back(stage.name);
    }
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
    const std::optional<RowsBetweenProducts> between = transformed ? std::nullopt : findRowsBetweenProducts(start);
    const auto keeps = [&](const BlockRef& block) {
        return (transformed && transformed->contains(block)) || (between && between->contains(block));
    };
    inlineProducers(made.schedule, keeps, target, made.refusals);
    const auto inPhases = [&](bool chunked, const char* what) {
        return transformed && attempt(made.schedule, what, transformed->products, made.refusals, [&](Schedule& s) {
                   scheduleTransformedProducts(s, *transformed, chunked, target);
               });
    };
    const auto inTasks = [&] {
        Refusals within;
        const bool done =
            between && attempt(made.schedule, "rows between products", between->sums, made.refusals,
                               [&](Schedule& s) { scheduleRowsBetweenProducts(s, *between, target, within); });
        if (done)
            made.refusals.insert(made.refusals.end(), within.begin(), within.end());
        return done;
    };
    if (!inPhases(true, "chunks of tiles") && !inPhases(false, "products between transforms") && !inTasks())
        scheduleBlocks(made.schedule, between, target, made.refusals);
    schedule::decomposeReductions(made.schedule, made.refusals);
    alignRows(made.schedule, start.blocks(), made.refusals);
    return made;
}

} // namespace lathe::topi
