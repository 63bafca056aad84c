// SPDX-License-Identifier: GPL-3.0-or-later
//
// A graph to be looked at on a page: its name, and the canvas with its colours, which somebody else makes. Opens the groups,
// and the nested graph, that a node stands in.
#pragma once

#include "views/models/graph/graph_scene.h"
#include "views/models/graph/overlay.h"

#include <QWidget>
#include <functional>
#include <vector>

namespace lathe::views {
class ElidedLabel;
}

namespace lathe::views::canvas {

class GraphArranger;
class GraphCanvas;

class GraphPane : public QWidget {
    Q_OBJECT

public:
    /// The colours of a graph, whose groups are null while they are being made.
    using MakeOverlay = std::function<models::Overlay(const models::GroupedGraph*)>;

    explicit GraphPane(const QString& accessibleName, models::GroupStyle style = models::GroupStyle::Overview);

    /// The model's outermost graph; null: none. The title stands above it, if there is one.
    void show(model::ModelGraphPtr model, const QString& title, MakeOverlay overlay);
    /// What stands there without a graph.
    void setMessage(const QString& message);
    /// The same graph in other colours.
    void colour(MakeOverlay overlay);
    /// These nodes, by their ids, are selected, the first one comes into sight; none: nothing is selected.
    void reveal(const std::vector<int>& nodes);
    /// The nodes that it was led to.
    const std::vector<int>& selected() const { return selected_; }
    GraphCanvas* canvas() const { return canvas_; }
    /// Null while the groups are being made.
    const models::GroupedGraph* grouped() const;
    bool isArranging() const;

signals:
    /// The user picked them: a node, or those of a group, ascending.
    void nodesPicked(std::vector<int> nodes);
    /// A picture is shown, or could not be made.
    void arranged();

private:
    void showScene(const models::GraphScene& scene, int group);
    void pick(int box);
    void enter(int box);
    void showGraph(std::shared_ptr<const model::Graph> graph);
    void goTo(int node);
    void markSelected();

    const models::GroupStyle style_;
    model::ModelGraphPtr model_;
    MakeOverlay overlay_;
    std::shared_ptr<const model::Graph> graph_;
    std::vector<int> selected_;
    int goingTo_ = -1;
    ElidedLabel* title_;
    GraphCanvas* canvas_;
    GraphArranger* arranger_;
};

} // namespace lathe::views::canvas
