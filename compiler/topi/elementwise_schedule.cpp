// SPDX-License-Identifier: Apache-2.0
#include "topi/elementwise_schedule.h"

#include "arith/analysis.h"
#include "base/rounding.h"
#include "moves/limits.h"
#include "moves/vectors.h"
#include "schedule/schedule_loops.h"
#include "tir/access.h"
#include "tir/transform/parallel_regions.h"
#include "tir/transposed_tile.h"
#include "topi/parallel_task.h"

#include <algorithm>
#include <numeric>

namespace lathe::topi {

using arith::Expr;
using schedule::attempt;
using schedule::BlockRef;
using schedule::LoopRef;
using schedule::Schedule;

using Refusals = std::vector<schedule::Refusal>;

namespace {

/// The product of the loops' extents, as far as it matters: unknown ones count for much, and it does not overflow.
int64_t workOf(const Schedule& s, const std::vector<LoopRef>& loops) {
    int64_t work = 1;
    for (LoopRef loop : loops)
        work = std::min<int64_t>(int64_t{1} << 40,
                                 work * std::max<int64_t>(1, std::min(mostIterations(s, loop), moves::endlessExtent)));
    return work;
}

/// The loops that run in parallel, as one. Those that are left stay loops of their own: their indices advance by
/// constants, and what depends on one of them alone is decided outside of those within. So no more than it takes: enough
/// iterations for every chunk, or as many that what is left within one is no more work than a chunk is worth.
LoopRef parallelLoop(Schedule& s, std::vector<LoopRef> loops, int64_t elements, int64_t grain) {
    int64_t iterations = 1;
    for (size_t outer = 1; outer <= loops.size(); ++outer) {
        const LoopRef last = loops[outer - 1];
        const arith::Interval extent = arith::bounds(s.get(last).extent);
        const int64_t before = iterations;
        iterations *= std::clamp<int64_t>(extent.lower, 1, tir::parallelChunks);
        const int64_t within = workOf(s, {loops.begin() + static_cast<int64_t>(outer), loops.end()});
        if (iterations < tir::parallelChunks && within * elements > grain)
            continue;
        loops.resize(outer);
        // Of a long loop only as much as that.
        int64_t parts = ceilDiv(tir::parallelChunks, before);
        const int64_t most = std::min(extent.upper / 2, 4 * parts);
        while (parts <= most && extent.upper % parts != 0)
            ++parts;
        if (extent.isPoint() && outer > 1 && parts <= most)
            loops.back() = s.split(last, {parts, extent.upper / parts})[0];
        break;
    }
    return fused(s, loops);
}

/// How many of the innermost loops together are long enough for vectors, where the last alone is not, and what the vectors
/// have to be multiples of, so that each lane stands at a known distance from the first; 0: none.
struct ShortLoops {
    size_t count = 0;
    int64_t period = 1;
};

ShortLoops shortLoops(const Schedule& s, const tir::Block& block, const std::vector<LoopRef>& loops, int64_t lanes) {
    for (const tir::AccessPattern& read : readsOf(block))
        if (!read.affine() ||
            std::ranges::any_of(read.stride, [](const auto& each) { return !arith::asInt(each.second); }))
            return {};
    ShortLoops found;
    int64_t extent = 1;
    while (extent < lanes) {
        const auto next = found.count < loops.size() ? arith::asInt(s.get(loops[loops.size() - 1 - found.count]).extent)
                                                     : std::nullopt;
        if (!next || *next < 1)
            return {};
        found.period = extent;
        extent *= *next;
        ++found.count;
    }
    const bool fits = found.count > 1 && std::lcm(lanes, found.period) <= 4 * lanes;
    return fits ? found : ShortLoops{};
}

/// What vectors along the last axis have to be multiples of for the same where indices divide it.
int64_t dividedBy(const tir::Block& block, const tir::Store& store, int64_t most) {
    const arith::Var& last = block.iters.back().var;
    int64_t period = 1;
    arith::visit(store.value, [&](const Expr& node) {
        const bool divides = node.kind() == arith::ExprKind::FloorDiv || node.kind() == arith::ExprKind::FloorMod;
        const auto divisor = divides && node.dtype().isIndex() ? arith::asInt(node->args[1]) : std::nullopt;
        if (divisor && *divisor > 0 && *divisor <= most && arith::mentions(node->args[0], last))
            period = std::min(most + 1, std::lcm(period, *divisor));
        return true;
    });
    return period <= most ? period : 1;
}

/// Whether exponentials and what is made of them are computed, whose coefficients do not fit beside values in 16 registers:
/// vectors side by side share each load of one, and their chains of multiply-adds overlap.
bool wantsWideVectors(const tir::Store& store, const Target& target) {
    bool found = false;
    arith::visit(store.value, [&](const Expr& node) {
        const arith::Intrinsic which = node.kind() == arith::ExprKind::Call ? node->intrinsic : arith::Intrinsic::None;
        found |= which == arith::Intrinsic::Exp || which == arith::Intrinsic::Log || which == arith::Intrinsic::Tanh ||
                 which == arith::Intrinsic::Erf || which == arith::Intrinsic::Sigmoid;
        return !found;
    });
    return found && store.value.dtype().bits <= 32 && target.vectorRegisters < 32;
}

/// So many times goes a vector wider than a register into a loop, at least.
constexpr int64_t leastWide = 8;

} // namespace

void scheduleElementwise(Schedule& schedule, const BlockRef& block, const Target& target, Refusals& refusals) {
    const tir::Store* store = onlyStore(schedule.get(block));
    const std::vector<LoopRef> loops = schedule.loops(block);
    if (!store || loops.empty())
        return;
    int widest = store->buffer->dtype.bits;
    for (const tir::AccessPattern& read : readsOf(schedule.get(block)))
        widest = std::max<int>(widest, read.buffer->dtype.bits);
    const bool flat = isFlat(schedule.get(block));
    const bool transposes = gatheredAlong(schedule.get(block)).has_value();
    const int64_t lanes = std::clamp<int64_t>(target.lanes(widest), 2, transposes ? tir::mostRows : 64);
    attempt(schedule, "vectors", block, refusals, [&](Schedule& s) {
        std::vector<LoopRef> all = loops;
        if (flat && all.size() > 1 && s.choose(block, "flat", {0, 1}, 1) == 1)
            all = {s.fuse(all)};
        const std::optional<size_t> gathered = gatheredAlong(s.get(block));
        ShortLoops together = shortLoops(s, s.get(block), all, lanes);
        // Of a transpose so many operands' rows as half a vector has lanes are read by shuffles, more by its tile.
        if (gathered && 2 * together.period > lanes)
            together = {};
        if (together.count > 0) {
            const std::vector<LoopRef> last(all.end() - static_cast<int64_t>(together.count), all.end());
            all.resize(all.size() - together.count);
            all.push_back(s.fuse(last));
        }
        const LoopRef inner = all.back();
        all.pop_back();
        int64_t elements = lanes;
        const bool isShort =
            gathered && arith::asInt(s.get(inner).extent) >= tir::leastColumns && mostIterations(s, inner) < lanes;
        if (isShort || mostIterations(s, inner) >= lanes) {
            int64_t least = std::lcm(lanes, together.period);
            if (together.count == 0 && !flat && all.size() + 1 == s.get(block).iters.size())
                least = std::lcm(lanes, dividedBy(s.get(block), *store, 4 * lanes));
            if (least > std::min(4 * lanes, mostIterations(s, inner)))
                least = lanes;
            int64_t preferred = least;
            if (!gathered && wantsWideVectors(*store, target))
                while (preferred < 4 * least && mostIterations(s, inner) >= leastWide * 2 * preferred)
                    preferred *= 2;
            const schedule::Number width = isShort ? schedule::Number(mostIterations(s, inner))
                                                   : s.choose(block, "width", {least, 2 * least, 4 * least}, preferred);
            all.push_back(moves::vectorizeBy(s, inner, width));
            elements = width;
            if (gathered && all.size() == s.get(block).iters.size() && mostIterations(s, all[*gathered]) >= lanes) {
                const bool twice = lanes < tir::mostRows && mostIterations(s, all[*gathered]) >= 2 * lanes;
                const schedule::Number rows = s.choose(block, "rows", {1, lanes, 2 * lanes}, twice ? 2 * lanes : lanes);
                moves::tileTranspose(s, all, *gathered, rows);
                elements *= rows;
            }
        } else {
            all.push_back(inner);
        }
        const int64_t work = workOf(s, all) * elements;
        if (work < taskGrains.front())
            return;
        const schedule::Number grain = s.choose(block, "grain", taskGrains, tir::parallelGrain);
        if (work < grain)
            return;
        const LoopRef task = parallelLoop(s, all, elements, grain);
        s.parallel(task);
        const auto chunks = tir::chunksOf(s.get(task), grain);
        if (!chunks || chunks != tir::chunksOf(s.get(task), tir::parallelGrain))
            s.annotate(task, "grain", grain);
    });
}

void vectorizeInnermost(Schedule& schedule, const BlockRef& block, const Target& target, Refusals& refusals) {
    const int64_t lanes = target.lanesOf(types::Float32);
    const LoopRef inner = schedule.loops(block).back();
    const arith::Interval extent = arith::bounds(schedule.get(inner).extent);
    if (schedule.get(inner).kind != tir::ForKind::Serial)
        return;
    if (extent.upper >= lanes)
        attempt(schedule, "vectors", block, refusals, [&](Schedule& s) {
            moves::vectorizeBy(s, inner, s.choose(block, "width", {lanes, 2 * lanes, 4 * lanes}, lanes));
        });
    else if (extent.isPoint() && extent.upper >= moves::leastLanes)
        attempt(schedule, "vectors", block, refusals, [&](Schedule& s) { s.vectorize(inner); });
}

} // namespace lathe::topi
