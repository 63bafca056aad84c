// SPDX-License-Identifier: Apache-2.0
//
// A tile's nest, outermost first: the axes that its columns' operand has besides them, then panels of columns, then what
// passes over one panel, rows last. All of that is one parallel loop by default. Questions put it otherwise:
//
//   order        rows outside of panels
//   rowBlock     so many tiles of rows before the next panel; panelBlock: so many panels before the next row
//   reduceBlock  blocks of the reduction, for which the tiles of a task pass: their operands stay in a cache, while sums go on in
//                memory of the task (Schedule::cacheInplace)
#include "topi/tile_reduction.h"

#include "arith/analysis.h"
#include "base/rounding.h"
#include "moves/limits.h"
#include "moves/registers.h"
#include "tir/access.h"
#include "topi/parallel_task.h"
#include "topi/prefetch_columns.h"
#include "topi/tile_operands.h"

#include <algorithm>

namespace lathe::topi {

using arith::Expr;
using schedule::BlockRef;
using schedule::LoopRef;
using schedule::Number;
using schedule::Schedule;

namespace {

/// More rows than registers hold are slow, not wrong: a search may try them.
const std::vector<int64_t> rowCounts = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};

/// Tiles of a band, and of blocks; 0: no blocks.
const std::vector<int64_t> bandCounts = {1, 2, 4, 8, 16, 32, 64};
const std::vector<int64_t> rowBlocks = {2, 4, 8, 16, 32}, panelBlocks = {2, 4, 8};

/// Steps of a block of the reduction, of one so long at least: a shorter one leaves room in the second cache.
const std::vector<int64_t> reduceBlocks = {256, 512, 1024};
constexpr int64_t leastReduction = 2000;

/// Steps that become one.
const std::vector<int64_t> unrollings = {2, 4, 8};

/// Rows of the axis outside of a tile's rows.
const std::vector<int64_t> nextRowCounts = {2, 3, 4};

tir::Block bodyIn(const std::optional<TileTask>& task, tir::Block body) {
    for (size_t i = 0; task && i < body.iters.size(); ++i)
        body.iters[i].extent = task->extents.at(i);
    return body;
}

class Tiling {
public:
    Tiling(Schedule& schedule, const BlockRef& block, const RegisterTile& tile, const Target& target,
           const std::optional<TileTask>& task)
        : s(schedule), block_(block), tile_(tile), target_(target), task_(task),
          body_(bodyIn(task, schedule.get(block))) {}

    TiledReduction run() {
        width_ = tile_.widths.empty() ? Number(tile_.width) : s.choose(block_, "width", tile_.widths, tile_.width);
        rows_ = tile_.rowAxis < 0 ? Number(1) : s.choose(block_, "rows", rowCounts, tile_.rows);
        operands_ = tile_.band == 0 ? std::vector<BlockRef>{} : ownOperands(s, block_);
        bandAxis_ = operands_.empty() ? -1 : *tile_.windows.begin();
        // Windows of an operand as it lies in memory follow its rows, which is what caches expect.
        alongRows_ = bandAxis_ < 0 && tile_.windows.contains(tile_.rowAxis);
        const bool again = task_ ? task_->sharesColumns : resultsLeave();
        const bool copiedFirst = tile_.repacked && s.choose(block_, "repack", {0, 1}, again ? 1 : 0) == 1;
        if (copiedFirst)
            repackFirst(s, block_, tile_, width_, target_);
        packs_ = tile_.repacked || (mayPack() && s.choose(block_, "pack", {0, 1}, 0) == 1);
        chooseOrder(copiedFirst && !task_);
        const BlockRef copy = packs_ ? repackColumns(s, block_, tile_) : BlockRef{};
        const std::vector<BlockRef> consumers = s.consumers(block_);
        const bool follows = consumers.size() == 1 && isEpilogue(s, block_, consumers.front());
        // Of a task, what follows stands in it already, and tiles with it.
        const bool epilogue = follows && (task_ || s.choose(block_, "epilogue", {0, 1}, 1) == 1);
        consumer_ = moves::accumulate(s, block_, epilogue ? std::optional(consumers.front()) : std::nullopt,
                                      body_.iters[static_cast<size_t>(tile_.vectorAxis)].var);
        makeTiles();
        reduceTile();
        const LoopRef task = task_ ? tasks_.back() : fusedTasks(s, block_, tasks_);
        for (const BlockRef& operand : operands_) {
            s.computeAt(operand, task);
            s.setScope(operand, 0, tir::Scope::Local);
        }
        std::vector<std::string> done = {block_.name, consumer_.name};
        if (packs_) {
            s.computeAt(copy, task);
            vectorizeRepacking(s, copy, !tile_.repacked, target_);
            done.push_back(copy.name);
        }
        if (!task_)
            parallelTask(s, block_, task);
        return {done, operands_, refusals_};
    }

private:
    /// The loops over one axis: over its tiles, and within one if it has several elements there.
    struct Axis {
        LoopRef tiles, inner;
        bool isTiled = false;
    };

