// SPDX-License-Identifier: GPL-3.0-or-later
//
// What is drawn of a graph of a model, or of one level of its groups: boxes and arrows as plain values, without places (see
// graph_layout.h). Constants live inside the boxes that read them, and so do values with many readers (hubs): long fan-out
// edges, not the number of nodes, are what makes layout slow and pictures unreadable.
#pragma once

#include "graph/graph_groups.h"

#include <QSizeF>
#include <QString>
#include <QStringList>
#include <unordered_map>
#include <vector>

namespace lathe::views::models {

// What pictures are made of.
using lathe::graph::FlowValue;
using lathe::graph::GraphFlow;
using lathe::graph::Group;
using lathe::graph::GroupChild;
using lathe::graph::GroupedGraph;
using lathe::graph::groupedGraph;
using lathe::graph::GroupedGraphPtr;
using lathe::graph::GroupStyle;
using lathe::graph::GroupTree;

struct GraphBox {
    /// Inputs and outputs are those of the graph, or in an open group the values that come from outside or go there.
    enum class Kind { Operator, Input, Output, Group };
    Kind kind = Kind::Operator;
    int modelNode = -1; // id in the ModelGraph; -1 for all but operators
    int group = -1;     // of a group: in the GroupTree
    int leadsTo = -1;   // of an open group's input or output: the id of the node at its other end
    QString title;      // the operator, or the name of the input, output or group
    QString subtitle;   // the node's name, or the type, or how many nodes
    QStringList lines;  // constants "W float32[64,3,7,7]", hubs "◂ mask", nested graphs
    model::Family family = model::Family::Other;
    bool hasNested = false;
    bool refused = false; // here or in a nested graph
    QString reason;
    QStringList reasonLines; // the reason as it fits into the box
    QSizeF size;             // in scene units, from the text
    QSizeF closedSize;       // of an open group: what its size would be if it were closed; else the size
    int lastBox = 0;         // the next box that is not in this one
    // Of an open group: what is drawn in it comes right behind it. The first `ownArrows` of its arrows run between its
    // children, the others between those of open groups among them.
    bool open = false;
    int firstArrow = 0, ownArrows = 0, lastArrow = 0;
};

struct GraphArrow {
    int from = 0, to = 0; // indices of boxes
    QString value;        // the model's value that flows, the first of several
    QString type = {};    // "float32[1,64,56,56]", as the model declares it; empty: it does not
};

/// Height of the bar at the top of an open group, with its name.
inline constexpr double frameTitle = 26;

struct GraphPicture {
    QString name;
    std::vector<GraphBox> boxes;
    std::vector<GraphArrow> arrows; // one for each pair of boxes
    int ownArrows = 0;              // the first ones, between boxes that stand in no group
    /// Model node -> box; a node that is drawn inside its reader leads to the reader.
    std::unordered_map<int, int> boxOfNode;
};

/// Ids of the nodes that a box of a picture of the graph stands for; none for an input or output.
std::vector<int> nodesOf(const GraphBox& box, const GroupedGraph& grouped);

/// The whole graph, node by node. Linear in the size of the graph and of the graphs nested in it.
GraphPicture pictureOf(const model::ModelGraph& model, const model::Graph& graph);
/// These nodes and groups of it, the groups closed. `whole`: with the inputs and outputs of the graph; else with boxes for
/// the values that come from other nodes, or go there. In the style Scopes these are named in their readers instead: a box
/// around two operators has no room for more.
GraphPicture pictureOf(const GroupedGraph& grouped, const std::vector<GroupChild>& children, bool whole);

/// The graphs that hang on a node's attributes, each with the attribute's name ("then_branch", "body").
std::vector<std::pair<QString, std::shared_ptr<const model::Graph>>> nestedGraphs(const model::Node& node);

/// The way from the model's graph to the node's own: pairs of a node and the attribute that is entered; empty for a node
/// of the outermost graph or an unknown id.
std::vector<std::pair<int, QString>> wayTo(const model::ModelGraph& model, int node);

} // namespace lathe::views::models
