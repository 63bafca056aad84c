// SPDX-License-Identifier: Apache-2.0
#include "tune/rules/reduction_tiles.h"

#include "base/rounding.h"
#include "moves/limits.h"
#include "moves/registers.h"
#include "moves/storage.h"
#include "schedule/schedule_loops.h"
#include "tir/access.h"
#include "tune/rules/annotate.h"
#include "tune/rules/axes.h"
#include "tune/rules/storage.h"
#include "tune/rules/tiles.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <ranges>

namespace lathe::tune {

using schedule::BlockRef;
using schedule::LoopRef;
using schedule::Number;
using schedule::Schedule;

namespace {

constexpr int64_t rowSizes[] = {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
constexpr int64_t middleSizes[] = {2, 4, 8, 16, 32, 64};
constexpr int64_t chunkSizes[] = {2, 4, 8};
constexpr int64_t stepSizes[] = {32, 64, 128, 256, 512};
constexpr int64_t unrollSizes[] = {2, 3, 4, 5, 6, 7, 8};

/// One axis of the block, and how its loop is taken apart.
struct Axis {
    size_t iter = 0;
    int64_t extent = 1;
    Number inner = 1, chunk = 1, middle = 1;

    int64_t tile() const { return inner * chunk; } // elements that are reduced at once
};

/// Loops by level, outer to inner.
struct Levels {
    std::vector<LoopRef> tasks, tiles, chunks, rows;
    LoopRef column;
};

class Tiler {
public:
    Tiler(Sketch& sketch, const BlockRef& block, Rule rule)
        : sketch_(sketch), s_(sketch.schedule), block_(block), rule_(rule), body_(s_.get(block)) {}

    void run() {
        if (rule_ == Rule::Packed)
            usePacked();
        askRegisters();
        askLevels();
        const BlockRef consumer = moves::accumulate(s_, block_, findEpilogue(), body_.iters[vector_].var);
        const Levels levels = splitConsumer(consumer);
        const LoopRef last = levels.tiles.empty() ? levels.tasks.back() : levels.tiles.back();
        s_.computeAt(block_, last);
        s_.vectorize(levels.column);
        for (const LoopRef row : levels.rows)
            s_.unroll(row);
        splitReduction(s_.loops(consumer).size() - levels.chunks.size() - levels.rows.size() - 1);
        const LoopRef task = taskLoop(sketch_, block_, levels.tasks);
        sketch_.done.insert(sketch_.done.end(), {block_.name, consumer.name});
        placeOperands(task); // memory that a task has for itself
        if (rule_ == Rule::Packed)
            placePacked(sketch_, packed_, *packing_, task);
        s_.parallel(task);
    }

private:
    const tir::IterVar& iterOf(const Axis& axis) const { return body_.iters[axis.iter]; }
    Number ask(std::string_view what, const std::vector<Option>& options) { return sketch_.ask(block_, what, options); }
    Number askOf(std::string_view what, const Axis& axis, const std::vector<Option>& options) {
        return ask(fmt::format("{}{}", what, axis.iter), options);
    }

    /// The tile that stays in registers: vectors along one axis, rows along the others, as many as there are registers for.
    void askRegisters() {
        std::vector<Option> choices;
        for (const size_t axis : vectorAxes(body_))
            choices.push_back({static_cast<int64_t>(axis), choices.empty() ? 2.0 : 1.0});
        vector_ = choices.size() == 1 ? static_cast<size_t>(choices.front().value)
                                      : static_cast<size_t>(ask("vector", choices).value);
        for (size_t i = 0; i < body_.iters.size(); ++i)
            if (isSpatial(body_.iters[i])) {
                Axis& axis = axes_.emplace_back();
                axis.iter = i;
                axis.extent = extentOf(body_.iters[i]);
            }
        Axis& column = *std::ranges::find(axes_, vector_, &Axis::iter);
        const int64_t lanes = tir::lanesOf(body_, sketch_.target);
        column.inner = askOf("inner", column, widths(column, lanes));
        const int64_t vectors = ceilDiv(column.inner, lanes);
        int64_t rows = std::max<int64_t>(1, moves::accumulatedRows(vectors, sketch_.target.vectorRegisters));
        inARow_ = vectors;
        for (Axis* axis : rowAxes(column)) {
            std::vector<Option> options;
            const int64_t group = groupAlong(body_, iterOf(*axis).var);
            for (const Option& option : tileOptions(axis->extent, rowSizes))
                if (option.value <= rows && (group == 0 || group % option.value == 0))
                    options.push_back(option);
            if (options.size() == 1)
                continue;
            axis->inner = askOf("inner", *axis, options);
            rows /= axis->inner;
            inARow_ *= axis->inner;
        }
    }

    /// One vector, or several; a short axis is a vector of its own. A last vector that is not full is better than none at
    /// all.
    std::vector<Option> widths(const Axis& column, int64_t lanes) {
        const int64_t panel = panelAlong(body_, iterOf(column).var);
        std::vector<int64_t> sizes = {lanes, 2 * lanes, 4 * lanes};
        if (8 * lanes <= moves::widestTile) // of few rows: they hide what a multiply-add takes
            sizes.push_back(8 * lanes);
        if (column.extent < lanes)
            sizes = {column.extent, static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(column.extent)))};
        std::vector<Option> options;
        for (const int64_t size : sizes)
            if ((panel == 0 || panel % size == 0) && wasteOf(column.extent, size) <= mostWaste)
                options.push_back({size, size == 2 * lanes ? 4.0 : size < 2 * lanes ? 2.0 : 1.0});
        if (options.empty())
            options.push_back({std::min(column.extent, panel > 0 ? std::min(panel, lanes) : lanes), 1});
        std::ranges::sort(options, {}, &Option::value);
        const auto same = std::ranges::unique(options, {}, &Option::value);
        options.erase(same.begin(), same.end());
        return options;
    }