    int64_t extentOf(int axis) const { return arith::bounds(body_.iters[static_cast<size_t>(axis)].extent).upper; }
    int64_t tilesOf(int axis, int64_t size) const {
        const int64_t extent = extentOf(axis);
        return extent > (int64_t{1} << 40) ? extent : ceilDiv(extent, size);
    }
    /// Whether tiles pass in an order that can be chosen: neither bands, nor what a task makes for all its rows.
    bool isPlain() const {
        return tile_.columns && tile_.windows.empty() && tile_.rowAxis >= 0 && tile_.group == 0 && !packs_;
    }
    /// An operand whose columns lie next to each other, a row of all of them behind the next.
    bool mayPack() const {
        if (!isPlain() || tile_.packed || tilesOf(tile_.rowAxis, rows_) < 2)
            return false;
        const arith::Var& column = body_.iters[static_cast<size_t>(tile_.vectorAxis)].var;
        const auto reads = readsOf(body_);
        const auto read = std::ranges::find(reads, tile_.columns, &tir::AccessPattern::buffer);
        return read != reads.end() && read->constantStride(column) == 1 &&
               dimAlong(body_, tile_.columns.get(), column) + 1 == static_cast<int>(tile_.columns->shape.size()) &&
               std::ranges::count(reads, tile_.columns, &tir::AccessPattern::buffer) == 1 &&
               tile_.columns->shape.size() > 1;
    }

    /// The innermost axis besides the rows that passes over a panel.
    int nextAxis() const {
        for (size_t i = body_.iters.size(); i-- > 0;) {
            const auto axis = static_cast<int>(i);
            if (body_.iters[i].kind == tir::IterKind::Spatial && axis != tile_.vectorAxis && axis != tile_.rowAxis &&
                !tile_.before.contains(axis) && extentOf(axis) > 1)
                return axis;
        }
        return -1;
    }

    /// Whether the results of one operand's columns, of known sizes, are more than the second cache holds. Where panels are outside
    /// of rows each of them writes a line or two of each row then, pages apart, and half of one where rows do not begin lines.
    bool resultsLeave() const {
        int64_t bytes = onlyStore(body_)->buffer->dtype.bytes();
        for (size_t i = 0; i < body_.iters.size(); ++i) {
            const auto axis = static_cast<int>(i);
            if (body_.iters[i].kind != tir::IterKind::Spatial || tile_.before.contains(axis))
                continue;
            if (extentOf(axis) >= moves::endlessExtent || __builtin_mul_overflow(bytes, extentOf(axis), &bytes))
                return false;
        }
        return bytes > target_.l2Bytes;
    }

    Number blockOf(std::string_view what, std::vector<int64_t> counts, int64_t tiles) {
        std::erase_if(counts, [&](int64_t count) { return count >= tiles; });
        return counts.empty() ? Number(0) : s.choose(block_, what, counts, 0);
    }

