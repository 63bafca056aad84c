// SPDX-License-Identifier: Apache-2.0
//
// Default schedules. First what is cheap or used once is inlined; then each remaining computation gets a schedule by its
// structure:
//   contraction   (matrix products, convolutions) register tile: rows of one operand, vectors along the other, the
//                 reduction inside, accumulators in registers, what follows computed on the tile
//   rows          (softmax, normalisations) all stages of one row together, rows parallel
//   window        (pooling, depthwise convolutions, sums over outer axes) register tile: neighbouring windows, vectors along
//                 the axis in which the result is contiguous; what pads the operand is computed for bands of windows
//   reduction     partial results along the reduced axis
//   elementwise   vectors along the innermost axis, tiles of them where they gather; outer loops parallel
// Each attempt works on a copy of the schedule: one that turns out illegal leaves a Refusal and nothing else.
#include "topi/default_schedule.h"

#include "arith/analysis.h"
#include "base/rounding.h"
#include "tir/transform/parallel_regions.h"
#include "topi/access.h"
#include "topi/partial_results.h"
#include "topi/register_tile.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <numeric>
#include <unordered_map>

namespace lathe::topi {
namespace {

using arith::Expr;
using schedule::BlockRef;
using schedule::LoopRef;
using schedule::Schedule;

using Refusals = std::vector<schedule::Refusal>;

/// attempt() on one block, which the refusal names by its ordinal.
bool attempt(Schedule& schedule, const std::string& what, const BlockRef& block, Refusals& refusals,
             const std::function<void(Schedule&)>& fn) {
    return schedule::attempt(schedule, fmt::format("{} of b{}", what, schedule.numberOf(block)), refusals, fn);
}

/// Answers to bN.place.
constexpr int64_t stored = 0, inlined = 1;

/// What an expression may grow to by inlining: values that are used twice double it at each step.
constexpr int64_t inlinedNodes = 1024;

/// Nodes of an expression written out as a tree, so that what is shared counts each time, up to inlinedNodes. A load of
/// `buffer` counts as `loaded`.
int64_t treeSize(const Expr& expr, const tir::Buffer* buffer = nullptr, int64_t loaded = 1) {
    std::unordered_map<const arith::ExprNode*, int64_t> sizes;
    arith::rewrite(expr, [&](const Expr& node) { // for its order alone: operands first
        int64_t size = node.kind() == arith::ExprKind::Load && node->storage.get() == buffer ? loaded : 1;
        for (const Expr& arg : node->args)
            size = std::min(inlinedNodes, size + sizes.at(arg.get()));
        sizes[node.get()] = size;
        return node;
    });
    return sizes.at(expr.get());
}

/// Producers into consumers where that repeats no real work.
void inlineProducers(Schedule& schedule, const Target& target, Refusals& refusals) {
    for (const BlockRef& block : schedule.blocks()) {
        if (!schedule.hasBlock(block) || isOutput(schedule.get(block)) || !isInjective(schedule.get(block)))
            continue;
        std::vector<BlockRef> consumers = schedule.consumers(block);
        bool cheap = isCheap(schedule.get(block));
        bool repeated = consumers.size() > 1;
        // What a reduction reads must stay linear in its axes, or there are no vectors.
        bool linear = true;
        for (const AccessPattern& read : readsOf(schedule.get(block)))
            linear &= read.affine();
        bool contracted = false, large = false, chooses = false;
        const tir::Store& made = *onlyStore(schedule.get(block));
        const int64_t madeSize = treeSize(made.value);
        arith::visit(made.value, [&](const Expr& node) {
            chooses |= node.kind() == arith::ExprKind::Select;
            return !chooses;
        });
        for (const BlockRef& consumer : consumers) {
            const tir::Block& body = schedule.get(consumer);
            const tir::Store* read = onlyStore(body);
            large |= read && treeSize(read->value, made.buffer.get(), madeSize) >= inlinedNodes;
            if (!isReduction(body))
                continue;
            contracted |= !linear || asContraction(body).has_value();
            // Windows that overlap would test and choose each element of a padded operand several times.
            const std::optional<RegisterTile> tile = chooses ? registerTile(body, target) : std::nullopt;
            contracted |= tile && tile->band > 0;
            // An element that a reduction reads for several results is computed that many times.
            for (const AccessPattern& read : readsOf(body))
                if (read.buffer == made.buffer)
                    for (const tir::IterVar& iter : body.iters)
                        repeated |= iter.kind == tir::IterKind::Spatial && !read.uses(iter.var) &&
                                    !arith::isConst(iter.extent, 1);
        }
        const int64_t preferred = contracted || large || (repeated && !cheap) ? stored : inlined;
        attempt(schedule, "inlining", block, refusals, [&](Schedule& s) {
            if (s.choose(block, "place", {stored, inlined}, preferred, schedule::Question::Kind::Place) == inlined)
                s.computeInline(block);
        });
    }
}

/// Element operations below which a parallel loop would be one chunk: no need to fuse loops for it.
const std::vector<int64_t> grains = {4096, 16384, 65536, 262144};

/// The loops as one.
LoopRef fused(Schedule& s, const std::vector<LoopRef>& loops) {
    return loops.size() == 1 ? loops.front() : s.fuse(loops);
}

/// Whether all reads go along with the store or stay where they are: then one loop can stand for all.
bool isFlat(const tir::Block& block, const tir::Store& store) {
    const AccessPattern output = accessPatternOf(store.buffer, store.indices, block);
    bool flat = true;
    for (const AccessPattern& read : readsOf(block)) {
        flat &= read.affine() && output.affine();
        for (const tir::IterVar& iter : block.iters)
            flat = flat && read.uses(iter.var) == output.uses(iter.var) &&
                   (!read.uses(iter.var) ||
                    arith::provablyEqual(read.stride.at(iter.var.get()), output.stride.at(iter.var.get())));
    }
    return flat;
}

/// The product of the loops' extents, as far as it matters: unknown ones count for much, and it does not overflow.
int64_t workOf(const Schedule& s, const std::vector<LoopRef>& loops) {
    int64_t work = 1;
    for (LoopRef loop : loops)
        work = std::min<int64_t>(int64_t{1} << 40,
                                 work * std::max<int64_t>(1, std::min<int64_t>(extentOf(s, loop), 1 << 20)));
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

/// The axis along which a read is contiguous that vectors along the innermost axis have to gather: a transpose.
std::optional<size_t> gatheredAlong(const tir::Block& block) {
    for (const AccessPattern& read : readsOf(block)) {
        if (!read.affine() || !read.uses(block.iters.back().var) || read.constantStride(block.iters.back().var) == 1)
            continue;
        for (size_t i = 0; i + 1 < block.iters.size(); ++i)
            if (read.constantStride(block.iters[i].var) == 1)
                return i;
    }
    return std::nullopt;
}

/// How many of the innermost loops together are long enough for vectors, where the last alone is not, and what the vectors
/// have to be multiples of, so that each lane stands at a known distance from the first; 0: none.
struct ShortLoops {
    size_t count = 0;
    int64_t period = 1;
};

ShortLoops shortLoops(const Schedule& s, const tir::Block& block, const std::vector<LoopRef>& loops, int64_t lanes) {
    for (const AccessPattern& read : readsOf(block))
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

/// A tile of a transpose of more rows would not stay in registers, and fewer columns are no gain.
constexpr int64_t mostRows = 16, leastColumns = 3;

void scheduleElementwise(Schedule& schedule, const BlockRef& block, const Target& target, Refusals& refusals) {
    const tir::Store* store = onlyStore(schedule.get(block));
    const std::vector<LoopRef> loops = schedule.loops(block);
    if (!store || loops.empty())
        return;
    int widest = store->buffer->dtype.bits;
    for (const AccessPattern& read : readsOf(schedule.get(block)))
        widest = std::max<int>(widest, read.buffer->dtype.bits);
    const bool flat = isFlat(schedule.get(block), *store);
    const bool transposes = gatheredAlong(schedule.get(block)).has_value();
    const int64_t lanes = std::clamp<int64_t>(target.lanes(widest), 2, transposes ? mostRows : 64);
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
        LoopRef inner = all.back();
        all.pop_back();
        int64_t elements = lanes;
        const bool isShort =
            gathered && arith::asInt(s.get(inner).extent) >= leastColumns && extentOf(s, inner) < lanes;
        if (isShort || extentOf(s, inner) >= lanes) {
            const int64_t least = std::lcm(lanes, together.period);
            const schedule::Number width = isShort ? schedule::Number(extentOf(s, inner))
                                                   : s.choose(block, "width", {least, 2 * least, 4 * least}, least);
            std::vector<LoopRef> parts = s.split(inner, {-1, width});
            s.vectorize(parts[1]);
            inner = parts[0];
            elements = width;
            // Rows of a tile next to each other: what one vector gathers from lies in the lines that the next ones need, and
            // code generation loads them as vectors where they are statements in sequence.
            if (gathered && all.size() + 1 == s.get(block).iters.size() && extentOf(s, all[*gathered]) >= lanes) {
                const bool twice = lanes < mostRows && extentOf(s, all[*gathered]) >= 2 * lanes;
                const schedule::Number rows = s.choose(block, "rows", {1, lanes, 2 * lanes}, twice ? 2 * lanes : lanes);
                std::vector<LoopRef> tile = s.split(all[*gathered], {-1, rows});
                if (rows <= mostRows)
                    s.unroll(tile[1]);
                all[*gathered] = tile[0];
                std::vector<LoopRef> order(all.begin() + static_cast<int64_t>(*gathered) + 1, all.end());
                order.insert(order.end(), {inner, tile[1]});
                s.reorder(order);
                elements *= rows;
            }
        }
        all.push_back(inner);
        const schedule::Number grain = s.choose(block, "grain", grains, tir::parallelGrain);
        if (workOf(s, all) * elements < grain)
            return;
        s.parallel(parallelLoop(s, all, elements, grain));
    });
}

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
            std::vector<LoopRef> own = s.loops(block);
            own.resize(spatial);
            LoopRef row = fused(s, own);
            s.computeAt(partial, row);
            vectorizePartial(s, partial);
            attempt(s, "combination of lanes", block, refusals, [&](Schedule& t) { vectorizeCombination(t, block); });
            s.parallel(row);
        }))
        return;
    if (!outer.empty())
        attempt(schedule, "parallel loops", block, refusals, [&](Schedule& s) { s.parallel(fused(s, outer)); });
}

