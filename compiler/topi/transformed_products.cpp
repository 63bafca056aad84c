// SPDX-License-Identifier: Apache-2.0
#include "topi/transformed_products.h"

#include "arith/analysis.h"
#include "base/rounding.h"
#include "topi/access.h"
#include "topi/register_tile.h"

namespace lathe::topi {

using arith::Expr;
using schedule::BlockRef;
using schedule::LoopRef;
using schedule::Schedule;
using schedule::ScheduleError;

namespace {

/// Of operand and sums: elements of a tile, blocks of channels, tiles, channels of a block.
constexpr size_t operandAxes = 4, tileAxis = 2;

/// Operand and sums of a chunk are written once and read once, so they may fill a part of the last cache; they may take as
/// much as the weights, too, which each chunk reads again.
constexpr int64_t chunkBytes = 4 << 20;

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
    for (const AccessPattern& read : readsOf(schedule.get(consumers.front())))
        reads += read.buffer == onlyStore(schedule.get(block))->buffer;
    return reads > 1 ? std::optional(consumers.front()) : std::nullopt;
}

int64_t known(const Expr& extent) {
    const std::optional<int64_t> value = arith::asInt(extent);
    if (!value)
        throw ScheduleError("tiles of unknown number");
    return *value;
}

int64_t extentOf(const Schedule& schedule, const BlockRef& block, size_t axis) {
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
    std::vector<LoopRef> loops = s.loops(stages.operand); // elements of a tile, blocks, tiles, channels of a block
    const size_t around = loops.size() - operandAxes;
    loops.erase(loops.begin(), loops.begin() + static_cast<int64_t>(around));
    const std::vector<LoopRef> element = s.split(loops[0], {-1, extentOf(s, stages.operandRows, 0)});
    const std::vector<LoopRef> channels = s.split(loops[3], {-1, lanes});
    s.reorder({loops[2], loops[1], channels[0], element[0], element[1], channels[1]});
    const LoopRef task = s.fuse({loops[2], loops[1], channels[0]});
    rollTile(s, stages.operand, around + 1, 1, 0);
    computeTileAt(s, stages.operandRows, task);
    const LoopRef column = rollTile(s, stages.operandRows, around + 1, 0, 1);
    if (stages.padded) {
        computeTileAt(s, *stages.padded, column);
        rollTile(s, *stages.padded, around + 2, 2, 3);
    }
    s.parallel(task);
}

int64_t bytesOf(const Schedule& schedule, const BlockRef& block) {
    int64_t bytes = onlyStore(schedule.get(block))->buffer->dtype.bytes();
    for (size_t axis = 0; axis < operandAxes; ++axis)
        bytes *= extentOf(schedule, block, axis);
    return bytes;
}

/// Rows of tiles of a chunk, of `rows` rows in all; best a divisor: the last chunk is as large as the others then.
int64_t rowsOfChunk(const Schedule& s, const TransformedProducts& stages, int64_t rows) {
    const auto channels = [&](const BlockRef& block) { return extentOf(s, block, 1) * extentOf(s, block, 3); };
    const int64_t weights = extentOf(s, stages.sums, 0) * channels(stages.operand) * channels(stages.sums) * 4;
    const int64_t bytes = (bytesOf(s, stages.operand) + bytesOf(s, stages.sums)) / rows;
    const int64_t most = std::clamp<int64_t>(std::max(chunkBytes, weights) / bytes, 1, rows);
    for (int64_t divisor = most; divisor > most / 2; --divisor)
        if (rows % divisor == 0)
            return divisor;
    return ceilDiv(rows, ceilDiv(rows, most));
}

/// The loop over chunks, and the tiles of one.
struct Chunks {
    LoopRef loop;
    int64_t tiles = 0;
};

/// Of the results, as what is written to memory walks them.
std::optional<Chunks> scheduleResults(Schedule& s, const TransformedProducts& stages, int64_t lanes, bool chunked) {
    const bool stored = s.hasBlock(stages.results) && !isOutput(s.get(stages.results));
    BlockRef last = stored ? stages.results : s.consumers(stages.resultRows).front();
    while (!s.consumers(last).empty())
        last = s.consumers(last).front();
    const std::vector<LoopRef> loops = s.loops(last); // batch, blocks, rows, columns, channels of a block
    if (loops.size() != 5)
        throw ScheduleError("the results' channels are not in blocks");
    const int64_t tile = extentOf(s, stages.resultRows, 0);
    const std::vector<LoopRef> rows = s.split(loops[2], {-1, tile}), columns = s.split(loops[3], {-1, tile}),
                               channels = s.split(loops[4], {-1, lanes});
    s.reorder({loops[0], rows[0], columns[0], loops[1], channels[0], rows[1], columns[1], channels[1]});
    const Expr wide = s.get(columns[0]).extent;
    LoopRef tiles = s.fuse({loops[0], rows[0], columns[0]});
    std::optional<Chunks> chunks;
    if (chunked) { // whole rows of tiles, so that a chunk's indices stay sums
        const int64_t count = known(s.get(tiles).extent), row = known(wide);
        const int64_t chunk = row * rowsOfChunk(s, stages, count / row);
        if (chunk >= count)
            throw ScheduleError("one chunk is all");
        const std::vector<LoopRef> parts = s.split(tiles, {-1, chunk});
        chunks = Chunks{parts[0], chunk};
        tiles = parts[1];
    }
    const LoopRef task = s.fuse({tiles, loops[1], channels[0]});
    const size_t around = chunks ? 2 : 1;
    rollTile(s, last, around, 1, 0);
    if (stored) {
        computeTileAt(s, stages.results, task);
        rollTile(s, stages.results, around, 3, 2);
    }
    computeTileAt(s, stages.resultRows, task);
    rollTile(s, stages.resultRows, around, 0, 1);
    s.parallel(task);
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
        const std::optional<Contraction> contraction = asContraction(schedule.get(block));
        if (!contraction)
            continue;
        const std::vector<BlockRef> sums = schedule.consumers(block);
        const auto resultRows = sums.size() == 1 ? ownTransform(schedule, sums.front()) : std::nullopt;
        const auto results = resultRows ? ownTransform(schedule, *resultRows) : std::nullopt;
        const auto operand = ownProducer(schedule, block, contraction->a.buffer.get());
        if (!results || !operand)
            continue;
        for (const AccessPattern& read : readsOf(schedule.get(*operand)))
            if (const auto rows = ownProducer(schedule, *operand, read.buffer.get()))
                return TransformedProducts{
                    ownProducer(schedule, *rows, readsOf(schedule.get(*rows)).front().buffer.get()),
                    *rows,
                    *operand,
                    block,
                    sums.front(),
                    *resultRows,
                    *results};
    }
    return std::nullopt;
}

void scheduleTransformedProducts(Schedule& s, const TransformedProducts& stages, bool chunked, const Target& target) {
    if (s.get(stages.operand).iters.size() != operandAxes || s.get(stages.sums).iters.size() != operandAxes)
        throw ScheduleError("the channels are not in blocks");
    const int64_t lanes = target.lanes(32);
    const std::optional<Chunks> chunks = scheduleResults(s, stages, lanes, chunked);
    tir::Block products = s.get(stages.products);
    if (chunks) {
        s.computeAt(stages.sums, chunks->loop);
        const Expr tiles = s.get(s.loops(stages.sums)[1 + tileAxis]).extent;
        if (arith::asInt(tiles) != chunks->tiles)
            throw ScheduleError("the tiles of a chunk are not told apart");
        products.iters[tileAxis].extent = tiles;
    }
    const std::optional<RegisterTile> tile = registerTile(products, target);
    if (!tile)
        throw ScheduleError("the products have no register tile");
    tileReduction(s, stages.products, *tile, target);
    if (chunks)
        s.computeAt(stages.operand, chunks->loop);
    scheduleOperand(s, stages, lanes);
}

} // namespace lathe::topi
