// SPDX-License-Identifier: Apache-2.0
#include "topi/rows_between_products.h"

#include "arith/analysis.h"
#include "moves/limits.h"
#include "schedule/schedule_loops.h"
#include "tir/access.h"
#include "tir/transform/flatten_buffers.h"
#include "topi/elementwise_schedule.h"
#include "topi/parallel_task.h"
#include "topi/row_stages.h"
#include "topi/tile_reduction.h"

#include <algorithm>
#include <set>

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

/// The block that writes the buffer; none if that is a parameter.
std::optional<BlockRef> writerOf(const Schedule& schedule, const tir::Buffer* buffer) {
    for (const BlockRef& block : schedule.blocks())
        if (const tir::Store* store = onlyStore(schedule.get(block)); store && store->buffer.get() == buffer)
            return block;
    return std::nullopt;
}

/// Whether both have the same leading spatial axes, so many of them.
bool shareAxes(const tir::Block& a, const tir::Block& b, size_t count) {
    if (a.iters.size() < count || b.iters.size() < count)
        return false;
    for (size_t i = 0; i < count; ++i)
        if (a.iters[i].kind != tir::IterKind::Spatial || b.iters[i].kind != tir::IterKind::Spatial ||
            !arith::provablyEqual(a.iters[i].extent, b.iters[i].extent))
            return false;
    return true;
}

/// Whether the block reads the buffer at its own leading axes, one a dim.
bool readsAlong(const tir::Block& body, const tir::Buffer* buffer, size_t count) {
    for (size_t i = 0; i < count; ++i)
        if (!arith::isConst(body.iters[i].extent, 1) &&
            dimAlong(body, buffer, body.iters[i].var) != static_cast<int>(i))
            return false;
    return true;
}

/// Rows before two products: all that `rows` is computed of, back to a product.
std::optional<RowsBetweenProducts> rowsInto(const Schedule& schedule, const BlockRef& sums, const BlockRef& rows) {
    if (isOutput(schedule.get(rows)) || !isInjective(schedule.get(rows)) || schedule.get(rows).iters.size() < 2 ||
        schedule.consumers(rows).size() != 1)
        return std::nullopt;
    RowsBetweenProducts found;
    found.sums = sums;
    found.shared = schedule.get(rows).iters.size() - 1;
    std::set<std::string> between = {rows.name};
    std::vector<BlockRef> open = {rows};
    bool several = false;
    while (!open.empty()) {
        const BlockRef block = open.back();
        open.pop_back();
        for (const tir::AccessPattern& read : readsOf(schedule.get(block))) {
            const std::optional<BlockRef> writer = writerOf(schedule, read.buffer.get());
            if (!writer || between.contains(writer->name))
                continue;
            const tir::Block& body = schedule.get(*writer);
            if (isInjective(body) && readsOf(body).empty())
                continue; // constants, which become part of their readers
            if (!shareAxes(body, schedule.get(rows), found.shared) || isOutput(body) ||
                !readsAlong(schedule.get(block), read.buffer.get(), found.shared))
                return std::nullopt;
            if (asContraction(body)) {
                several |= !found.scores.name.empty() && found.scores.name != writer->name;
                found.scores = *writer;
                continue;
            }
            between.insert(writer->name);
            open.push_back(*writer);
        }
    }
    if (found.scores.name.empty() || several || found.scores.name == sums.name)
        return std::nullopt;
    for (const BlockRef& block : schedule.blocks()) {
        if (!between.contains(block.name) && block.name != found.scores.name)
            continue;
        for (const BlockRef& consumer : schedule.consumers(block))
            if (!between.contains(consumer.name) && consumer.name != sums.name)
                return std::nullopt;
        if (between.contains(block.name))
            found.stages.push_back(block);
    }
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

std::optional<RowsBetweenProducts> findRowsBetweenProducts(const Schedule& schedule) {
    for (const BlockRef& block : schedule.blocks()) {
        const std::optional<tir::Contraction> contraction = asContraction(schedule.get(block));
        if (!contraction)
            continue;
        const auto rows = writerOf(schedule, contraction->a.buffer.get());
        const size_t shared = rows ? schedule.get(*rows).iters.size() - 1 : 0;
        if (shared == 0 || !shareAxes(schedule.get(block), schedule.get(*rows), shared) ||
            !readsAlong(schedule.get(block), contraction->a.buffer.get(), shared))
            continue;
        if (auto found = rowsInto(schedule, block, *rows))
            return found;
    }
    return std::nullopt;
}

void scheduleRowsBetweenProducts(Schedule& s, const RowsBetweenProducts& found, const Target& target,
                                 std::vector<Refusal>& refusals) {
    std::vector<BlockRef> stages;
    for (const BlockRef& stage : found.stages)
        if (s.hasBlock(stage))
            stages.push_back(stage);
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
