// SPDX-License-Identifier: GPL-3.0-or-later
//
// Where the boxes of a GraphPicture stand and how its arrows run. Two engines: an own layered layout in near-linear time
// for the first paint, and Graphviz's dot, which runs in a child process: here are only its input and output.
#pragma once

#include "views/models/graph/graph_picture.h"

#include <QByteArray>
#include <QPointF>
#include <QRectF>
#include <optional>
#include <vector>

namespace lathe::views::models {

struct GraphLayout {
    std::vector<QPointF> centers;            // of the boxes
    std::vector<std::vector<QPointF>> paths; // of the arrows: cubic Bézier curves, 3k+1 points
    QRectF bounds;
    QString engine; // "layers" or "dot"
};

/// graph::layeredLayout of the picture.
GraphLayout layeredLayout(const GraphPicture& picture, bool columns = false);

/// Input for `dot -Tplain`.
QByteArray toDot(const GraphPicture& picture);
/// Reads what `dot -Tplain` wrote; nothing if it is malformed or of another picture.
std::optional<GraphLayout> fromDotPlain(const GraphPicture& picture, const QByteArray& plain);

} // namespace lathe::views::models
