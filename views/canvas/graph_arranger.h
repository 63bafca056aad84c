// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which groups of the shown graph are open, and the scenes that follow. Small scenes are made at once; groups of a large graph,
// and scenes with many boxes, on a worker, so that the window never waits. A newer wish replaces one that has not begun.
#pragma once

#include "views/models/graph/graph_scene.h"
#include "views/page/worker.h"

#include <QObject>
#include <optional>

namespace lathe::views::canvas {

class GraphArranger : public QObject {
    Q_OBJECT

public:
    explicit GraphArranger(QObject* parent = nullptr);
    ~GraphArranger() override;

    /// Another graph; null: none.
    void show(model::ModelGraphPtr model, std::shared_ptr<const model::Graph> graph,
              models::GroupStyle style = models::GroupStyle::Overview);
    /// Null while the groups are being made.
    const models::GroupedGraph* grouped() const { return maker_ ? &maker_->grouped() : nullptr; }
    bool isBusy() const { return worker_.isRunning() || next_; }
    bool isOpen(int group) const { return size_t(group) < open_.size() && open_[size_t(group)] != 0; }
    /// Whether there is a group to close; to open.
    bool anyOpen() const;
    bool anyClosed() const;

    void toggle(int group);
    void openAll();
    void closeAll();
    /// Opens the groups around a node, by its id. False: all were open, or the graph has no such node.
    bool openWayTo(int node);
    /// Around a node, by its id, outermost first; none while they are being made.
    std::vector<int> groupsAround(int node) const;
    /// The innermost group around a node that is open; -1: none.
    int openGroupAround(int node) const;

signals:
    /// A scene, and the group that was opened or closed for it; -1: several, or another graph.
    void arranged(const models::GraphScene& scene, int group);
    /// There is no scene; what was shown stays.
    void failed(const lathe::Diagnostic& problem);

private:
    struct Job;
    static Job work(Job job);
    /// Makes the scene of what is open now.
    void arrange(int group);
    void start(Job job);
    void finish(Job job);
    /// Of a node, by its id, in its graph; -1: it stands in another.
    int positionOf(int node) const;

    std::shared_ptr<models::SceneMaker> maker_;
    std::shared_ptr<const model::Graph> graph_;
    models::OpenGroups open_;
    int generation_ = 0; // of graphs
    std::unique_ptr<Job> next_;
    std::optional<int> way_; // a node that was asked for before there were groups
    Worker<std::shared_ptr<Job>> worker_;
};

} // namespace lathe::views::canvas
