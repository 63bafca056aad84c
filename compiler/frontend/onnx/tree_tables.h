// SPDX-License-Identifier: Apache-2.0
//
// Decision trees as branches, leaves and votes, and as the tables that relay's TreeEnsemble walks (topi/trees.cpp says what
// these hold).
#pragma once

#include "frontend/common/node_reader.h"

#include <optional>

namespace lathe::frontend::onnx {

inline constexpr const char* brokenTrees = "the model is malformed; export it again";
inline constexpr size_t mostTreeEntries = size_t{1} << 28; // nodes, votes and members: what tables count in 32 bits

/// Of comparing a value with a split; a set of them is their sum.
enum TreeOutcome : int32_t { Less = 1, Equal = 2, Greater = 4, Missing = 8 };

/// A branch; children are branches, or, as -1 - leaf, leaves.
struct TreeBranch {
    int64_t feature = 0;
    int32_t outcomes = 0;
    int64_t whenTrue = 0, whenFalse = 0;
    double split = 0;
    std::vector<double> members; // instead of the split: whether the value is one of these
    bool ofMembers = false;
};

struct Forest {
    std::vector<TreeBranch> branches;
    std::vector<int64_t> roots; // as children
    int64_t leaves = 0;
};

/// What a leaf has for a target; votes of a leaf are counted in their order.
struct TreeVote {
    size_t leaf;
    int64_t target;
    double weight;
    size_t order;
};

struct TreeTables {
    std::vector<int32_t> nodes; // four a node
    std::vector<double> splits;
    std::vector<int32_t> roots, votes{0}, targets;
    std::vector<double> weights;
    int64_t features = 0;         // columns that are looked at: up to this one
    bool isDouble = false;        // splits or weights are given in float64
    std::vector<bool> isVotedFor; // by target
};

/// The forest in tables, tree by tree, parents before their children; `tables` is what else is known of them. Nothing, and
/// a fault, if a node is reached twice, names no node or no feature, or a vote no target.
std::optional<TreeTables> laidOut(NodeReader& node, const Forest& forest, std::vector<TreeVote> votes, int64_t targets,
                                  TreeTables tables);

/// What the trees vote for each row of x [n, features], in float64: [n, targets]; aggregate: sum, min or max.
Var votesOf(Builder& b, Var x, const TreeTables& trees, const std::string& aggregate);

} // namespace lathe::frontend::onnx
