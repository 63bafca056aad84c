// SPDX-License-Identifier: GPL-3.0-or-later
//
// The graph before and after a pass as two graphs to draw, with their differences, and for each binding the nodes of the model
// that it came from, and back.
#pragma once

#include "driver/trace.h"
#include "views/models/graph/model_comparison.h"

#include <QString>
#include <memory>
#include <unordered_map>
#include <vector>

namespace lathe::views::models {

struct PassPicture {
    /// A side: of its nodes, the model's nodes; and of these the side's, ascending.
    struct Side {
        std::vector<std::vector<int>> cameFrom;
        std::unordered_map<int, std::vector<int>> nodesFrom;

        /// Of the side's nodes those of the model, and the other way round; ascending, each once.
        std::vector<int> modelNodes(const std::vector<int>& nodes) const;
        std::vector<int> nodesOf(const std::vector<int>& modelNodes) const;
    };

    QString why;                   // there is no picture; empty: there is one
    ModelComparisonPtr comparison; // of bindings as nodes (relay_graph.h)
    bool alone = false;            // nothing stands before the pass: all of it is in `after`
    Side before, after;
};

using PassPicturePtr = std::shared_ptr<const PassPicture>;

/// Of `function` ("": the whole module). Call it on a worker: it is linear in the bindings, with much to each.
PassPicture picturePass(const driver::Trace& trace, int pass, const QString& function);

} // namespace lathe::views::models
