// SPDX-License-Identifier: Apache-2.0
#include "tune/rules/together.h"

#include "moves/partial_results.h"
#include "moves/rows_together.h"
#include "tir/access.h"
#include "tune/rules/annotate.h"
#include "tune/rules/partials.h"
#include "tune/rules/reduction_tiles.h"
#include "tune/rules/tiles.h"

namespace lathe::tune {

using schedule::BlockRef;
using schedule::LoopRef;
using schedule::Question;

namespace {

constexpr int64_t rowCounts[] = {2, 4, 6, 8};

} // namespace

bool scheduleTogether(Sketch& sketch) {
    schedule::Schedule& s = sketch.schedule;
    const std::vector<BlockRef> blocks = s.blocks();
    const BlockRef last = blocks.back();
    if (blocks.size() < 2 || !isInjective(s.get(last)))
        return false;
    for (const BlockRef& block : blocks)
        if (!onlyStore(s.get(block)) || s.loops(block).size() != s.get(block).iters.size() ||
            (block.name != last.name && isOutput(s.get(block))) || canTile(sketch, block))
            return false; // vectors along other axes than a row's: a schedule for each block
    const size_t shared = moves::sharedAxes(s, blocks);
    if (shared == 0 || sketch.ask(last, "together", {{0, 1}, {1, 4}}, Question::Kind::Rule) == 0)
        return false;
    const LoopRef all = moves::fuseOutermost(s, last, shared);
    const std::vector<Option> counts = tileOptions(iterationsOf(s, all), rowCounts);
    const schedule::Number rows = counts.size() > 1 ? sketch.ask(last, "rows", counts) : schedule::Number(1);
    const LoopRef row = rows == 1 ? all : s.split(all, {-1, rows})[0];
    std::vector<BlockRef> stages;
    std::vector<std::pair<BlockRef, BlockRef>> partials; // and what combines them
    for (const BlockRef& block : blocks) {
        if (isReduction(s.get(block)) && canHavePartials(sketch, block) &&
            sketch.ask(block, "rule",
                       {{static_cast<int64_t>(Rule::Plain), 1}, {static_cast<int64_t>(Rule::Partials), 4}},
                       Question::Kind::Rule) == static_cast<int64_t>(Rule::Partials))
            partials.emplace_back(stages.emplace_back(makePartials(sketch, block)), block);
        stages.push_back(block);
    }
    moves::computeTogether(s, stages, row);
    for (const BlockRef& stage : stages)
        if (stage.name != last.name)
            s.setScope(stage, 0, tir::Scope::Local);
    for (const auto& [partial, block] : partials) {
        moves::vectorizePartials(s, partial, moves::Sums::OfAll);
        moves::vectorizeCombination(s, block);
    }
    for (const BlockRef& block : blocks)
        vectorizeInnermost(sketch, block);
    s.parallel(row);
    return true;
}

} // namespace lathe::tune
