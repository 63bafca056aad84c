// SPDX-License-Identifier: Apache-2.0
#include "moves/vectors.h"

#include "tir/transposed_tile.h"

namespace lathe::moves {

using schedule::LoopRef;
using schedule::Number;
using schedule::Schedule;

LoopRef vectorizeBy(Schedule& schedule, LoopRef loop, const Number& width) {
    const std::vector<LoopRef> parts = schedule.split(loop, {-1, width});
    schedule.vectorize(parts[1]);
    return parts[0];
}

void tileTranspose(Schedule& schedule, std::vector<LoopRef>& loops, size_t axis, const Number& rows) {
    const std::vector<LoopRef> parts = schedule.split(loops[axis], {-1, rows});
    if (rows <= tir::mostRows)
        schedule.unroll(parts[1]);
    loops[axis] = parts[0];
    std::vector<LoopRef> order(loops.begin() + static_cast<std::ptrdiff_t>(axis) + 1, loops.end());
    order.push_back(parts[1]);
    schedule.reorder(order);
}

} // namespace lathe::moves
