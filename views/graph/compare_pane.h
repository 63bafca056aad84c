// SPDX-License-Identifier: GPL-3.0-or-later
//
// One of two graphs that stand side by side: its name, and the graph with its differences as colours. Opens the groups, and
// the nested graph, that a node stands in.
#pragma once

#include "views/models/graph_scene.h"
#include "views/models/model_comparison.h"

#include <QWidget>

namespace lathe::views {
class ElidedLabel;
}

namespace lathe::views::graph {

class GraphArranger;
class GraphCanvas;

class ComparePane : public QWidget {
    Q_OBJECT

public:
    /// before: the side of the comparison that it shows.
    ComparePane(bool before, const QString& accessibleName);

    /// Null: none.
    void show(models::ModelComparisonPtr comparison, const QString& title);
    /// The node in the middle, selected; -1: nothing is selected.
    void reveal(int node);
    /// The node that it was led to; -1: none.
    int selected() const { return selected_; }
    GraphCanvas* canvas() const { return canvas_; }
    bool isArranging() const;

signals:
    /// The user picked it.
    void nodePicked(int node);
    /// It has a picture, and none is being made.
    void arranged();

private:
    void showScene(const models::GraphScene& scene, int group);
    void enter(int box);
    void showGraph(std::shared_ptr<const model::Graph> graph);
    void goTo(int node);
    const model::ModelGraphPtr& model() const { return before_ ? comparison_->before : comparison_->after; }

    bool before_;
    models::ModelComparisonPtr comparison_;
    std::shared_ptr<const model::Graph> graph_;
    int selected_ = -1, goingTo_ = -1;
    ElidedLabel* title_;
    GraphCanvas* canvas_;
    GraphArranger* arranger_;
};

} // namespace lathe::views::graph