    /// Those that share the vectors' loads first, then the inner ones.
    std::vector<Axis*> rowAxes(const Axis& column) {
        std::vector<Axis*> rows;
        for (Axis& axis : std::views::reverse(axes_))
            if (axis.iter != column.iter && axis.extent > 1)
                rows.push_back(&axis);
        std::ranges::stable_partition(
            rows, [&](const Axis* axis) { return !movesVectors(body_, iterOf(column).var, iterOf(*axis).var); });
        return rows;
    }

    void askLevels() {
        for (Axis& axis : axes_) {
            const auto several = [&](int64_t within, std::span<const int64_t> sizes, bool orAll) {
                const int64_t tiles = ceilDiv(axis.extent, within);
                std::vector<int64_t> all(sizes.begin(), sizes.end());
                if (orAll && std::ranges::find(all, tiles) == all.end())
                    all.push_back(tiles);
                return tileOptions(tiles, all);
            };
            if (rule_ == Rule::Ssrsrs)
                if (const auto options = several(axis.inner, chunkSizes, false); options.size() > 1)
                    axis.chunk = askOf("chunk", axis, options);
            if (rule_ != Rule::Srs)
                if (const auto options = several(axis.tile(), middleSizes, true); options.size() > 1)
                    axis.middle = askOf("middle", axis, options);
        }
    }

    /// What follows on each result, if it is to be computed on the tile.
    std::optional<BlockRef> findEpilogue() {
        const std::vector<BlockRef> consumers = s_.consumers(block_);
        if (isOutput(body_) || consumers.size() != 1 || sketch_.isDone(consumers.front()))
            return std::nullopt;
        const tir::Block& next = s_.get(consumers.front());
        const bool may =
            isInjective(next) && followsResults(next, body_) && s_.loops(consumers.front()).size() == next.iters.size();
        return may && ask("epilogue", {{0, 1}, {1, 4}}) == 1 ? std::optional(consumers.front()) : std::nullopt;
    }

    void usePacked() {
        packing_ = packingOf(body_);
        packed_ = moves::packOperand(s_, block_, packing_->operand, packing_->dim, tir::Scope::Workspace);
        body_ = s_.get(block_);
    }

    Levels splitConsumer(const BlockRef& consumer) {
        std::vector<LoopRef> loops = s_.loops(consumer);
        if (loops.size() < axes_.size())
            throw schedule::ScheduleError("results and axes are not the same");
        loops.erase(loops.begin(), loops.end() - std::ssize(axes_));
        Levels levels;
        std::vector<std::pair<size_t, LoopRef>> tasks;
        std::vector<Option> movable;
        for (size_t i = 0; i < axes_.size(); ++i) {
            const Axis& axis = axes_[i];
            const bool isColumn = axis.iter == vector_;
            std::vector<Number> factors = {-1};
            for (const Number* factor : {&axis.middle, &axis.chunk, &axis.inner})
                if (*factor > 1 || (isColumn && factor == &axis.inner))
                    factors.push_back(*factor);
            std::vector<LoopRef> parts =
                factors.size() > 1 ? s_.split(loops[i], factors) : std::vector<LoopRef>{loops[i]};
            size_t part = 0;
            tasks.emplace_back(axis.iter, parts[part++]);
            if (iterationsOf(s_, parts.front()) > 1)
                movable.push_back({static_cast<int64_t>(axis.iter), isColumn ? 2.0 : 1.0});
            if (axis.middle > 1)
                levels.tiles.push_back(parts[part++]);
            if (axis.chunk > 1)
                levels.chunks.push_back(parts[part++]);
            if (isColumn)
                levels.column = parts[part];
            else if (axis.inner > 1)
                levels.rows.push_back(parts[part]);
        }
        if (movable.size() > 1) {
            const Number first = ask("outermost", movable);
            std::ranges::stable_partition(tasks,
                                          [&](const auto& task) { return std::cmp_equal(task.first, first.value); });
        }
        for (const auto& task : tasks)
            levels.tasks.push_back(task.second);
        std::vector<LoopRef> nest;
        for (const std::vector<LoopRef>* level : {&levels.tasks, &levels.tiles, &levels.chunks, &levels.rows})
            nest.insert(nest.end(), level->begin(), level->end());
        nest.push_back(levels.column);
        s_.reorder(nest);
        return levels;
    }

