// SPDX-License-Identifier: Apache-2.0
#include "topi/row_stages.h"

#include "arith/analysis.h"
#include "moves/partial_results.h"
#include "moves/rows_together.h"
#include "schedule/schedule_loops.h"
#include "tir/access.h"
#include "topi/elementwise_schedule.h"
#include "topi/partial_results.h"

#include <algorithm>

namespace lathe::topi {

using schedule::attempt;
using schedule::BlockRef;
using schedule::LoopRef;
using schedule::Schedule;

namespace {

/// Elements of as many rows as are computed together; what lies between their stages has to stay near.
constexpr int64_t mostTogether = 1024;

/// Of a group of rows: fewer leave gaps between the steps of a row.
constexpr int64_t leastRows = 4, mostRowsTogether = 8;

} // namespace

LoopRef rowsTogether(Schedule& s, const BlockRef& last, LoopRef row) {
    const std::vector<LoopRef> loops = s.loops(last);
    int64_t elements = 1;
    for (auto inner = std::ranges::find(loops, row.id, &LoopRef::id) + 1; inner != loops.end(); ++inner)
        elements *= std::clamp<int64_t>(mostIterations(s, *inner), 1, mostTogether);
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

void computeStages(Schedule& s, const std::vector<BlockRef>& blocks, LoopRef row, const Target& target,
                   std::vector<schedule::Refusal>& refusals) {
    const BlockRef& last = blocks.back();
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
        if (stage.name != last.name && !isOutput(s.get(stage)))
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
}

} // namespace lathe::topi
