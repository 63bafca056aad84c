// SPDX-License-Identifier: Apache-2.0
//
// A graph shrinks while it is reduced; what was taken out lies on a stack, and gets its option when those that it was taken out
// beside have theirs.
#include "tune/pbqp.h"

#include "base/result.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>

namespace lathe::tune {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr size_t mostNodesOfCore = 128; // that branch and bound is tried on: each level of it has a copy

using Costs = std::vector<double>;
using Choice = std::map<size_t, size_t>; // node -> option

double least(const Costs& costs) {
    return *std::ranges::min_element(costs);
}

size_t best(const Costs& costs) {
    return static_cast<size_t>(std::ranges::min_element(costs) - costs.begin());
}

/// [own options, options of the neighbour]. An edge has one at each end.
struct CostMatrix {
    size_t rows = 0, columns = 0;
    Costs costs;

    double& at(size_t i, size_t j) { return costs[i * columns + j]; }
    double at(size_t i, size_t j) const { return costs[i * columns + j]; }
    CostMatrix turned() const {
        CostMatrix other{columns, rows, Costs(costs.size())};
        for (size_t i = 0; i < rows; ++i)
            for (size_t j = 0; j < columns; ++j)
                other.at(j, i) = at(i, j);
        return other;
    }
};

struct Node {
    Costs costs;
    std::map<size_t, CostMatrix> edges; // by neighbour

    /// What each option costs beside what the neighbours have.
    Costs beside(const Choice& choice) const {
        Costs all = costs;
        for (const auto& [other, matrix] : edges)
            for (size_t i = 0; i < all.size(); ++i)
                all[i] += matrix.at(i, choice.at(other));
        return all;
    }
};

class Graph {
public:
    explicit Graph(uint64_t& steps) : steps_(&steps) {}
    Graph(const Pbqp& problem, uint64_t& steps) : steps_(&steps) {
        for (size_t i = 0; i < problem.nodes.size(); ++i) {
            nodes_[i].costs = problem.nodes[i];
            changed_.insert(i);
        }
        for (const Pbqp::Edge& edge : problem.edges)
            connect(edge.a, edge.b, {problem.nodes[edge.a].size(), problem.nodes[edge.b].size(), edge.costs});
    }

    const std::map<size_t, Node>& nodes() const { return nodes_; }

    /// How many costs there are.
    uint64_t size() const {
        uint64_t count = 0;
        for (const auto& [id, node] : nodes_) {
            count += node.costs.size();
            for (const auto& [other, matrix] : node.edges)
                count += matrix.costs.size();
        }
        return count;
    }

    /// Until no node has fewer than three neighbours.
    void reduce() {
        while (!changed_.empty()) {
            const size_t id = *changed_.begin();
            changed_.erase(changed_.begin());
            simplify(id);
            if (nodes_.at(id).edges.size() <= 2)
                takeOut(id);
        }
    }

    /// The node has this option; its edges become costs of its neighbours.
    void fix(size_t id, size_t option) {
        const Node node = detach(id);
        for (const auto& [other, matrix] : node.edges) {
            Costs& costs = nodes_.at(other).costs;
            for (size_t j = 0; j < costs.size(); ++j)
                costs[j] += matrix.at(option, j);
            *steps_ += costs.size();
        }
    }

    /// The most neighbours; of several the fewest options.
    size_t busiest() const {
        const auto rank = [](const auto& each) {
            return std::pair(each.second.edges.size(), -static_cast<std::ptrdiff_t>(each.second.costs.size()));
        };
        return std::ranges::max_element(nodes_, {}, rank)->first;
    }

    /// What each option of the node costs at least, with the best of each neighbour alone.
    Costs bounds(size_t id) const {
        const Node& node = nodes_.at(id);
        Costs all = node.costs;
        for (const auto& [other, matrix] : node.edges) {
            const Costs& costs = nodes_.at(other).costs;
            for (size_t i = 0; i < all.size(); ++i) {
                double cheapest = infinity;
                for (size_t j = 0; j < costs.size(); ++j)
                    cheapest = std::min(cheapest, matrix.at(i, j) + costs[j]);
                all[i] += cheapest;
            }
            *steps_ += matrix.costs.size();
        }
        return all;
    }

    /// No choice costs less, what was taken out included. Edges say nothing of that: simplify() left zeros in each row and
    /// column.
    double bound() const {
        double sum = alone_;
        for (const auto& [id, node] : nodes_) {
            sum += least(node.costs);
            *steps_ += node.costs.size();
        }
        return sum;
    }

