// SPDX-License-Identifier: Apache-2.0
#include "frontend/onnx/tree_tables.h"

#include "frontend/common/emit.h"

#include <fmt/format.h>

#include <algorithm>

namespace lathe::frontend::onnx {
namespace {

/// Children for parents, from the roots on. A test for members becomes tests for each, one after the other.
class TreeLayout {
public:
    TreeLayout(NodeReader& node, const Forest& forest, TreeTables& tables)
        : node_(node), forest_(forest), tables_(tables), place_(forest.branches.size(), -1) {}

    bool run() {
        std::vector<int64_t> order; // as they will stand
        for (const int64_t root : forest_.roots) {
            const size_t begin = order.size();
            if (!reach(root, order))
                return false;
            for (size_t i = begin; i < order.size(); ++i) {
                const TreeBranch& branch = forest_.branches[static_cast<size_t>(order[i])];
                if (!reach(branch.whenTrue, order) || !reach(branch.whenFalse, order))
                    return false;
            }
        }
        for (const int64_t at : order)
            write(forest_.branches[static_cast<size_t>(at)]);
        for (const int64_t root : forest_.roots)
            tables_.roots.push_back(placed(root));
        return true;
    }

private:
    NodeReader& node_;
    const Forest& forest_;
    TreeTables& tables_;
    std::vector<int32_t> place_; // in the tables, by branch; -1: not reached
    size_t places_ = 0;

    bool reach(int64_t child, std::vector<int64_t>& order) {
        const auto branches = static_cast<int64_t>(forest_.branches.size());
        if (child >= branches || child < -forest_.leaves) {
            node_.fail("a branch of a tree leads to a node, or a leaf, that there is not", brokenTrees);
            return false;
        }
        if (child < 0)
            return true;
        int32_t& place = place_[static_cast<size_t>(child)];
        const size_t tests = std::max<size_t>(forest_.branches[static_cast<size_t>(child)].members.size(), 1);
        if (place >= 0 || places_ + tests > mostTreeEntries) {
            node_.fail(place >= 0 ? "two branches of the trees lead to one node" : "the trees have too many nodes",
                       brokenTrees);
            return false;
        }
        place = static_cast<int32_t>(places_);
        places_ += tests;
        order.push_back(child);
        return true;
    }

    int32_t placed(int64_t child) const {
        return static_cast<int32_t>(child < 0 ? child : place_[static_cast<size_t>(child)]);
    }

    void write(const TreeBranch& branch) {
        tables_.features = std::max(tables_.features, branch.feature + 1);
        const auto test = [&](int32_t outcomes, double split, int32_t whenFalse) {
            tables_.nodes.insert(tables_.nodes.end(),
                                 {static_cast<int32_t>(branch.feature), outcomes, placed(branch.whenTrue), whenFalse});
            tables_.splits.push_back(split);
        };
        if (!branch.ofMembers)
            return test(branch.outcomes, branch.split, placed(branch.whenFalse));
        const int32_t missing = branch.outcomes & Missing;
        if (branch.members.empty())
            test(missing, 0, placed(branch.whenFalse));
        for (size_t i = 0; i < branch.members.size(); ++i) {
            const bool isLast = i + 1 == branch.members.size();
            const auto next = static_cast<int32_t>(tables_.splits.size()) + 1;
            test(Equal | missing, branch.members[i], isLast ? placed(branch.whenFalse) : next);
        }
    }
};

/// Votes as a table by leaf; of one leaf they keep their order.
bool writeVotes(NodeReader& node, std::vector<TreeVote> votes, int64_t leaves, int64_t targets, TreeTables& tables) {
    std::ranges::sort(votes, {}, [](const TreeVote& vote) { return std::pair(vote.leaf, vote.order); });
    tables.isVotedFor.assign(static_cast<size_t>(targets), false);
    size_t next = 0;
    for (size_t leaf = 0; leaf < static_cast<size_t>(leaves); ++leaf) {
        for (; next < votes.size() && votes[next].leaf == leaf; ++next) {
            if (votes[next].target < 0 || votes[next].target >= targets) {
                node.fail(fmt::format("a vote is for target {} of {}", votes[next].target, targets), brokenTrees);
                return false;
            }
            tables.isVotedFor[static_cast<size_t>(votes[next].target)] = true;
            tables.targets.push_back(static_cast<int32_t>(votes[next].target));
            tables.weights.push_back(votes[next].weight);
        }
        tables.votes.push_back(static_cast<int32_t>(next));
    }
    return true;
}

template <class T>
int64_t countOf(const std::vector<T>& table) {
    return static_cast<int64_t>(table.size());
}

Var treeTable(Builder& b, const std::vector<int32_t>& values) {
    return listConstant(b, types::Int32, {countOf(values)}, values);
}

} // namespace

/// The forest as tables; features must be columns that a tensor can have.
std::optional<TreeTables> laidOut(NodeReader& node, const Forest& forest, std::vector<TreeVote> votes, int64_t targets,
                                  TreeTables tables) {
    for (const TreeBranch& branch : forest.branches)
        if (branch.feature < 0 || branch.feature >= static_cast<int64_t>(mostTreeEntries)) {
            node.fail(fmt::format("a node looks at feature {}", branch.feature), brokenTrees);
            return std::nullopt;
        }
    if (node.failed() || !writeVotes(node, std::move(votes), forest.leaves, targets, tables) ||
        !TreeLayout(node, forest, tables).run())
        return std::nullopt;
    return tables;
}

Var votesOf(Builder& b, Var x, const TreeTables& trees, const std::string& aggregate) {
    if (!needRank(b, x, 2))
        return {};
    x = assume(b, x, arith::ge(dim(b, x, 1), trees.features),
               fmt::format("the input has the {} features that the trees look at", trees.features));
    if (b.failed())
        return {};
    const DataType work = trees.isDouble || b.dtype(x) == types::Float64 ? types::Float64 : types::Float32;
    relay::TreeAttrs attrs;
    attrs.aggregate = aggregate;
    attrs.targets = static_cast<int64_t>(trees.isVotedFor.size());
    return b.call(Op::TreeEnsemble,
                  {cast(b, x, work), listConstant(b, types::Int32, {countOf(trees.splits), 4}, trees.nodes),
                   realConstant(b, work, {countOf(trees.splits)}, trees.splits), treeTable(b, trees.roots),
                   treeTable(b, trees.votes), treeTable(b, trees.targets),
                   realConstant(b, types::Float64, {countOf(trees.weights)}, trees.weights)},
                  attrs);
}

} // namespace lathe::frontend::onnx
