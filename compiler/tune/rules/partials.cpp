// SPDX-License-Identifier: Apache-2.0
#include "tune/rules/partials.h"

#include "base/rounding.h"
#include "schedule/schedule_loops.h"
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

/// The innermost loops around a block, one an axis: those of one iteration, then the reduced axes, then the others, lanes last.
/// Gives them from the first reduced one on.
std::vector<LoopRef> lanesInnermost(Sketch& sketch, const BlockRef& partial) {
    schedule::Schedule& s = sketch.schedule;
    const std::vector<tir::IterVar> iters = s.get(partial).iters;
    std::vector<LoopRef> loops = s.loops(partial), single, reduced, rows;
    loops.erase(loops.begin(), loops.end() - std::ssize(iters));
    for (size_t i = 0; i < iters.size(); ++i)
        (!isSpatial(iters[i])                        ? reduced
         : arith::isConst(s.get(loops[i]).extent, 1) ? single
                                                     : rows)
            .push_back(loops[i]);
    reduced.insert(reduced.end(), rows.begin(), rows.end());
    std::vector<LoopRef> order = single;
    order.insert(order.end(), reduced.begin(), reduced.end());
    s.reorder(order);
    return reduced;
}

} // namespace

bool canHavePartials(Sketch& sketch, const BlockRef& block) {
    const tir::Block& body = sketch.schedule.get(block);
    if (!followsReduction(body))
        return false;
    const std::vector<LoopRef> loops = sketch.schedule.loops(block);
    return loops.size() == sketch.schedule.get(block).iters.size() &&
           std::ranges::any_of(sketch.schedule.get(block).iters, isSpatial) &&
           iterationsOf(sketch.schedule, loops.back()) >= 2 * tir::lanesOf(sketch.schedule.get(block), sketch.target);
}

BlockRef makePartials(Sketch& sketch, const BlockRef& block) {
    const LoopRef loop = sketch.schedule.loops(block).back();
    const int64_t lanes = tir::lanesOf(sketch.schedule.get(block), sketch.target),
                  extent = iterationsOf(sketch.schedule, loop);
    std::vector<Option> options;
    for (const int64_t partials : {lanes, 2 * lanes, 4 * lanes})
        if (extent >= 2 * partials)
            options.push_back({partials, partials == 2 * lanes ? 2.0 : 1.0});
    const Number partials = options.size() == 1 ? Number(lanes) : sketch.ask(block, "partials", options);
    return sketch.schedule.rfactor(sketch.schedule.split(loop, {-1, partials})[1], -1);
}

void vectorizePartials(Sketch& sketch, const BlockRef& partial, size_t unrolled) {
    schedule::Schedule& s = sketch.schedule;
    s.setScope(partial, 0, tir::Scope::Local);
    const std::vector<LoopRef> order = lanesInnermost(sketch, partial);
    const BlockRef init = s.decomposeReduction(partial, order.front());
    for (const BlockRef& each : {partial, init}) {
        const std::vector<LoopRef> loops = s.loops(each);
        s.vectorize(loops.back());
        for (size_t i = 0; i < unrolled; ++i)
            s.unroll(loops[loops.size() - 2 - i]);
    }
}

void vectorizeCombination(Sketch& sketch, const BlockRef& block) {
    const LoopRef lanes = sketch.schedule.loops(block).back();
    sketch.schedule.decomposeReduction(block, lanes);
    sketch.schedule.vectorize(lanes);
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
    vectorizePartials(sketch, partial, rows.size());
    vectorizeCombination(sketch, block);
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
