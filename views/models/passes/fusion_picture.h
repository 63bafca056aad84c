// SPDX-License-Identifier: GPL-3.0-or-later
//
// What "fuse" made as a graph to draw: the operators of a fused function stand in one box. Boxes know the rows of the tables
// (fusion_model.h) and the other way round; box and arrow say why what they join is not one function.
#pragma once

#include "views/models/graph/overlay.h"
#include "views/models/graph/relay_graph.h"
#include "views/models/passes/fusion_model.h"

namespace lathe::views::models {

struct FusionPicture {
    /// Of a node: its function and its place in that, as rows; -1: none.
    struct Row {
        int function = -1, member = -1;
        bool operator==(const Row&) const = default;
    };
    model::ModelGraphPtr graph;            // null: there is none
    QString why;                           // there is none
    std::vector<Row> rows;                 // by node of the graph
    std::vector<std::vector<int>> members; // by function: its operators, nodes of the graph, in the order of the rows

    /// Of what the user picked; -1 where the nodes are of several.
    Row rowOf(const std::vector<int>& nodes) const;
    /// Member -1: all of the function.
    std::vector<int> nodesOf(const Row& row) const;
};

/// Of the graph as it was lowered. Linear in its bindings: call it on a worker.
FusionPicture pictureFusion(const driver::Trace& trace);

/// A colour for each function, its ms on its box where they are known; where operators did not join, the reasons.
Overlay fusionOverlay(const FusionPicture& picture, const std::vector<FusedRow>& functions,
                      const std::vector<FusionPairRow>& pairs, const GroupedGraph* grouped);

} // namespace lathe::views::models