    void chooseOrder(bool outermostRows) {
        int reduced = 0, last = -1; // axes of several steps, the last of them
        for (size_t i = 0; i < body_.iters.size(); ++i)
            if (body_.iters[i].kind != tir::IterKind::Spatial) {
                last = static_cast<int>(i);
                reduced += !arith::isConst(body_.iters[i].extent, 1);
            }
        if (isPlain()) {
            const int64_t rows = tilesOf(tile_.rowAxis, rows_), panels = tilesOf(tile_.vectorAxis, width_);
            if (const int next = nextAxis(); next >= 0) {
                std::vector<int64_t> counts = nextRowCounts;
                std::erase_if(counts, [&](int64_t count) { return count > extentOf(next); });
                if (!counts.empty())
                    nextRows_ = s.choose(block_, "nextRows", counts, 1);
                nextAxis_ = nextRows_ > 1 ? next : -1;
            }
            if (panels > 1 && (rows > 1 || nextAxis() >= 0))
                rowsOutside_ = s.choose(block_, "order", {0, 1}, outermostRows ? 1 : 0) == 1;
            // Blocks of what passes outermost change its order only together with those of the other.
            if (!rowsOutside_ && panels > 1)
                rowBlock_ = blockOf("rowBlock", rowBlocks, rows);
            if (rowsOutside_ || rowBlock_ > 0)
                panelBlock_ = blockOf("panelBlock", panelBlocks, panels);
            if (rowsOutside_ && panelBlock_ > 0)
                rowBlock_ = blockOf("rowBlock", rowBlocks, rows);
            const auto steps =
                reduced == 1 ? arith::asInt(body_.iters[static_cast<size_t>(last)].extent) : std::nullopt;
            if (steps && *steps >= leastReduction)
                reduceBlock_ = blockOf("reduceBlock", reduceBlocks, *steps);
        }
        const auto steps = last < 0 ? std::nullopt : arith::asInt(body_.iters[static_cast<size_t>(last)].extent);
        if (!steps || tile_.shared || !tile_.columns)
            return;
        const int64_t each = rows_ * nextRows_ * ceilDiv(width_, target_.lanesOf(types::Float32));
        std::vector<int64_t> counts = unrollings;
        std::erase_if(counts,
                      [&](int64_t count) { return *steps % count != 0 || count * each > moves::mostMultiplyAdds; });
        if (!counts.empty())
            unrolled_ = s.choose(block_, "reduceUnroll", counts, 1);
    }

    /// Of the consumer: tiles, in their order; one is computed within the innermost loop over them, or all of a task.
    void makeTiles() {
        // Those of the axes; others may be around.
        std::vector<LoopRef> loops = s.loops(consumer_);
        const auto outer = static_cast<int64_t>(loops.size()) -
                           std::ranges::count(body_.iters, tir::IterKind::Spatial, &tir::IterVar::kind);
        loops.erase(loops.begin(), loops.begin() + outer);
        std::vector<LoopRef> order, inside; // outer to inner; the tasks become the parallel loop
        LoopRef bandTask;
        for (size_t i = 0, spatial = 0; i < body_.iters.size(); ++i) {
            if (body_.iters[i].kind != tir::IterKind::Spatial)
                continue;
            const auto axis = static_cast<int>(i);
            const bool vector = axis == tile_.vectorAxis, row = axis == tile_.rowAxis;
            std::vector<Number> factors = {-1};
            if (axis == bandAxis_) {
                const int64_t unit = vector ? width_.value : row ? rows_.value : 1;
                factors.push_back(s.choose(block_, "band", bandCounts, ceilDiv(tile_.band, unit)));
            }
            if (vector && panelBlock_ > 0)
                factors.push_back(panelBlock_);
            if (row && rowBlock_ > 0)
                factors.push_back(rowBlock_);
            if (vector || row || axis == nextAxis_)
                factors.push_back(vector ? width_ : row ? rows_ : nextRows_);
            std::vector<LoopRef> parts = {loops.at(spatial++)};
            if (row && tile_.group > 0) {
                parts = s.split(parts.front(), {-1, tile_.group});
                order.push_back(parts.front());
                parts.erase(parts.begin());
            }
            if (factors.size() > 1)
                parts = s.split(parts.front(), factors);
            if (axis == bandAxis_) {
                bandTask = parts.front();
                parts.erase(parts.begin());
            }
            if (factors.size() > 2 && axis != bandAxis_) {
                (vector ? panelBlocks_ : rowBlocks_).push_back(parts.front());
                parts.erase(parts.begin());
            }
            if (vector)
                column_ = {parts[0], parts[1], true};
            else if (row)
                row_ = {parts[0], parts[1], true};
            else if (bandAxis_ >= 0 && !tile_.windows.contains(axis))
                tasks_.push_back(parts[0]);
            else
                (tile_.before.contains(axis) ? order : inside).push_back(parts[0]);
            if (axis == nextAxis_)
                next_ = {parts[0], parts[1], true};
        }
        const bool rowsApart = bandAxis_ >= 0 && tile_.rowAxis >= 0 && !tile_.windows.contains(tile_.rowAxis);
        if (bandAxis_ >= 0) {
            if (rowsApart)
                tasks_.push_back(row_.tiles);
            tasks_.push_back(bandTask);
            (tile_.windows.contains(tile_.vectorAxis) ? order : tasks_).push_back(column_.tiles);
        } else if (isPlain()) {
            orderPlain(order, inside);
        } else if (!alongRows_) {
            // One panel stays in cache while what does not depend on it passes.
            order.push_back(column_.tiles);
        }
        if (!isPlain()) {
            // A panel that a task makes is for all that passes; which rows are left over of a group, its own loop says.
            const bool passes = packs_ || tile_.group > 0;
            if (passes)
                tasks_.swap(order);
            order.insert(order.end(), inside.begin(), inside.end());
            if (tile_.rowAxis >= 0 && !rowsApart)
                order.push_back(row_.tiles);
            if (alongRows_)
                order.push_back(column_.tiles);
            if (bandAxis_ < 0 && !passes)
                tasks_.swap(order);
        }
        tiles_ = std::move(order);
        std::vector<LoopRef> nest = tasks_;
        nest.insert(nest.end(), tiles_.begin(), tiles_.end());
        const LoopRef innermost = reduceBlock_ > 0 ? tasks_.back() : nest.back();
        around_ = outer + static_cast<int64_t>(reduceBlock_ > 0 ? tasks_.size() : nest.size());
        for (const Axis& axis : {next_, row_, column_})
            if (axis.isTiled)
                nest.push_back(axis.inner);
        s.reorder(nest);
        s.computeAt(block_, innermost);
        s.vectorize(column_.inner);
        for (const Axis& axis : {next_, row_})
            if (axis.isTiled)
                s.unroll(axis.inner);
    }

