// SPDX-License-Identifier: Apache-2.0
#include "topi/rows_between_products.h"

#include "arith/analysis.h"
#include "moves/limits.h"
#include "moves/rows_together.h"
#include "schedule/schedule_loops.h"
#include "tir/access.h"
#include "tir/transform/flatten_buffers.h"
#include "topi/elementwise_schedule.h"
#include "topi/parallel_task.h"
#include "topi/row_stages.h"
#include "topi/tile_reduction.h"

#include <algorithm>

namespace lathe::topi {

using arith::Expr;
using schedule::BlockRef;
using schedule::LoopRef;
using schedule::Refusal;
using schedule::Schedule;
using schedule::ScheduleError;

namespace {

/// Rows of a task at least: fewer hide no multiply-adds.
constexpr int64_t leastOfTask = 8;

/// So many tasks are some for each of many threads.
constexpr int64_t manyTasks = 16;

const std::vector<int64_t> taskRows = {4, 8, 12, 16, 24, 32, 48, 64, 96, 128};

/// Whether the block reads the buffer at its own leading axes, one a dim.
bool readsAlong(const tir::Block& body, const tir::Buffer* buffer, size_t count) {
    for (size_t i = 0; i < count; ++i)
        if (!arith::isConst(body.iters[i].extent, 1) &&
            dimAlong(body, buffer, body.iters[i].var) != static_cast<int>(i))
            return false;
    return true;
}

/// Whether the blocks have these leading axes, read what others of them make along these, and make it for each other alone.
/// `blocks`: in program order, the sums last.
bool sharesRows(const Schedule& schedule, const std::vector<BlockRef>& blocks, size_t axes) {
    if (axes == 0 || moves::sharedAxes(schedule, blocks) != axes)
        return false;
    const auto isInside = [&](const BlockRef& block) {
        return std::ranges::find(blocks, block.name, &BlockRef::name) != blocks.end();
    };
    return std::ranges::all_of(blocks.begin(), blocks.end() - 1, [&](const BlockRef& block) {
        const tir::Block& body = schedule.get(block);
        const tir::Store* made = onlyStore(body);
        return made && !isOutput(body) && std::ranges::all_of(schedule.consumers(block), [&](const BlockRef& consumer) {
                   return isInside(consumer) && readsAlong(schedule.get(consumer), made->buffer.get(), axes);
               });
    });
}

/// What stands behind the sums: their own copy, computed by a task, and what writes the result.
struct Results {
    BlockRef copy, written;
};

Results resultsOf(Schedule& s, const BlockRef& sums) {
    const std::vector<BlockRef> consumers = s.consumers(sums);
    const bool follows = consumers.size() == 1 && isInjective(s.get(consumers.front())) &&
                         isOutput(s.get(consumers.front())) && followsResults(s.get(consumers.front()), s.get(sums));
    if (!follows && !isOutput(s.get(sums)))
        throw ScheduleError("what follows the sums is not element by element");
    const BlockRef copy = s.cacheWrite(sums, 0, tir::Scope::Local);
    return {copy, follows ? consumers.front() : s.cacheWrite(copy, 0, tir::Scope::Local)};
}

struct TaskTile {
    RegisterTile tile;
    TileTask task;
};

/// The product's tile within a task of `rows` rows. Throws ScheduleError if it has none.
TaskTile tileIn(const tir::Block& whole, size_t row, int64_t rows, const Target& target) {
    tir::Block body = whole;
    for (size_t i = 0; i < row; ++i)
        body.iters[i].extent = Expr(1);
    // What pays for all rows alone is that columns are repacked: for those the task is asked second.
    std::optional<RegisterTile> tile = registerTile(body, target);
    body.iters[row].extent = arith::min(whole.iters[row].extent, Expr(rows));
    if (const std::optional<RegisterTile> own = registerTile(body, target))
        tile = own;
    if (!tile || tile->rowAxis != static_cast<int>(row))
        throw ScheduleError("a product has no register tile of the task's rows");
    tile->rows = std::min(tile->rows, rows);
    TaskTile made{*tile, {}};
    for (size_t i = 0; i < body.iters.size(); ++i) {
        made.task.extents.push_back(body.iters[i].extent);
        const bool several = !arith::provablyEqual(whole.iters[i].extent, body.iters[i].extent);
        const bool reads = std::ranges::any_of(readsOf(whole), [&](const tir::AccessPattern& read) {
            return read.buffer == tile->columns && read.uses(whole.iters[i].var);
        });
        made.task.sharesColumns |= several && !reads;
    }
    return made;
}

/// Rows of a task. All of a group where their scores stay on the stack; else whole register tiles of as many as the first cache
/// holds, or what rows stay on the stack; and no more than leave many tasks.
schedule::Number rowsOf(Schedule& s, const RowsBetweenProducts& found, const Target& target) {
    const tir::Block &scores = s.get(found.scores), &sums = s.get(found.sums);
    const auto known = [](const Expr& extent) { return std::min(arith::bounds(extent).upper, moves::endlessExtent); };
    const int64_t keys = known(scores.iters[found.shared].extent), columns = known(sums.iters[found.shared].extent),
                  rows = known(scores.iters[found.shared - 1].extent);
    int64_t groups = 1;
    for (size_t i = 0; i + 1 < found.shared; ++i)
        groups = std::min(moves::endlessExtent,
                          groups * std::max<int64_t>(1, arith::asInt(scores.iters[i].extent).value_or(1)));
    const int64_t bytes = onlyStore(scores)->buffer->dtype.bytes();
    const int64_t near = tir::localBytes / std::max<int64_t>(1, std::max(keys, columns) * bytes);
    tileIn(scores, found.shared - 1, rows, target); // before anything is asked
    int64_t preferred = rows;
    if (const int64_t each = tileIn(sums, found.shared - 1, rows, target).tile.rows;
        rows > near || groups < manyTasks) {
        preferred =
            each <= near ? each * std::max<int64_t>(1, target.l1Bytes / (each * (keys + columns) * bytes)) : near;
        preferred = std::max(leastOfTask, std::min(preferred, rows * groups / manyTasks));
    }
    std::vector<int64_t> fitting = taskRows;
    std::erase_if(fitting, [&](int64_t count) { return count >= rows; });
    if (rows < moves::endlessExtent)
        fitting.push_back(rows);
    return s.choose(found.sums, "taskRows", fitting, std::min(preferred, rows));
}

/// The product in register tiles, for the rows of one task.
void tileProduct(Schedule& s, const BlockRef& block, size_t row, int64_t rows, const Target& target,
                 std::vector<Refusal>& refusals) {
    const auto [tile, task] = tileIn(s.get(block), row, rows, target);
    const TiledReduction made = tileReduction(s, block, tile, target, task);
    refusals.insert(refusals.end(), made.refusals.begin(), made.refusals.end());
}

} // namespace

bool RowsBetweenProducts::contains(const BlockRef& block) const {
    return block.name == scores.name || (adjusted && block.name == adjusted->name) ||
           block.name == stages.back().name || block.name == sums.name;
}

std::vector<BlockRef> RowsBetweenProducts::stagesLeft(const Schedule& schedule) const {
    std::vector<BlockRef> left = stages;
    std::erase_if(left, [&](const BlockRef& stage) { return !schedule.hasBlock(stage); });
    return left;
}

std::optional<RowsBetweenProducts> findRowsBetweenProducts(const Schedule& schedule) {
    RowsBetweenProducts found;
    std::vector<BlockRef> products, all;
    for (const BlockRef& block : schedule.blocks()) {
        const tir::Block& body = schedule.get(block);
        if (products.size() == 2 || (isInjective(body) && readsOf(body).empty()))
            continue; // constants become part of their readers
        all.push_back(block);
        (asContraction(body) ? products : found.stages).push_back(block);
    }
    if (products.size() != 2 || found.stages.empty())
        return std::nullopt;
    found.scores = products[0];
    found.sums = products[1];
    const BlockRef& rows = found.stages.back();
    const tir::Block& body = schedule.get(rows);
    if (!isInjective(body) || body.iters.empty() || schedule.consumers(rows).size() != 1 ||
        asContraction(schedule.get(found.sums))->a.buffer != onlyStore(body)->buffer)
        return std::nullopt;
    found.shared = body.iters.size() - 1;
    if (!sharesRows(schedule, all, found.shared))
        return std::nullopt;
    // Element by element, before anything reads a row.
    BlockRef last = found.scores;
    for (std::vector<BlockRef> next = schedule.consumers(last);
         next.size() == 1 && next.front().name != rows.name && isInjective(schedule.get(next.front())) &&
         followsResults(schedule.get(next.front()), schedule.get(last));
         next = schedule.consumers(last))
        found.adjusted = last = next.front();
    if (found.adjusted)
        found.stages.erase(found.stages.begin(), std::ranges::find(found.stages, last.name, &BlockRef::name) + 1);
    return found;
}

void scheduleRowsBetweenProducts(Schedule& s, const RowsBetweenProducts& found, const Target& target,
                                 std::vector<Refusal>& refusals) {
    const std::vector<BlockRef> stages = found.stagesLeft(s);
    if (found.adjusted && s.consumers(found.scores).front().name != found.adjusted->name)
        throw ScheduleError("what is computed of the scores is stored");
    const Results results = resultsOf(s, found.sums);
    const schedule::Number rows = rowsOf(s, found, target);
    const BlockRef scores = found.adjusted ? *found.adjusted : s.cacheWrite(found.scores, 0, tir::Scope::Local);

    std::vector<LoopRef> loops = s.loops(results.written);
    loops.resize(found.shared);
    const std::vector<LoopRef> parts = s.split(loops.back(), {-1, rows});
    loops.back() = parts[0];
    const LoopRef task = schedule::fused(s, loops);
    vectorizeInnermost(s, results.written, target, refusals);

    s.computeAt(results.copy, task);
    s.setScope(results.copy, 0, tir::Scope::Local);
    tileProduct(s, found.sums, found.shared - 1, rows.value, target, refusals);

    s.computeAt(stages.back(), task);
    s.setScope(stages.back(), 0, tir::Scope::Local);
    const LoopRef row = rowsTogether(s, stages.back(), s.loops(stages.back())[found.shared]);
    computeStages(s, stages, row, target, refusals);

    s.computeAt(scores, task);
    s.setScope(scores, 0, tir::Scope::Local);
    tileProduct(s, found.scores, found.shared - 1, rows.value, target, refusals);
    parallelTask(s, found.sums, task);
}

} // namespace lathe::topi
