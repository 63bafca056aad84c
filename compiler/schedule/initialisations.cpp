// SPDX-License-Identifier: Apache-2.0
#include "schedule/initialisations.h"

#include "arith/analysis.h"

#include <algorithm>

namespace lathe::schedule {

void decomposeReductions(Schedule& schedule, std::vector<Refusal>& refusals) {
    for (const BlockRef& block : schedule.blocks()) {
        const tir::Block body = schedule.get(block);
        if (!body.init)
            continue;
        auto reduces = [&](LoopRef loop) {
            return std::any_of(body.iters.begin(), body.iters.end(), [&](const tir::IterVar& iter) {
                return iter.kind == tir::IterKind::Reduce && arith::mentions(iter.binding, schedule.get(loop).var);
            });
        };
        std::vector<LoopRef> loops = schedule.loops(block);
        if (auto first = std::find_if(loops.begin(), loops.end(), reduces); first != loops.end())
            attempt(schedule, "initialisation", block, refusals,
                    [&](Schedule& s) { s.decomposeReduction(block, *first); });
    }
}

} // namespace lathe::schedule
