// SPDX-License-Identifier: Apache-2.0
#include "topi/short_rows.h"

#include "arith/analysis.h"
#include "tir/access.h"

#include <algorithm>

namespace lathe::topi {

using schedule::BlockRef;
using schedule::LoopRef;
using schedule::Schedule;

namespace {

/// Of a short row: each is a statement.
constexpr int64_t mostSteps = 32;

} // namespace

std::optional<RegisterTile> tileOfShortRows(const tir::Block& body, const Target& target) {
    const tir::Store* store = onlyStore(body);
    if (!store || !isReduction(body))
        return std::nullopt;
    int64_t steps = 1;
    RegisterTile tile;
    for (size_t i = 0; i < body.iters.size(); ++i) {
        const bool reduces = body.iters[i].kind == tir::IterKind::Reduce;
        const auto extent = arith::asInt(body.iters[i].extent);
        if (reduces && (!extent || *extent < 1 || (steps *= *extent) > mostSteps))
            return std::nullopt;
        if (!reduces && extent != 1)
            tile.vectorAxis = static_cast<int>(i);
        if (!reduces)
            tile.before.insert(static_cast<int>(i));
    }
    if (tile.vectorAxis < 0)
        return std::nullopt;
    tile.before.erase(tile.vectorAxis);
    const tir::IterVar& rows = body.iters[static_cast<size_t>(tile.vectorAxis)];
    bool follows = false, known = accessPatternOf(store->buffer, store->indices, body).constantStride(rows.var) == 1;
    for (const tir::AccessPattern& read : readsOf(body)) {
        known &= read.constantStride(rows.var).has_value();
        follows |= read.constantStride(body.iters.back().var) == 1 && read.constantStride(rows.var).value_or(0) > 1;
    }
    tile.width = lanesOfWidest(body, target);
    if (!known || !follows || arith::bounds(rows.extent).upper < tile.width ||
        steps >= 2 * target.lanesOf(types::Float32))
        return std::nullopt;
    return tile;
}

void unrollSteps(Schedule& schedule, const BlockRef& block) {
    const std::vector<LoopRef> loops = schedule.loops(block);
    const auto steps = std::ranges::count(schedule.get(block).iters, tir::IterKind::Reduce, &tir::IterVar::kind);
    for (size_t i = loops.size() - 1 - static_cast<size_t>(steps); i + 1 < loops.size(); ++i)
        schedule.unroll(loops[i]);
}

} // namespace lathe::topi
