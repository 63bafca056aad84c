// SPDX-License-Identifier: Apache-2.0
#include "moves/registers.h"

#include "moves/storage.h"

namespace lathe::moves {

using schedule::BlockRef;
using schedule::LoopRef;
using schedule::Schedule;

int64_t accumulatedRows(int64_t vectors, int64_t registers) {
    return (registers - 1 - vectors) / vectors;
}

BlockRef accumulate(Schedule& schedule, const BlockRef& block, const std::optional<BlockRef>& epilogue,
                    const arith::Var& column) {
    if (epilogue)
        schedule.setScope(block, 0, tir::Scope::Local);
    const BlockRef consumer = epilogue ? *epilogue : schedule.cacheWrite(block, 0, tir::Scope::Local);
    innermostInStorage(schedule, block, column);
    return consumer;
}

void inRegisters(Schedule& schedule, const BlockRef& block, size_t unrolled) {
    const std::vector<LoopRef> loops = schedule.loops(block);
    schedule.vectorize(loops.back());
    for (size_t i = 0; i < unrolled; ++i)
        schedule.unroll(loops[loops.size() - 2 - i]);
}

} // namespace lathe::moves
