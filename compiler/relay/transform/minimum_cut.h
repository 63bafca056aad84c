// SPDX-License-Identifier: Apache-2.0
//
// Choices between two ways each, where what two of them cost together depends on both: the cheapest are a minimum cut
// of a graph. A node stays on the side of `keep` or changes to that of `change`; an edge costs what it holds where it
// leads from one that keeps to one that changes.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace lathe::relay::transform {

class MinimumCut {
public:
    static constexpr int keep = 0, change = 1;
    static constexpr double never = std::numeric_limits<double>::infinity();

    int add();
    /// `cost` is paid where `from` keeps and `to` changes; `never` forbids it.
    void edge(int from, int to, double cost);
    /// Whether each node changes; of several cheapest answers that in which the fewest do. Takes looks at edges from
    /// `steps`; nothing where those do not suffice.
    std::optional<std::vector<bool>> solve(int64_t& steps);

private:
    struct Edge {
        int to;
        double left;
    };
    std::vector<Edge> edges_; // each beside its reverse: i and i ^ 1
    std::vector<std::vector<int>> out_{2};
    std::vector<int> level_;
    std::vector<size_t> next_;

    bool findLevels(int64_t& steps);
    void blockingFlow(int64_t& steps);
    int tailOf(int edge) const { return edges_[static_cast<size_t>(edge ^ 1)].to; }
};

} // namespace lathe::relay::transform
