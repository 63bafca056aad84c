// SPDX-License-Identifier: Apache-2.0
#include "moves/partial_results.h"

#include "moves/registers.h"
#include "schedule/schedule_loops.h"
#include "tir/access.h"

#include <fmt/format.h>

namespace lathe::moves {

using schedule::BlockRef;
using schedule::LoopRef;
using schedule::Number;
using schedule::Schedule;

namespace {

/// The innermost loops around a block, one an axis: first those that stay outside, then the reduced axes, then the results whose
/// sums are there at once, lanes last. Gives them from the first reduced one on.
std::vector<LoopRef> lanesInnermost(Schedule& schedule, const BlockRef& partial, Sums sums) {
    const std::vector<tir::IterVar> iters = schedule.get(partial).iters;
    std::vector<LoopRef> loops = schedule.loops(partial), single, reduced, results;
    loops.erase(loops.begin(), loops.end() - std::ssize(iters));
    LoopRef lane;
    for (size_t i = 0; i < iters.size(); ++i) {
        if (iters[i].kind != tir::IterKind::Spatial) {
            reduced.push_back(loops[i]);
            continue;
        }
        lane = loops[i];
        (arith::isConst(schedule.get(lane).extent, 1) ? single : results).push_back(lane);
    }
    if (sums == Sums::OfOne) { // all others are outside already
        single.clear();
        results = {lane};
    }
    reduced.insert(reduced.end(), results.begin(), results.end());
    std::vector<LoopRef> order = single;
    order.insert(order.end(), reduced.begin(), reduced.end());
    schedule.reorder(order);
    return reduced;
}

} // namespace

std::expected<std::vector<int64_t>, std::string> partialCounts(Schedule& schedule, const BlockRef& block,
                                                               const Target& target) {
    if (!followsReduction(schedule.get(block)))
        return std::unexpected("the operands are not contiguous along the reduction");
    const int64_t lanes = lanesOf(schedule.get(block), target);
    const std::vector<LoopRef> loops = schedule.loops(block);
    if (loops.size() != schedule.get(block).iters.size())
        return std::unexpected("the loops of the reduction were changed before");
    std::vector<int64_t> counts;
    for (const int64_t partials : {lanes, 2 * lanes, 4 * lanes})
        if (mostIterations(schedule, loops.back()) >= 2 * partials)
            counts.push_back(partials);
    if (counts.empty())
        return std::unexpected(fmt::format("the reduction is shorter than two times {}", lanes));
    return counts;
}

BlockRef makePartials(Schedule& schedule, const BlockRef& block, const Number& partials) {
    return schedule.rfactor(schedule.split(schedule.loops(block).back(), {-1, partials})[1], -1);
}

void vectorizePartials(Schedule& schedule, const BlockRef& partial, Sums sums, size_t unrolled) {
    schedule.setScope(partial, 0, tir::Scope::Local);
    const std::vector<LoopRef> order = lanesInnermost(schedule, partial, sums);
    const BlockRef init = schedule.decomposeReduction(partial, order.front());
    for (const BlockRef& each : {partial, init})
        inRegisters(schedule, each, unrolled);
}

void vectorizeCombination(Schedule& schedule, const BlockRef& block) {
    const LoopRef lanes = schedule.loops(block).back();
    schedule.decomposeReduction(block, lanes);
    schedule.vectorize(lanes);
}

} // namespace lathe::moves
