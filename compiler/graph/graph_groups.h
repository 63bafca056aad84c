// SPDX-License-Identifier: Apache-2.0
//
// A graph as a tree of groups, so that one of any size is read from an overview downwards. Groups are what the model itself
// says: functions that were called, and the parts of node names ("/encoder/layer.0/attention/MatMul"). Where it says nothing,
// or a level is still too large, they are found: runs of blocks that repeat (layers), cut where the fewest values cross, and
// what does not repeat in parts. Groups of equal structure have equal hashes; their pictures are laid out once.
#pragma once

#include "base/hash.h"
#include "graph/graph_flow.h"

#include <memory>
#include <string>
#include <vector>

namespace lathe::graph {

/// A level with more children than this is divided.
inline constexpr int mostChildren = 400;

enum class GroupStyle {
    Overview, // for reading downwards from the outermost groups
    /// The scopes of nodes and nothing else, as long as a level is not too large: each one around what it has, however small.
    Scopes,
};

/// One of the two is set: the position of a node in its graph, or a group.
struct GroupChild {
    int node = -1, group = -1;
    bool operator==(const GroupChild&) const = default;
};

struct Group {
    std::string name; // among its siblings: "layer.3", "block 4"
    int parent = -1;
    std::vector<GroupChild> children; // in the order of the graph
    int nodes = 0;                    // in it, at any depth
    /// Of operators, how many values they read and write, and who reads whom, at any depth; neither names nor sizes.
    Hash128 structure;
};

struct GroupTree {
    std::vector<Group> groups;    // [0] is the whole graph; the others come after their parents
    std::vector<int> groupOfNode; // by position: the innermost

    /// The groups around a group or node, outermost first; without the whole graph, with the group itself.
    std::vector<int> wayToGroup(int group) const;
    std::vector<int> wayToNode(int position) const { return wayToGroup(groupOfNode[size_t(position)]); }
    /// Positions of the nodes in a group, in the order of its children.
    std::vector<int> nodesOf(int group) const;
};

/// A little more than linear in the nodes; makes no picture.
GroupTree groupsOf(const model::Graph& graph, const GraphFlow& flow, GroupStyle style = GroupStyle::Overview);

/// A graph of a model with who reads what in it, and its groups. Does not change.
struct GroupedGraph {
    model::ModelGraphPtr model;
    std::shared_ptr<const model::Graph> graph;
    GroupStyle style = GroupStyle::Overview;
    GraphFlow flow;
    GroupTree tree;
};
using GroupedGraphPtr = std::shared_ptr<const GroupedGraph>;

/// As `groupsOf`. Both must be given; the graph is the model's, or one nested in it.
GroupedGraphPtr groupedGraph(model::ModelGraphPtr model, std::shared_ptr<const model::Graph> graph,
                             GroupStyle style = GroupStyle::Overview);

} // namespace lathe::graph
