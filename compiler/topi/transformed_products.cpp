// SPDX-License-Identifier: Apache-2.0
#include "topi/transformed_products.h"

#include "arith/analysis.h"
#include "base/rounding.h"
#include "tir/access.h"
#include "topi/parallel_task.h"
#include "topi/tile_reduction.h"

#include <set>

namespace lathe::topi {

using arith::Expr;
using schedule::BlockRef;
using schedule::LoopRef;
using schedule::Schedule;
using schedule::ScheduleError;

namespace {

/// The axes of operand, products and sums, with channels in blocks.
struct TileAxis {
    static constexpr size_t element = 0, block = 1, tile = 2, channel = 3, count = 4;
};

/// Those of operand rows and result rows, where an element of a tile has two: along `first` a tile is transformed here, along
/// `second` by the other stage.
struct RowAxis {
    static constexpr size_t first = 0, second = 1;
};

/// Those of padded operand and results, with channels in blocks.
struct ImageAxis {
    static constexpr size_t batch = 0, block = 1, row = 2, column = 3, channel = 4, count = 5;
};

/// Operand and sums of a chunk are written once and read once, so they may fill a part of the last cache, up to this; they may
/// take as much as the weights, too, which each chunk reads again.
constexpr int64_t mostChunkBytes = 2 << 20;

/// The block that computes what `block` reads, if it is one alone and read by no other.
std::optional<BlockRef> ownProducer(const Schedule& schedule, const BlockRef& block, const tir::Buffer* buffer) {
    for (const BlockRef& other : schedule.blocks()) {
        const tir::Store* store = onlyStore(schedule.get(other));
        if (store && store->buffer.get() == buffer && isInjective(schedule.get(other)) &&
            !isOutput(schedule.get(other)) && schedule.consumers(other).size() == 1 &&
            schedule.consumers(other).front().name == block.name)
            return other;
    }
    return std::nullopt;
}

/// What transforms the block's result: its one consumer, if that reads several elements of it for one of its own.
std::optional<BlockRef> ownTransform(const Schedule& schedule, const BlockRef& block) {
    const std::vector<BlockRef> consumers = schedule.consumers(block);
    if (isOutput(schedule.get(block)) || consumers.size() != 1 || !isInjective(schedule.get(consumers.front())))
        return std::nullopt;
    size_t reads = 0;
    for (const tir::AccessPattern& read : readsOf(schedule.get(consumers.front())))
        reads += read.buffer == onlyStore(schedule.get(block))->buffer;
    return reads > 1 ? std::optional(consumers.front()) : std::nullopt;
}

int64_t known(const Expr& extent) {
    const std::optional<int64_t> value = arith::asInt(extent);
    if (!value)
        throw ScheduleError("tiles of unknown number");
    return *value;
}

int64_t knownExtent(const Schedule& schedule, const BlockRef& block, size_t axis) {
    return known(schedule.get(block).iters.at(axis).extent);
}

/// The loops of a stage within `around` others: channels as vectors, the axis across which it transforms unrolled, the other one
/// a loop around that, which keeps the code short. Gives that loop.
LoopRef rollTile(Schedule& s, const BlockRef& block, size_t around, size_t across, size_t other) {
    std::vector<LoopRef> loops = s.loops(block);
    loops.erase(loops.begin(), loops.begin() + static_cast<int64_t>(around));
    std::vector<LoopRef> order = {loops[other], loops[across]};
    for (size_t i = 0; i < loops.size(); ++i)
        if (i != across && i != other)
            order.push_back(loops[i]);
    s.reorder(order);
    s.unroll(loops[across]);
    s.vectorize(loops.back());
    return loops[other];
}

/// What a task needs of a stage.
void computeTileAt(Schedule& s, const BlockRef& block, const LoopRef& task) {
    s.computeAt(block, task);
    s.setScope(block, 0, tir::Scope::Local);
}

/// Of the operand: tiles, then vectors of channels, then rows and columns of a tile.
void scheduleOperand(Schedule& s, const TransformedProducts& stages, int64_t lanes) {
    std::vector<LoopRef> loops = s.loops(stages.operand);
    const size_t around = loops.size() - TileAxis::count;
    loops.erase(loops.begin(), loops.begin() + static_cast<int64_t>(around));
    const LoopRef tiles = loops[TileAxis::tile], blocks = loops[TileAxis::block];
    const std::vector<LoopRef> element =
        s.split(loops[TileAxis::element], {-1, knownExtent(s, stages.operandRows, RowAxis::first)});
    const std::vector<LoopRef> channels = s.split(loops[TileAxis::channel], {-1, lanes});
    s.reorder({tiles, blocks, channels[0], element[0], element[1], channels[1]});
    const LoopRef task = s.fuse({tiles, blocks, channels[0]});
    rollTile(s, stages.operand, around + 1, 1, 0);
    computeTileAt(s, stages.operandRows, task);
    const LoopRef column = rollTile(s, stages.operandRows, around + 1, RowAxis::first, RowAxis::second);
    if (stages.padded) {
        computeTileAt(s, *stages.padded, column);
        rollTile(s, *stages.padded, around + 2, ImageAxis::row, ImageAxis::column);
    }
    parallelTask(s, stages.operand, task);
}

/// Rows of `wide` tiles that a chunk may have.
int64_t chunkRows(const Schedule& s, const TransformedProducts& stages, int64_t wide, const Target& target) {
    const auto channels = [&](const BlockRef& block) {
        return knownExtent(s, block, TileAxis::block) * knownExtent(s, block, TileAxis::channel);
    };
    const int64_t operand = channels(stages.operand), sums = channels(stages.sums),
                  element = knownExtent(s, stages.sums, TileAxis::element) *
                            onlyStore(s.get(stages.sums))->buffer->dtype.bytes();
    const int64_t bytes = std::max(std::min(mostChunkBytes, target.l3Bytes / 2), element * operand * sums);
    return bytes / (element * (operand + sums) * std::max<int64_t>(wide, 1));
}

/// Of `count` in all, at most `most` at a time; best a divisor: the last part is as large as the others then.
int64_t partOf(int64_t count, int64_t most) {
    if (most >= count)
        return count;
    for (int64_t divisor = most; divisor > most / 2; --divisor)
        if (count % divisor == 0)
            return divisor;
    return most <= 1 ? 1 : ceilDiv(count, ceilDiv(count, most));
}

/// The loop over chunks, and the tiles of one.
struct Chunks {
    LoopRef loop;
    int64_t tiles = 0;
};

/// What is computed of the result rows, producers first; the last one is what the function gives.
std::vector<BlockRef> blocksAfter(const Schedule& s, const BlockRef& resultRows) {
    std::set<std::string> reached = {resultRows.name};
    std::vector<BlockRef> after;
    for (const BlockRef& block : s.blocks()) {
        if (!reached.contains(block.name))
            continue;
        for (const BlockRef& consumer : s.consumers(block))
            reached.insert(consumer.name);
        if (block.name != resultRows.name)
            after.push_back(block);
    }
    if (after.empty() || !isOutput(s.get(after.back())))
        throw ScheduleError("the result is not the last that is computed");
    for (const BlockRef& block : after)
        if (s.get(block).iters.size() != ImageAxis::count ||
            (isOutput(s.get(block)) && block.name != after.back().name))
            throw ScheduleError("what follows the products is not of one shape, or is several results");
    return after;
}

/// Of the results, as what is written to memory walks them.
std::optional<Chunks> scheduleResults(Schedule& s, const TransformedProducts& stages, bool chunked,
                                      const Target& target) {
    const std::vector<BlockRef> after = blocksAfter(s, stages.resultRows);
    const std::vector<LoopRef> loops = s.loops(after.back());
    const LoopRef batch = loops[ImageAxis::batch], blocks = loops[ImageAxis::block];
    const int64_t tile = knownExtent(s, stages.resultRows, RowAxis::first);
    const std::vector<LoopRef> rows = s.split(loops[ImageAxis::row], {-1, tile}),
                               columns = s.split(loops[ImageAxis::column], {-1, tile}),
                               channels = s.split(loops[ImageAxis::channel], {-1, target.lanesOf(types::Float32)});
    s.reorder({batch, rows[0], columns[0], blocks, channels[0], rows[1], columns[1], channels[1]});
    size_t around = 1;
    LoopRef tiles;
    std::optional<Chunks> chunks;
    if (chunked) { // several images, or rows of tiles of one: so a chunk's indices stay sums
        const std::optional<int64_t> images = arith::asInt(s.get(batch).extent);
        const int64_t high = known(s.get(rows[0]).extent), wide = known(s.get(columns[0]).extent);
        const int64_t most = chunkRows(s, stages, wide, target);
        if (images && most >= *images * high)
            throw ScheduleError("one chunk is all");
        const bool whole = images && most >= high;
        tiles = s.fuse(whole ? std::vector{batch, rows[0], columns[0]} : std::vector{rows[0], columns[0]});
        const int64_t chunk = wide * (whole ? high * partOf(*images, most / high) : partOf(high, most));
        const std::vector<LoopRef> parts = s.split(tiles, {-1, chunk});
        chunks = Chunks{parts[0], chunk};
        tiles = parts[1];
        around += whole ? 1 : 2;
    } else {
        tiles = s.fuse({batch, rows[0], columns[0]});
    }
    const LoopRef task = s.fuse({tiles, blocks, channels[0]});
    rollTile(s, after.back(), around, 1, 0);
    for (size_t i = after.size() - 1; i-- > 0;) {
        computeTileAt(s, after[i], task);
        rollTile(s, after[i], around, ImageAxis::column, ImageAxis::row);
    }
    computeTileAt(s, stages.resultRows, task);
    rollTile(s, stages.resultRows, around, RowAxis::first, RowAxis::second);
    parallelTask(s, after.back(), task);
    return chunks;
}

} // namespace

bool TransformedProducts::contains(const BlockRef& block) const {
    for (const BlockRef& stage : {operandRows, operand, products, sums, resultRows})
        if (stage.name == block.name)
            return true;
    return padded && padded->name == block.name;
}

std::optional<TransformedProducts> findTransformedProducts(const Schedule& schedule) {
    for (const BlockRef& block : schedule.blocks()) {
        const std::optional<tir::Contraction> contraction = asContraction(schedule.get(block));
        if (!contraction)
            continue;
        const std::vector<BlockRef> sums = schedule.consumers(block);
        const auto resultRows = sums.size() == 1 ? ownTransform(schedule, sums.front()) : std::nullopt;
        const auto results = resultRows ? ownTransform(schedule, *resultRows) : std::nullopt;
        const auto operand = ownProducer(schedule, block, contraction->a.buffer.get());
        if (!results || !operand)
            continue;
        for (const tir::AccessPattern& read : readsOf(schedule.get(*operand)))
            if (const auto rows = ownProducer(schedule, *operand, read.buffer.get())) {
                const std::vector<tir::AccessPattern> before = readsOf(schedule.get(*rows));
                const auto padded =
                    before.empty() ? std::nullopt : ownProducer(schedule, *rows, before.front().buffer.get());
                return TransformedProducts{padded, *rows, *operand, block, sums.front(), *resultRows};
            }
    }
    return std::nullopt;
}

void scheduleTransformedProducts(Schedule& s, const TransformedProducts& stages, bool chunked, const Target& target) {
    if (s.get(stages.operand).iters.size() != TileAxis::count || s.get(stages.sums).iters.size() != TileAxis::count)
        throw ScheduleError("the channels are not in blocks");
    const std::optional<Chunks> chunks = scheduleResults(s, stages, chunked, target);
    tir::Block products = s.get(stages.products);
    if (chunks) {
        s.computeAt(stages.sums, chunks->loop);
        const std::vector<LoopRef> loops = s.loops(stages.sums);
        const Expr tiles = s.get(loops[loops.size() - TileAxis::count + TileAxis::tile]).extent;
        if (arith::asInt(tiles) != chunks->tiles)
            throw ScheduleError("the tiles of a chunk are not told apart");
        products.iters[TileAxis::tile].extent = tiles;
    }
    const std::optional<RegisterTile> tile = registerTile(products, target);
    if (!tile)
        throw ScheduleError("the products have no register tile");
    tileReduction(s, stages.products, *tile, target);
    if (chunks)
        s.computeAt(stages.operand, chunks->loop);
    scheduleOperand(s, stages, target.lanesOf(types::Float32));
}

} // namespace lathe::topi
