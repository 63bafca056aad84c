// SPDX-License-Identifier: Apache-2.0
#include "tune/rules/axes.h"

#include "arith/analysis.h"
#include "moves/limits.h"
#include "tir/access.h"

#include <algorithm>

namespace lathe::tune {

int64_t extentOf(const tir::IterVar& iter) {
    return std::clamp<int64_t>(arith::bounds(iter.extent).upper, 1, moves::endlessExtent);
}

int64_t panelAlong(const tir::Block& body, const arith::Var& var) {
    for (const tir::AccessPattern& read : readsOf(body))
        if (const auto panel = read.panel.find(var.get()); panel != read.panel.end() && read.constantStride(var) == 1)
            return panel->second;
    return 0;
}

int64_t groupAlong(const tir::Block& body, const arith::Var& var) {
    for (const tir::AccessPattern& read : readsOf(body))
        if (const auto steady = read.steady.find(var.get()); steady != read.steady.end())
            return steady->second;
    return 0;
}

bool movesVectors(const tir::Block& body, const arith::Var& column, const arith::Var& var) {
    return std::ranges::any_of(readsOf(body), [&](const tir::AccessPattern& read) {
        return read.constantStride(column).value_or(0) > 0 && read.uses(var);
    });
}

std::vector<size_t> vectorAxes(const tir::Block& body) {
    const tir::Store* store = onlyStore(body);
    if (!store)
        return {};
    const tir::AccessPattern output = accessPatternOf(store->buffer, store->indices, body);
    const std::vector<tir::AccessPattern> reads = readsOf(body);
    std::vector<size_t> panels, others;
    for (size_t i = 0; i < body.iters.size(); ++i) {
        const tir::IterVar& iter = body.iters[i];
        const bool steps = std::ranges::all_of(reads, [&](const tir::AccessPattern& read) {
            const auto stride = read.constantStride(iter.var);
            return stride && *stride >= 0 && *stride <= moves::widestStep;
        });
        if (!isSpatial(iter) || extentOf(iter) < 2 || !steps)
            continue;
        if (panelAlong(body, iter.var) > 0)
            panels.push_back(i);
        else if (output.constantStride(iter.var) == 1)
            others.push_back(i);
    }
    panels.insert(panels.end(), others.begin(), others.end());
    return panels;
}

} // namespace lathe::tune