    /// Each with the nodes that hang together.
    std::vector<Graph> components() const {
        std::vector<Graph> parts;
        std::set<size_t> seen;
        for (const auto& [first, ignored] : nodes_) {
            if (seen.contains(first))
                continue;
            Graph& part = parts.emplace_back(*steps_);
            std::vector<size_t> waiting{first};
            seen.insert(first);
            while (!waiting.empty()) {
                const size_t id = waiting.back();
                waiting.pop_back();
                const Node& node = part.nodes_[id] = nodes_.at(id);
                *steps_ += node.costs.size();
                for (const auto& [other, matrix] : node.edges) {
                    *steps_ += matrix.costs.size();
                    if (seen.insert(other).second)
                        waiting.push_back(other);
                }
            }
        }
        return parts;
    }

    /// Options for what was taken out, the last first, beside those that are chosen.
    void putBack(Choice& choice) const {
        for (auto taken = taken_.rbegin(); taken != taken_.rend(); ++taken)
            choice[taken->first] = best(taken->second.beside(choice));
    }

private:
    void connect(size_t a, size_t b, const CostMatrix& matrix) {
        *steps_ += matrix.costs.size();
        const auto add = [](CostMatrix& to, const CostMatrix& more) {
            if (to.costs.empty()) {
                to = more;
                return;
            }
            for (size_t i = 0; i < to.costs.size(); ++i)
                to.costs[i] += more.costs[i];
        };
        add(nodes_.at(a).edges[b], matrix);
        add(nodes_.at(b).edges[a], matrix.turned());
    }

    Node detach(size_t id) {
        Node node = std::move(nodes_.extract(id).mapped());
        for (const auto& [other, matrix] : node.edges) {
            nodes_.at(other).edges.erase(id);
            changed_.insert(other);
        }
        return node;
    }

    /// Takes the least of each row, then of each column, out of the node's edges to costs of the nodes. An edge that is left
    /// with zeros goes.
    void simplify(size_t id) {
        Node& node = nodes_.at(id);
        for (auto edge = node.edges.begin(); edge != node.edges.end();) {
            Node& other = nodes_.at(edge->first);
            CostMatrix& matrix = edge->second;
            *steps_ += matrix.costs.size();
            for (size_t i = 0; i < matrix.rows; ++i) {
                double lowest = infinity;
                for (size_t j = 0; j < matrix.columns; ++j)
                    lowest = std::min(lowest, matrix.at(i, j));
                node.costs[i] += lowest;
                for (size_t j = 0; j < matrix.columns; ++j)
                    matrix.at(i, j) = std::isinf(lowest) ? 0 : matrix.at(i, j) - lowest;
            }
            for (size_t j = 0; j < matrix.columns; ++j) {
                double lowest = infinity;
                for (size_t i = 0; i < matrix.rows; ++i)
                    lowest = std::min(lowest, matrix.at(i, j));
                other.costs[j] += lowest;
                for (size_t i = 0; i < matrix.rows; ++i)
                    matrix.at(i, j) = std::isinf(lowest) ? 0 : matrix.at(i, j) - lowest;
            }
            if (std::ranges::all_of(matrix.costs, [](double cost) { return cost == 0; })) {
                other.edges.erase(id);
                changed_.insert(edge->first);
                edge = node.edges.erase(edge);
            } else {
                other.edges[id] = matrix.turned();
                ++edge;
            }
        }
    }

    /// A node with two neighbours at most.
    void takeOut(size_t id) {
        Node node = detach(id);
        const auto first = node.edges.begin();
        if (node.edges.empty()) {
            alone_ += least(node.costs);
        } else if (node.edges.size() == 1) {
            Costs& costs = nodes_.at(first->first).costs;
            *steps_ += first->second.costs.size();
            for (size_t i = 0; i < costs.size(); ++i) {
                double cheapest = infinity;
                for (size_t k = 0; k < node.costs.size(); ++k)
                    cheapest = std::min(cheapest, node.costs[k] + first->second.at(k, i));
                costs[i] += cheapest;
            }
        } else {
            const auto second = std::next(first);
            CostMatrix between{first->second.columns, second->second.columns, {}};
            between.costs.assign(between.rows * between.columns, infinity);
            *steps_ += between.costs.size() * node.costs.size();
            for (size_t i = 0; i < between.rows; ++i)
                for (size_t j = 0; j < between.columns; ++j)
                    for (size_t k = 0; k < node.costs.size(); ++k)
                        between.at(i, j) = std::min(between.at(i, j),
                                                    node.costs[k] + first->second.at(k, i) + second->second.at(k, j));
            connect(first->first, second->first, between);
        }
        taken_.emplace_back(id, std::move(node));
    }

