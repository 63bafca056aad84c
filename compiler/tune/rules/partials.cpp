// SPDX-License-Identifier: Apache-2.0
#include "tune/rules/partials.h"

#include "arith/analysis.h"
#include "base/rounding.h"
#include "moves/partial_results.h"
#include "tir/access.h"
#include "tir/transform/parallel_regions.h"
#include "tune/rules/annotate.h"
#include "tune/rules/axes.h"
#include "tune/rules/tiles.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::tune {

using schedule::BlockRef;
using schedule::LoopRef;
using schedule::Number;

namespace {

constexpr int64_t partialRows[] = {2, 3, 4, 6, 8};
constexpr int64_t partSizes[] = {4, 8, 16, 32, 64};
constexpr int64_t leastOfPart = 64; // elements that are worth a piece of their own

} // namespace

bool canHavePartials(Sketch& sketch, const BlockRef& block) {
    return moves::partialCounts(sketch.schedule, block, sketch.target) &&
           std::ranges::any_of(sketch.schedule.get(block).iters, isSpatial);
}

BlockRef makePartials(Sketch& sketch, const BlockRef& block) {
    const std::vector<int64_t> counts = *moves::partialCounts(sketch.schedule, block, sketch.target);
    std::vector<Option> options;
    for (const int64_t partials : counts)
        options.push_back({partials, partials == 2 * counts.front() ? 2.0 : 1.0});
    return moves::makePartials(sketch.schedule, block,
                               options.size() == 1 ? Number(counts.front()) : sketch.ask(block, "partials", options));
}

void tilePartials(Sketch& sketch, const BlockRef& block) {
    schedule::Schedule& s = sketch.schedule;
    const BlockRef partial = makePartials(sketch, block);
    const std::vector<tir::IterVar> iters = s.get(block).iters;
    const int64_t lanes = tir::lanesOf(s.get(block), sketch.target);
    const int64_t vectors = ceilDiv(arith::bounds(iters.back().extent).upper, lanes);
    int64_t left = std::max<int64_t>(1, (sketch.target.vectorRegisters - 2) / 2 / vectors);
    const std::vector<LoopRef> loops = s.loops(block);
    std::vector<LoopRef> outer, rows;
    for (size_t i = 0; i + 1 < loops.size(); ++i) {
        std::vector<Option> options;
        for (const Option& option : tileOptions(iterationsOf(s, loops[i]), partialRows))
            if (option.value <= left)
                options.push_back(option);
        const Number inner = options.size() > 1 ? sketch.ask(block, fmt::format("inner{}", i), options) : Number(1);
        left /= inner;
        const std::vector<LoopRef> parts = inner > 1 ? s.split(loops[i], {-1, inner}) : std::vector<LoopRef>{loops[i]};
        outer.push_back(parts[0]);
        rows.insert(rows.end(), parts.begin() + 1, parts.end());
    }
    std::vector<LoopRef> order = outer;
    order.insert(order.end(), rows.begin(), rows.end());
    order.push_back(loops.back());
    s.reorder(order);
    s.computeAt(partial, outer.back());
    moves::vectorizePartials(s, partial, moves::Sums::OfAll, rows.size());
    moves::vectorizeCombination(s, block);
    for (const LoopRef row : rows)
        s.unroll(row);
    s.parallel(taskLoop(sketch, block, outer));
    sketch.done.insert(sketch.done.end(), {block.name, partial.name});
}

bool canHaveParts(Sketch& sketch, const BlockRef& block) {
    const tir::Block& body = sketch.schedule.get(block);
    if (!onlyStore(body) || !isReduction(body) || sketch.schedule.loops(block).size() != body.iters.size())
        return false;
    int64_t results = 1;
    const std::vector<tir::IterVar>& iters = sketch.schedule.get(block).iters;
    for (const tir::IterVar& iter : iters)
        if (isSpatial(iter))
            results = std::min<int64_t>(tir::parallelChunks,
                                        results * std::max<int64_t>(1, arith::bounds(iter.extent).upper));
    const auto first = std::ranges::find_if_not(iters, isSpatial);
    const auto extent = arith::asInt(first->extent);
    return results < tir::parallelChunks && extent && *extent >= partSizes[0] * leastOfPart;
}

BlockRef makeParts(Sketch& sketch, const BlockRef& block) {
    schedule::Schedule& s = sketch.schedule;
    const std::vector<LoopRef> loops = s.loops(block);
    const std::vector<tir::IterVar> iters = s.get(block).iters;
    const auto reduced = static_cast<size_t>(std::ranges::find_if_not(iters, isSpatial) - iters.begin());
    std::vector<Option> options;
    for (const int64_t parts : partSizes)
        if (iterationsOf(s, loops[reduced]) >= parts * leastOfPart)
            options.push_back({parts, 1});
    const Number parts = options.size() == 1 ? Number(options.front().value) : sketch.ask(block, "parts", options);
    sketch.done.push_back(block.name);
    return s.rfactor(s.split(loops[reduced], {parts, -1})[0], 0);
}

} // namespace lathe::tune