/// Vectors along the innermost loop, if it is long enough for one.
void vectorizeInnermost(Schedule& schedule, const BlockRef& block, const Target& target, Refusals& refusals) {
    const int64_t lanes = target.lanes(32);
    const LoopRef inner = schedule.loops(block).back();
    if (schedule.get(inner).kind == tir::ForKind::Serial && extentOf(schedule, inner) >= lanes)
        attempt(schedule, "vectors", block, refusals, [&](Schedule& s) {
            s.vectorize(s.split(inner, {-1, s.choose(block, "width", {lanes, 2 * lanes, 4 * lanes}, lanes)})[1]);
        });
}

/// Stages that share leading axes (softmax, normalisations): all of them for one row, rows in parallel.
bool scheduleRows(Schedule& schedule, const std::vector<BlockRef>& blocks, const Target& target, Refusals& refusals) {
    if (blocks.size() < 2)
        return false;
    const BlockRef& last = blocks.back();
    if (!isInjective(schedule.get(last)))
        return false;
    // Leading axes common to all stages: as many as the stage with the fewest spatial axes of more than one element has.
    size_t shared = schedule.get(last).iters.size();
    for (const BlockRef& block : blocks) {
        const tir::Block& body = schedule.get(block);
        // Vectors along other axes than a row's: a schedule for each block.
        if (asContraction(body) || registerTile(body, target))
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
    return attempt(schedule, "rows", last, refusals, [&](Schedule& s) {
        std::vector<LoopRef> loops = s.loops(last);
        LoopRef row = fused(s, {loops.begin(), loops.begin() + static_cast<int64_t>(shared)});
        std::vector<BlockRef> stages;
        std::vector<std::pair<BlockRef, BlockRef>> partials; // and what combines them
        for (const BlockRef& block : blocks) {
            if (isReduction(s.get(block)))
                attempt(s, "partial results", block, refusals, [&](Schedule& t) {
                    partials.emplace_back(stages.emplace_back(partialResults(t, block, target)), block);
                });
            stages.push_back(block);
        }
        for (size_t i = stages.size() - 1; i-- > 0;)
            s.computeAt(stages[i], row);
        // What one row needs lies near, and whoever reads it knows that nothing else writes it.
        for (const BlockRef& stage : stages)
            if (!isOutput(s.get(stage)))
                attempt(s, "memory of a row", stage, refusals,
                        [&](Schedule& t) { t.setScope(stage, 0, tir::Scope::Local); });
        for (const auto& [partial, block] : partials) {
            attempt(s, "vectors", partial, refusals, [&](Schedule& t) { vectorizePartial(t, partial); });
            attempt(s, "combination of lanes", block, refusals, [&](Schedule& t) { vectorizeCombination(t, block); });
        }
        vectorizeInnermost(s, last, target, refusals);
        for (const BlockRef& block : blocks)
            if (block.name != last.name && isInjective(s.get(block)))
                vectorizeInnermost(s, block, target, refusals);
        s.parallel(row);
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
        const std::optional<RegisterTile> tile = registerTile(schedule.get(block), target);
        if (tile && attempt(schedule, "register tile", block, refusals,
                            [&](Schedule& s) { made = tileReduction(s, block, *tile); })) {
            done.insert(done.end(), made.blocks.begin(), made.blocks.end());
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

/// An initialisation of its own needs no test in each step, and runs if there is no step at all.
void decomposeReductions(Schedule& schedule, Refusals& refusals) {
    for (const BlockRef& block : schedule.blocks()) {
        const tir::Block body = schedule.get(block);
        if (!body.init)
            continue;
        auto reduces = [&](LoopRef loop) {
            return std::any_of(body.iters.begin(), body.iters.end(), [&](const tir::IterVar& iter) {
                return iter.kind == tir::IterKind::Reduce && arith::mentions(iter.binding, schedule.get(loop).var);
            });
        };
        std::vector<LoopRef> loops = schedule.loops(block);
        if (auto first = std::find_if(loops.begin(), loops.end(), reduces); first != loops.end())
            attempt(schedule, "initialisation", block, refusals,
                    [&](Schedule& s) { s.decomposeReduction(block, *first); });
    }
}

} // namespace

Scheduled scheduleDefault(const Schedule& start, const Target& target) {
    Scheduled made{start, {}};
    inlineProducers(made.schedule, target, made.refusals);
    scheduleBlocks(made.schedule, target, made.refusals);
    decomposeReductions(made.schedule, made.refusals);
    return made;
}

} // namespace lathe::topi