    std::map<size_t, Node> nodes_;
    double alone_ = 0;                           // of what was taken out without a neighbour
    std::set<size_t> changed_;                   // of them, since they were reduced
    std::vector<std::pair<size_t, Node>> taken_; // with their edges of then
    uint64_t* steps_;
};

/// The busiest node takes what is best with the best of each neighbour, and what that leaves is reduced; so on.
Choice greedy(Graph graph) {
    Choice choice;
    for (graph.reduce(); !graph.nodes().empty(); graph.reduce()) {
        const size_t id = graph.busiest();
        const size_t option = choice[id] = best(graph.bounds(id));
        graph.fix(id, option);
    }
    graph.putBack(choice);
    return choice;
}

double costOf(const Graph& graph, const Choice& choice) {
    double cost = 0;
    for (const auto& [id, node] : graph.nodes()) {
        cost += node.costs[choice.at(id)];
        for (const auto& [other, matrix] : node.edges)
            if (other > id)
                cost += matrix.at(choice.at(id), choice.at(other));
    }
    return cost;
}

/// Each node once more, beside what the others have.
void improve(const Graph& graph, Choice& choice) {
    for (const auto& [id, node] : graph.nodes()) {
        const Costs costs = node.beside(choice);
        if (const size_t other = best(costs); costs[other] < costs[choice[id]])
            choice[id] = other;
    }
}

class BranchAndBound {
public:
    BranchAndBound(uint64_t& steps, uint64_t most) : steps_(steps), most_(most) {}

    bool isExhausted() const { return steps_ > most_; }

    /// A choice that costs less than `limit`, the best unless exhausted; none if there is none.
    std::optional<Choice> solve(Graph graph, double limit) {
        graph.reduce();
        std::vector<Graph> parts = graph.components();
        double bound = graph.bound(); // by the costs of the parts that are solved
        Choice choice;
        for (const Graph& part : parts) {
            const double own = part.bound();
            std::optional<Choice> found = bound < limit ? branch(part, limit - (bound - own)) : std::nullopt;
            if (!found)
                return std::nullopt;
            bound += costOf(part, *found) - own;
            choice.merge(*found);
        }
        if (!(bound < limit))
            return std::nullopt;
        graph.putBack(choice);
        return choice;
    }

    /// The same of a graph that hangs together and cannot be reduced.
    std::optional<Choice> branch(const Graph& graph, double limit) {
        const size_t id = graph.busiest();
        double others = 0; // of those that the node has no edge to
        for (const auto& [other, node] : graph.nodes())
            if (other != id && !node.edges.contains(id))
                others += least(node.costs);
        const Costs bounds = graph.bounds(id);
        std::vector<size_t> order(bounds.size());
        std::iota(order.begin(), order.end(), size_t{0});
        std::ranges::sort(order, {}, [&](size_t option) { return std::pair(bounds[option], option); });
        std::optional<Choice> found;
        for (const size_t option : order) {
            if (!(bounds[option] + others < limit) || isExhausted())
                break;
            const double own = graph.nodes().at(id).costs[option];
            Graph rest = graph;
            steps_ += rest.size();
            rest.fix(id, option);
            if (std::optional<Choice> below = solve(std::move(rest), limit - own)) {
                (*below)[id] = option;
                limit = costOf(graph, *below);
                found = std::move(below);
            }
        }
        return found;
    }

private:
    uint64_t& steps_;
    uint64_t most_;
};

void require(const Pbqp& problem) {
    const auto good = [](double cost) { return !std::isnan(cost) && cost > -infinity; };
    for (const Costs& costs : problem.nodes)
        LATHE_ASSERT(!costs.empty() && std::ranges::all_of(costs, good), "a node has options with costs");
    const size_t count = problem.nodes.size();
    for (const Pbqp::Edge& edge : problem.edges)
        LATHE_ASSERT(edge.a < count && edge.b < count && edge.a != edge.b &&
                         edge.costs.size() == problem.nodes[edge.a].size() * problem.nodes[edge.b].size() &&
                         std::ranges::all_of(edge.costs, good),
                     "an edge joins two nodes, with a cost for each pair of options");
}

} // namespace

double Pbqp::cost(std::span<const size_t> chosen) const {
    double sum = 0;
    for (size_t i = 0; i < nodes.size(); ++i)
        sum += nodes[i][chosen[i]];
    for (const Edge& edge : edges)
        sum += edge.costs[chosen[edge.a] * nodes[edge.b].size() + chosen[edge.b]];
    return sum;
}

PbqpSolution solve(const Pbqp& problem, uint64_t mostSteps) {
    require(problem);
    PbqpSolution solution;
    const Graph whole(problem, solution.steps);
    Graph core = whole;
    core.reduce();
    Choice choice;
    BranchAndBound exact(solution.steps, mostSteps);
    for (const Graph& part : core.components()) {
        Choice found = greedy(part);
        improve(part, found);
        if (part.nodes().size() <= mostNodesOfCore)
            if (std::optional<Choice> better = exact.branch(part, costOf(part, found)))
                found = std::move(*better);
        solution.optimal &= part.nodes().size() <= mostNodesOfCore && !exact.isExhausted();
        choice.merge(found);
    }
    core.putBack(choice);
    for (const auto& [id, option] : choice)
        solution.chosen.push_back(option);
    solution.cost = problem.cost(solution.chosen);
    return solution;
}

} // namespace lathe::tune