    /// Blocks outermost, then tiles; those of a task are what passes for one block of the reduction, if there are such.
    void orderPlain(std::vector<LoopRef>& order, const std::vector<LoopRef>& inside) {
        std::vector<LoopRef> rows = inside, columns = {column_.tiles};
        rows.push_back(row_.tiles);
        panels_ = order;
        panels_.push_back(column_.tiles);
        tasks_ = std::exchange(order, {});
        const auto add = [](std::vector<LoopRef>& to, const std::vector<LoopRef>& loops) {
            to.insert(to.end(), loops.begin(), loops.end());
        };
        add(tasks_, rowsOutside_ ? rowBlocks_ : panelBlocks_);
        add(tasks_, rowsOutside_ ? panelBlocks_ : rowBlocks_);
        const bool inBlocks = !rowBlocks_.empty() || !panelBlocks_.empty();
        add(reduceBlock_ > 0 && inBlocks ? order : tasks_, rowsOutside_ ? rows : columns);
        add(reduceBlock_ > 0 ? order : tasks_, rowsOutside_ ? columns : rows);
    }

    /// Inside: reduction outside, rows unrolled, columns as vectors.
    void reduceTile() {
        std::vector<LoopRef> own = s.loops(block_);
        own.erase(own.begin(), own.begin() + around_);
        std::vector<LoopRef> spatial, reduced;
        LoopRef row, column, next;
        for (size_t i = 0; i < body_.iters.size(); ++i) {
            LoopRef loop = own.at(i);
            if (body_.iters[i].kind != tir::IterKind::Spatial)
                reduced.push_back(loop);
            else if (static_cast<int>(i) == tile_.vectorAxis)
                column = loop;
            else if (static_cast<int>(i) == tile_.rowAxis)
                row = loop;
            else if (static_cast<int>(i) == nextAxis_)
                next = loop;
            else
                spatial.push_back(loop);
        }
        std::vector<LoopRef> outside;
        if (reduceBlock_ > 0) {
            const std::vector<LoopRef> columns = s.split(column, {-1, width_}), rows = s.split(row, {-1, rows_}),
                                       steps = s.split(reduced.back(), {-1, reduceBlock_});
            std::vector<LoopRef> passing = std::exchange(spatial, {});
            if (nextAxis_ >= 0) {
                const std::vector<LoopRef> parts = s.split(next, {-1, nextRows_});
                passing.push_back(parts[0]), next = parts[1];
            }
            passing.push_back(rows[0]);
            passing.insert(rowsOutside_ ? passing.end() : passing.begin(), columns[0]);
            outside = {steps[0]};
            outside.insert(outside.end(), passing.begin(), passing.end());
            column = columns[1], row = rows[1], reduced.back() = steps[1];
        }
        LoopRef step = reduced.back(), unrolled;
        if (unrolled_ > 1) {
            const std::vector<LoopRef> parts = s.split(step, {-1, unrolled_});
            step = reduced.back() = parts[0], unrolled = parts[1];
        }
        std::vector<LoopRef> inner = outside;
        inner.insert(inner.end(), spatial.begin(), spatial.end());
        inner.insert(inner.end(), reduced.begin(), reduced.end());
        if (unrolled_ > 1)
            inner.push_back(unrolled);
        std::vector<LoopRef> tileRows;
        if (nextAxis_ >= 0)
            tileRows.push_back(next);
        if (tile_.rowAxis >= 0)
            tileRows.push_back(row);
        inner.insert(inner.end() - (tile_.shared ? 1 : 0), tileRows.begin(), tileRows.end());
        inner.push_back(column);
        s.reorder(inner);
        if (tile_.shared)
            s.unroll(reduced.back());
        if (unrolled_ > 1)
            s.unroll(unrolled);
        const BlockRef init = s.decomposeReduction(block_, inner[outside.empty() ? spatial.size() : 0]);
        const std::optional<Schedule::Inplace> sums =
            outside.empty() ? std::nullopt : std::optional(s.cacheInplace(block_, outside.back(), tir::Scope::Local));
        s.vectorize(column);
        for (const LoopRef loop : tileRows)
            s.unroll(loop);
        moves::inRegisters(s, init, tileRows.size());
        if (sums)
            for (const BlockRef& copy : {sums->load, sums->store})
                moves::inRegisters(s, copy, s.loops(copy).size() - 1 - static_cast<size_t>(around_) - outside.size());
        prefetchPanels(reduced);
    }

