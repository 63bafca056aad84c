// SPDX-License-Identifier: Apache-2.0
#include "moves/storage.h"

#include "schedule/schedule_loops.h"
#include "tir/access.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::moves {

using schedule::BlockRef;
using schedule::LoopRef;
using schedule::Schedule;

void innermostInStorage(Schedule& schedule, const BlockRef& block, size_t dim, int64_t panel) {
    const size_t dims = onlyStore(schedule.get(block))->indices.size();
    if (panel == 0 && dim + 1 == dims)
        return;
    std::vector<arith::Var> vars;
    std::vector<arith::Expr> map;
    for (size_t i = 0; i < dims; ++i) {
        vars.push_back(arith::var(fmt::format("i{}", i)));
        if (i != dim)
            map.push_back(vars.back());
        else if (panel > 0)
            map.push_back(arith::floorDiv(vars.back(), panel));
    }
    map.push_back(panel > 0 ? arith::floorMod(vars[dim], panel) : arith::Expr(vars[dim]));
    schedule.transformLayout(block, 0, vars, map);
}

void innermostInStorage(Schedule& schedule, const BlockRef& block, const arith::Var& var) {
    const std::vector<arith::Expr>& indices = onlyStore(schedule.get(block))->indices;
    const auto along = [&](const arith::Expr& index) { return var.same(index); };
    if (std::ranges::count_if(indices, along) == 1)
        innermostInStorage(schedule, block,
                           static_cast<size_t>(std::ranges::find_if(indices, along) - indices.begin()));
}

BlockRef packOperand(Schedule& schedule, const BlockRef& block, const tir::BufferPtr& operand, size_t dim,
                     tir::Scope scope, int64_t panel) {
    const std::vector<tir::Region>& reads = schedule.get(block).reads;
    const auto read = std::ranges::find(reads, operand, &tir::Region::buffer);
    const BlockRef copy = schedule.cacheRead(block, static_cast<int>(read - reads.begin()), scope);
    innermostInStorage(schedule, copy, dim, panel);
    return copy;
}

void vectorizePacking(Schedule& schedule, const BlockRef& copy, std::optional<LoopRef> columns, const Target& target) {
    const LoopRef inner = schedule.loops(copy).back();
    const int64_t lanes = lanesOf(schedule.get(copy), target);
    if (mostIterations(schedule, inner) < lanes)
        return;
    const std::vector<LoopRef> parts = schedule.split(inner, {-1, lanes});
    if (columns)
        schedule.reorder({parts[0], *columns, parts[1]});
    schedule.vectorize(parts[1]);
}

} // namespace lathe::moves
