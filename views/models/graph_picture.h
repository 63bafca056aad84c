// SPDX-License-Identifier: GPL-3.0-or-later
//
// What is drawn of one graph of a model: boxes and arrows as plain values, without places (see graph_layout.h).
// Constants live inside the boxes that read them, and so do values with many readers (hubs): long fan-out edges, not the
// number of nodes, are what makes layout slow and pictures unreadable.
#pragma once

#include "model/model_graph.h"

#include <QSizeF>
#include <QString>
#include <QStringList>
#include <unordered_map>
#include <vector>

namespace lathe::views::models {

/// A value with more readers than this is named inside its readers instead of being drawn as arrows.
inline constexpr int hubReaders = 8;

struct GraphBox {
    enum class Kind { Operator, Input, Output };
    Kind kind = Kind::Operator;
    int modelNode = -1; // id in the ModelGraph; -1 for inputs and outputs
    QString title;      // the operator, or the name of the input or output
    QString subtitle;   // the node's name, or the type
    QStringList lines;  // constants "W float32[64,3,7,7]", hubs "◂ mask", nested graphs
    model::Family family = model::Family::Other;
    bool hasNested = false;
    bool refused = false; // here or in a nested graph
    QString reason;
    QStringList reasonLines; // the reason as it fits into the box
    QSizeF size;             // in scene units, from the text
};

struct GraphArrow {
    int from = 0, to = 0; // indices of boxes
    QString value;        // the model's value that flows, the first of several
};

struct GraphPicture {
    QString name;
    std::vector<GraphBox> boxes;
    std::vector<GraphArrow> arrows; // one for each pair of boxes
    /// Model node -> box; a node that is drawn inside its reader leads to the reader.
    std::unordered_map<int, int> boxOfNode;
};

/// Linear in the size of the graph and of the graphs nested in it.
GraphPicture pictureOf(const model::ModelGraph& model, const model::Graph& graph);

/// The graphs that hang on a node's attributes, each with the attribute's name ("then_branch", "body").
std::vector<std::pair<QString, std::shared_ptr<const model::Graph>>> nestedGraphs(const model::Node& node);

/// The way from the model's graph to the node's own: pairs of a node and the attribute that is entered; empty for a node
/// of the outermost graph or an unknown id.
std::vector<std::pair<int, QString>> wayTo(const model::ModelGraph& model, int node);

} // namespace lathe::views::models
