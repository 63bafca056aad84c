// SPDX-License-Identifier: Apache-2.0
//
// A partitioned Boolean quadratic problem: for each node one of its options, so that the costs of what is chosen, and of what is
// chosen at both ends of each edge, come to least. Choosing layouts is one: an option is how an operator is computed and
// stored, an edge what it costs that the next one reads that.
//
// Nodes of degree 0, 1 and 2 are taken out without loss (Scholz and Eckstein, "Register Allocation for Irregular
// Architectures", LCTES 2002): what they would cost becomes a cost of their neighbours. Edges that say nothing beyond what can
// be said at their ends are taken away. What is left is a core; it is solved by branch and bound (Hames and Scholz, "Nearly
// Optimal Register Allocation with PBQP", JMLC 2006): one option of its busiest node after the other, reducing again. Where that
// takes too long, the core has what their heuristic finds: the busiest node takes what is best with the best of each
// neighbour, and so on; then each node once more takes the best beside what the others have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lathe::tune {

/// Costs are numbers, or infinity for what cannot be chosen; neither NaN nor −infinity.
struct Pbqp {
    struct Edge {
        size_t a = 0, b = 0;       // two nodes
        std::vector<double> costs; // [options of a, options of b]
    };
    std::vector<std::vector<double>> nodes; // of each option, one at least
    std::vector<Edge> edges;                // several between two nodes add up

    /// Of one option a node.
    double cost(std::span<const size_t> chosen) const;
};

struct PbqpSolution {
    std::vector<size_t> chosen; // an option a node
    double cost = 0;            // infinity: every choice costs that, as far as is known
    bool optimal = true;        // proved; else the best that was found
    uint64_t steps = 0;         // costs that were looked at: what it took
};

/// Branch and bound ends after `mostSteps`; the rest takes as many as the problem has costs, times a small number. The same
/// problem has the same solution. Throws InternalError if the problem is malformed.
PbqpSolution solve(const Pbqp& problem, uint64_t mostSteps = uint64_t{1} << 26);

} // namespace lathe::tune
