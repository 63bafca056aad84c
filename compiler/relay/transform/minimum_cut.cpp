// SPDX-License-Identifier: Apache-2.0
//
// Dinic's algorithm: flows along shortest ways, all of one length at a time. Ways are lists, never recursion.
#include "relay/transform/minimum_cut.h"

#include <algorithm>

namespace lathe::relay::transform {

int MinimumCut::add() {
    out_.emplace_back();
    return static_cast<int>(out_.size()) - 1;
}

void MinimumCut::edge(int from, int to, double cost) {
    out_[static_cast<size_t>(from)].push_back(static_cast<int>(edges_.size()));
    edges_.push_back({to, cost});
    out_[static_cast<size_t>(to)].push_back(static_cast<int>(edges_.size()));
    edges_.push_back({from, 0});
}

/// Lengths of the shortest ways from `keep`; whether one leads to `change`.
bool MinimumCut::findLevels(int64_t& steps) {
    level_.assign(out_.size(), -1);
    level_[keep] = 0;
    std::vector<int> open{keep};
    for (size_t at = 0; at < open.size(); ++at)
        for (int edge : out_[static_cast<size_t>(open[at])]) {
            --steps;
            const Edge& each = edges_[static_cast<size_t>(edge)];
            int& level = level_[static_cast<size_t>(each.to)];
            if (each.left > 0 && level < 0) {
                level = level_[static_cast<size_t>(open[at])] + 1;
                open.push_back(each.to);
            }
        }
    return level_[change] >= 0;
}

void MinimumCut::blockingFlow(int64_t& steps) {
    next_.assign(out_.size(), 0);
    std::vector<int> way;
    int node = keep;
    while (steps > 0) {
        if (node == change) {
            double flow = never;
            for (int edge : way)
                flow = std::min(flow, edges_[static_cast<size_t>(edge)].left);
            steps -= static_cast<int64_t>(way.size());
            size_t full = way.size();
            for (size_t i = way.size(); i-- > 0;) {
                const auto edge = static_cast<size_t>(way[i]);
                edges_[edge].left -= flow;
                edges_[edge ^ 1].left += flow;
                if (edges_[edge].left <= 0)
                    full = i;
            }
            node = tailOf(way[full]);
            way.resize(full);
            continue;
        }
        const auto at = static_cast<size_t>(node);
        const auto leads = [&](int edge) {
            const Edge& each = edges_[static_cast<size_t>(edge)];
            return each.left > 0 && level_[static_cast<size_t>(each.to)] == level_[at] + 1;
        };
        while (next_[at] < out_[at].size() && !leads(out_[at][next_[at]])) {
            ++next_[at];
            --steps;
        }
        if (next_[at] < out_[at].size()) {
            way.push_back(out_[at][next_[at]]);
            node = edges_[static_cast<size_t>(way.back())].to;
        } else if (way.empty()) {
            return;
        } else {
            level_[at] = -1;
            node = tailOf(way.back());
            way.pop_back();
        }
        --steps;
    }
}

std::optional<std::vector<bool>> MinimumCut::solve(int64_t& steps) {
    while (steps > 0 && findLevels(steps))
        blockingFlow(steps);
    if (steps <= 0)
        return std::nullopt;
    // What still leads to `change` has to be on its side; all else may keep.
    std::vector<bool> changes(out_.size());
    changes[change] = true;
    std::vector<int> open{change};
    for (size_t at = 0; at < open.size(); ++at)
        for (int edge : out_[static_cast<size_t>(open[at])]) {
            const auto from = static_cast<size_t>(edges_[static_cast<size_t>(edge)].to);
            if (!changes[from] && edges_[static_cast<size_t>(edge ^ 1)].left > 0) {
                changes[from] = true;
                open.push_back(static_cast<int>(from));
            }
        }
    return changes;
}

} // namespace lathe::relay::transform
