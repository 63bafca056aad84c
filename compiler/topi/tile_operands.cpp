// SPDX-License-Identifier: Apache-2.0
#include "topi/tile_operands.h"

#include "arith/analysis.h"
#include "tir/access.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::topi {

using arith::Expr;
using schedule::BlockRef;
using schedule::LoopRef;
using schedule::Schedule;

namespace {

/// Elements along `dim` become neighbours in the buffer that the block writes.
void dimInnermostInStorage(Schedule& schedule, const BlockRef& block, size_t dim) {
    const size_t dims = onlyStore(schedule.get(block))->indices.size();
    if (dim + 1 == dims)
        return;
    std::vector<arith::Var> vars;
    std::vector<Expr> map;
    for (size_t i = 0; i < dims; ++i) {
        vars.push_back(arith::var(fmt::format("i{}", i)));
        if (i != dim)
            map.push_back(vars.back());
    }
    map.push_back(vars[dim]);
    schedule.transformLayout(block, 0, vars, map);
}

} // namespace

void innermostInStorage(Schedule& schedule, const BlockRef& block, const arith::Var& var) {
    const std::vector<Expr>& indices = onlyStore(schedule.get(block))->indices;
    const auto along = [&](const Expr& index) { return var.same(index); };
    if (std::ranges::count_if(indices, along) == 1)
        dimInnermostInStorage(schedule, block,
                              static_cast<size_t>(std::ranges::find_if(indices, along) - indices.begin()));
}

bool isEpilogue(Schedule& schedule, const BlockRef& block, const BlockRef& consumer) {
    const tir::Block& body = schedule.get(block);
    const tir::Block& next = schedule.get(consumer);
    if (isOutput(body) || !isInjective(next) || schedule.loops(consumer).size() < next.iters.size())
        return false;
    return followsResults(next, body);
}

std::vector<BlockRef> ownOperands(const Schedule& schedule, const BlockRef& block) {
    const tir::Block& body = schedule.get(block);
    const auto readOnce = [&](const tir::Buffer* buffer) {
        for (const tir::AccessPattern& read : readsOf(body))
            for (const tir::IterVar& iter : body.iters)
                if (read.buffer.get() == buffer && iter.kind == tir::IterKind::Spatial &&
                    !arith::isConst(iter.extent, 1) && !read.stride.contains(iter.var.get()))
                    return false;
        return true;
    };
    std::vector<BlockRef> operands;
    for (const BlockRef& other : schedule.blocks()) {
        if (isOutput(schedule.get(other)) || !isInjective(schedule.get(other)))
            continue;
        const std::vector<BlockRef> consumers = schedule.consumers(other);
        if (consumers.size() == 1 && consumers.front().name == block.name &&
            readOnce(onlyStore(schedule.get(other))->buffer.get()))
            operands.push_back(other);
    }
    return operands;
}

BlockRef repackColumns(Schedule& schedule, const BlockRef& block, const RegisterTile& tile) {
    const tir::Block body = schedule.get(block);
    const int dim = dimAlong(body, tile.columns.get(), body.iters[static_cast<size_t>(tile.vectorAxis)].var);
    const auto read = std::ranges::find(body.reads, tile.columns, &tir::Region::buffer);
    if (dim < 0 || read == body.reads.end())
        throw schedule::ScheduleError("the columns are no dim of the operand");
    const BlockRef copy = schedule.cacheRead(block, static_cast<int>(read - body.reads.begin()), tir::Scope::Local);
    dimInnermostInStorage(schedule, copy, static_cast<size_t>(dim));
    return copy;
}

void vectorizeRepacking(Schedule& s, const BlockRef& copy, bool alongColumns, const Target& target) {
    std::vector<LoopRef> loops = s.loops(copy);
    const LoopRef row = loops.back(), column = loops[loops.size() - 2];
    const int64_t lanes = lanesOf(s.get(copy), target);
    if (arith::bounds(s.get(row).extent).upper < lanes)
        return;
    const std::vector<LoopRef> parts = s.split(row, {-1, lanes});
    if (!alongColumns)
        s.reorder({parts[0], column, parts[1]});
    s.vectorize(parts[1]);
}

} // namespace lathe::topi
