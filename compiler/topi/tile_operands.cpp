// SPDX-License-Identifier: Apache-2.0
#include "topi/tile_operands.h"

#include "arith/analysis.h"
#include "moves/storage.h"
#include "schedule/schedule_loops.h"
#include "tir/access.h"

namespace lathe::topi {

using schedule::BlockRef;
using schedule::LoopRef;
using schedule::Schedule;

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

namespace {

size_t dimOfColumns(const tir::Block& body, const RegisterTile& tile) {
    const int dim = dimAlong(body, tile.columns.get(), body.iters[static_cast<size_t>(tile.vectorAxis)].var);
    if (dim < 0)
        throw schedule::ScheduleError("the columns are no dim of the operand");
    return static_cast<size_t>(dim);
}

} // namespace

BlockRef repackColumns(Schedule& schedule, const BlockRef& block, const RegisterTile& tile) {
    return moves::packOperand(schedule, block, tile.columns, dimOfColumns(schedule.get(block), tile),
                              tir::Scope::Local);
}

void repackFirst(Schedule& schedule, const BlockRef& block, RegisterTile& tile, int64_t width, const Target& target) {
    const size_t dim = dimOfColumns(schedule.get(block), tile);
    const BlockRef copy = moves::packOperand(schedule, block, tile.columns, dim, tir::Scope::Workspace, width);
    const std::vector<LoopRef> loops = schedule.loops(copy);
    const size_t around = loops.size() - schedule.get(copy).iters.size();
    const std::vector<LoopRef> columns = schedule.split(loops[around + dim], {-1, width});
    std::vector<LoopRef> tasks(loops.begin() + static_cast<int64_t>(around),
                               loops.begin() + static_cast<int64_t>(around + dim));
    tasks.push_back(columns[0]);
    moves::vectorizePacking(schedule, copy, columns[1], target);
    schedule.parallel(fused(schedule, tasks));
    tile.columns = onlyStore(schedule.get(copy))->buffer;
    tile.repacked = nullptr;
    tile.packed = true;
}

void vectorizeRepacking(Schedule& schedule, const BlockRef& copy, bool alongColumns, const Target& target) {
    const std::vector<LoopRef> loops = schedule.loops(copy);
    moves::vectorizePacking(schedule, copy, alongColumns ? std::nullopt : std::optional(loops[loops.size() - 2]),
                            target);
}

} // namespace lathe::topi