    /// The block's own loops, below so many around: pieces of the reduction, chunks, the steps of a piece, the register tile.
    void splitReduction(size_t around) {
        std::vector<LoopRef> own = s_.loops(block_);
        own.erase(own.begin(), own.begin() + static_cast<std::ptrdiff_t>(around));
        std::vector<LoopRef> single, pieces, chunks, steps, rows;
        LoopRef column;
        const size_t longest = longestReduced();
        for (size_t i = 0; i < body_.iters.size(); ++i) {
            if (!isSpatial(body_.iters[i])) {
                const std::vector<Option> options = rule_ == Rule::Ssrsrs && i == longest
                                                        ? tileOptions(extentOf(body_.iters[i]), stepSizes)
                                                        : std::vector<Option>{};
                if (options.size() > 1) {
                    const std::vector<LoopRef> parts =
                        s_.split(own.at(i), {-1, ask(fmt::format("steps{}", i), options)});
                    pieces.push_back(parts[0]);
                    steps.push_back(parts[1]);
                } else {
                    steps.push_back(own.at(i));
                }
                continue;
            }
            const Axis& axis = *std::ranges::find(axes_, i, &Axis::iter);
            LoopRef inner = own.at(i);
            if (axis.chunk > 1) {
                const std::vector<LoopRef> parts = s_.split(inner, {-1, axis.inner});
                chunks.push_back(parts[0]);
                inner = parts[1];
            }
            if (i == vector_)
                column = inner;
            else
                (axis.inner > 1 ? rows : single).push_back(inner);
        }
        const std::optional<LoopRef> inARow = unrolledSteps(steps);
        std::vector<LoopRef> order = single;
        for (const std::vector<LoopRef>* level : {&pieces, &chunks, &steps, &rows})
            order.insert(order.end(), level->begin(), level->end());
        order.push_back(column);
        s_.reorder(order);
        const BlockRef init = s_.decomposeReduction(block_, order[single.size()]);
        s_.vectorize(column);
        for (const LoopRef row : rows)
            s_.unroll(row);
        if (inARow)
            s_.unroll(*inARow);
        moves::inRegisters(s_, init, rows.size());
    }

    size_t longestReduced() const {
        size_t longest = body_.iters.size();
        for (size_t i = 0; i < body_.iters.size(); ++i)
            if (!isSpatial(body_.iters[i]) &&
                (longest == body_.iters.size() || extentOf(body_.iters[i]) > extentOf(body_.iters[longest])))
                longest = i;
        return longest;
    }

    /// Steps of the innermost reduced axis that are code of their own; `steps` get the loop around them.
    std::optional<LoopRef> unrolledSteps(std::vector<LoopRef>& steps) {
        const auto extent = arith::asInt(s_.get(steps.back()).extent);
        std::vector<Option> options = {{1, 2}};
        for (const int64_t size : unrollSizes)
            if (extent && *extent % size == 0 && size * inARow_ <= moves::mostMultiplyAdds)
                options.push_back({size, size == *extent ? 2.0 : 1.0});
        if (options.size() == 1)
            return std::nullopt;
        const Number size = ask("unroll", options);
        if (size == 1)
            return std::nullopt;
        const std::vector<LoopRef> parts = s_.split(steps.back(), {-1, size});
        steps.back() = parts[0];
        steps.push_back(parts[1]);
        return parts[1];
    }

    /// What is computed for this block alone and was to go with its tiles.
    void placeOperands(LoopRef task) {
        for (const BlockRef& operand : s_.blocks()) {
            const auto place = sketch_.places.find(operand.name);
            if (place == sketch_.places.end() || place->second != 2 || sketch_.isDone(operand))
                continue;
            const std::vector<BlockRef> consumers = s_.consumers(operand);
            if (consumers.size() != 1 || consumers.front().name != block_.name)
                continue;
            s_.computeAt(operand, task);
            nearIfSmall(s_, operand);
            vectorizeInnermost(sketch_, operand);
            sketch_.done.push_back(operand.name);
        }
    }

    Sketch& sketch_;
    Schedule& s_;
    BlockRef block_;
    Rule rule_;
    tir::Block body_; // as it was, but for the packing
    std::optional<Packing> packing_;
    BlockRef packed_;
    std::vector<Axis> axes_;
    size_t vector_ = 0;
    int64_t inARow_ = 1; // vectors of the register tile
};

} // namespace

bool canTile(Sketch& sketch, const BlockRef& block) {
    const tir::Block& body = sketch.schedule.get(block);
    return onlyStore(body) && isReduction(body) && sketch.schedule.loops(block).size() == body.iters.size() &&
           !vectorAxes(sketch.schedule.get(block)).empty();
}

bool canPack(Sketch& sketch, const BlockRef& block) {
    const tir::Block& body = sketch.schedule.get(block);
    return isReduction(body) && sketch.schedule.loops(block).size() == body.iters.size() &&
           vectorAxes(sketch.schedule.get(block)).empty() && packingOf(sketch.schedule.get(block));
}

void tileReduction(Sketch& sketch, const BlockRef& block, Rule rule) {
    Tiler(sketch, block, rule).run();
}

} // namespace lathe::tune
