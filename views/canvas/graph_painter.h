// SPDX-License-Identifier: GPL-3.0-or-later
//
// Paints a GraphPicture at the places of a GraphLayout. What is outside the view is skipped, text is dropped where it would be
// too small to read, and an open group that is too small to look into is painted closed: so a frame costs what can be seen in
// it, whatever the size of the graph. The types of values stand on the arrows of the box that is chosen, and on all where
// there is room: scaled up.
#pragma once

#include "views/models/graph/graph_scene.h"
#include "views/models/graph/overlay.h"
#include "views/models/text/colors.h"

#include <QPainter>
#include <QRectF>

namespace lathe::views::canvas {

/// Below this scale no text is painted; up to half as much again titles alone.
inline constexpr double readableScale = 0.38;

/// All that is painted, as it is at one moment.
struct GraphView {
    const models::GraphScene& scene;
    const std::vector<QRectF>& arrowBounds;
    const models::Overlay& overlay; // without nodes: by family
    const std::vector<char>& selected;
    int current;
    models::Colors colors;
};

/// Half way along an arrow.
QPointF middleOf(const models::GraphScene& scene, int arrow);
QRectF rectOf(const models::GraphScene& scene, int box);
/// Where a click opens or closes the group.
QRectF handleOf(const models::GraphScene& scene, int box);
/// Null: there is no overlay, or it says nothing of the box.
const models::NodeOverlay* overlayOf(const models::Overlay& overlay, const models::GraphBox& box);

/// The painter's units are those of the scene; `scale` is how many pixels one of them has.
void paintGraph(QPainter& painter, const GraphView& view, const QRectF& visible, double scale);
/// Boxes alone, as they are seen from afar: each a rectangle of at least a pixel.
void paintOverview(QPainter& painter, const GraphView& view, double scale);

} // namespace lathe::views::canvas