    /// Of what lies in panels, and is not copied here.
    void prefetchPanels(const std::vector<LoopRef>& steps) {
        if (!isInPanels() || packs_ || tile_.columns->scope != tir::Scope::Global)
            return;
        const bool several = tile_.rowAxis >= 0 && (tilesOf(tile_.rowAxis, rows_) > 1 || nextAxis() >= 0);
        const bool passes = isPlain() && !rowsOutside_ && reduceBlock_ == 0 && several;
        const auto within = passes ? std::ranges::find(tasks_, column_.tiles.id, &LoopRef::id) + 1 : tasks_.end();
        // A step loads its vectors and broadcasts its rows, two in a cycle as it multiplies; asking is one more load a vector.
        const int64_t vectors = ceilDiv(width_, target_.lanesOf(types::Float32));
        const bool single = isPlain() && !several && rows_ + 2 * vectors <= rows_ * vectors;
        prefetchColumns(s, block_, {tile_.columns, panels_, {within, tasks_.end()}, steps, single}, refusals_);
    }

    /// Packed, or the operand's last dim is as wide as the tile, and what tells panels apart stands before the reduction: of a
    /// convolution in blocks of channels.
    bool isInPanels() const {
        if (tile_.packed || !tile_.columns)
            return tile_.packed;
        const tir::Buffer* columns = tile_.columns.get();
        const arith::Var& column = body_.iters[static_cast<size_t>(tile_.vectorAxis)].var;
        const auto last = static_cast<int>(columns->shape.size()) - 1;
        int outer = -1, reduced = last; // dims
        arith::visit(onlyStore(body_)->value, [&](const Expr& node) {
            if (node.kind() == arith::ExprKind::Load && node->storage.get() == columns)
                for (int dim = 0; dim < last; ++dim)
                    for (const tir::IterVar& iter : body_.iters)
                        if (arith::mentions(node->args[static_cast<size_t>(dim)], iter.var)) {
                            if (iter.kind == tir::IterKind::Spatial)
                                outer = std::max(outer, dim);
                            else
                                reduced = std::min(reduced, dim);
                        }
            return true;
        });
        return dimAlong(body_, columns, column) == last && arith::isConst(columns->shape.back(), width_) &&
               outer < reduced;
    }

    Schedule& s;
    BlockRef block_;
    RegisterTile tile_;
    const Target& target_;
    const std::optional<TileTask> task_;
    const tir::Block body_; // as it was, of one task
    Number width_ = 1, rows_ = 1, nextRows_ = 1, unrolled_ = 1;
    Number rowBlock_ = 0, panelBlock_ = 0, reduceBlock_ = 0;
    bool packs_ = false, rowsOutside_ = false, alongRows_ = false;
    int bandAxis_ = -1, nextAxis_ = -1;
    std::vector<BlockRef> operands_;
    std::vector<schedule::Refusal> refusals_;
    BlockRef consumer_; // computes what follows on the tile, or stores it
    std::vector<LoopRef> tasks_, tiles_, panels_, rowBlocks_, panelBlocks_;
    Axis column_, row_, next_;
    int64_t around_ = 0; // loops around what is computed at once
};

} // namespace

TiledReduction tileReduction(Schedule& schedule, const BlockRef& block, const RegisterTile& tile, const Target& target,
                             const std::optional<TileTask>& task) {
    return Tiling(schedule, block, tile, target, task).run();
}

} // namespace lathe::topi
