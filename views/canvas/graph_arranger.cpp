// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/canvas/graph_arranger.h"

#include <algorithm>
#include <utility>

namespace lathe::views::canvas {

namespace {

// What is made without a worker: some milliseconds.
constexpr size_t mostNodesAtOnce = 2000;
constexpr int mostBoxesAtOnce = 800;

} // namespace

struct GraphArranger::Job {
    model::ModelGraphPtr model;
    std::shared_ptr<const model::Graph> graph;
    models::GroupStyle style = models::GroupStyle::Overview;
    std::shared_ptr<models::SceneMaker> maker; // null: to be made, with `open`
    models::OpenGroups open;
    int generation = 0, group = -1;
    models::GraphScene scene;
    std::optional<Diagnostic> problem; // instead of a scene
};

GraphArranger::GraphArranger(QObject* parent) : QObject(parent) {}

GraphArranger::~GraphArranger() = default;

void GraphArranger::show(model::ModelGraphPtr model, std::shared_ptr<const model::Graph> graph,
                         models::GroupStyle style) {
    ++generation_;
    next_.reset();
    way_.reset();
    maker_.reset();
    open_.clear();
    graph_ = graph;
    if (!graph)
        return;
    Job job;
    job.model = std::move(model);
    job.graph = std::move(graph);
    job.style = style;
    job.generation = generation_;
    start(std::move(job));
}

GraphArranger::Job GraphArranger::work(Job job) {
    const auto made = models::guardedArranging([&] {
        if (!job.maker) {
            job.maker = std::make_shared<models::SceneMaker>(models::groupedGraph(job.model, job.graph, job.style));
            job.open = models::startingGroups(job.maker->grouped());
        }
        job.scene = job.maker->make(job.open);
    });
    if (!made)
        job.problem = made.error();
    return job;
}

void GraphArranger::arrange(int group) {
    Job job;
    job.maker = maker_;
    job.open = open_;
    job.generation = generation_;
    job.group = group;
    start(std::move(job));
}

void GraphArranger::start(Job job) {
    const bool soon = job.maker ? models::countShown(job.maker->grouped(), job.open) <= mostBoxesAtOnce
                                : job.graph->nodes.size() <= mostNodesAtOnce;
    // The worker may be busy with the same SceneMaker; with that of another graph it does not matter.
    if (worker_.isRunning() && (job.maker || !soon)) {
        next_ = std::make_unique<Job>(std::move(job));
        return;
    }
    next_.reset(); // an older wish
    if (soon)
        return finish(work(std::move(job)));
    worker_.start([job = std::make_shared<Job>(std::move(job))](
                      const auto& /*cancelled*/) { return std::make_shared<Job>(work(std::move(*job))); },
                  [this](const std::optional<std::shared_ptr<Job>>& done) {
                      if (done)
                          finish(std::move(**done));
                      if (next_ && !worker_.isRunning())
                          start(std::move(*std::exchange(next_, nullptr)));
                  });
}

void GraphArranger::finish(Job job) {
    if (job.generation != generation_)
        return;
    if (job.problem) {
        way_.reset();
        emit failed(*job.problem);
        return;
    }
    if (!maker_) {
        maker_ = std::move(job.maker);
        open_ = std::move(job.open);
    }
    emit arranged(job.scene, job.group);
    if (way_)
        openWayTo(*std::exchange(way_, std::nullopt));
}

bool GraphArranger::anyOpen() const {
    return open_.size() > 1 && std::ranges::any_of(open_.begin() + 1, open_.end(), [](char each) { return each != 0; });
}

bool GraphArranger::anyClosed() const {
    return std::ranges::any_of(open_, [](char each) { return each == 0; });
}

void GraphArranger::toggle(int group) {
    if (!maker_ || group <= 0 || size_t(group) >= open_.size())
        return;
    open_[size_t(group)] = open_[size_t(group)] == 0;
    arrange(group);
}

void GraphArranger::openAll() {
    std::ranges::fill(open_, 1);
    if (maker_)
        arrange(-1);
}

void GraphArranger::closeAll() {
    if (!maker_)
        return;
    std::ranges::fill(open_, 0);
    open_[0] = 1;
    arrange(-1);
}

bool GraphArranger::openWayTo(int node) {
    const int position = positionOf(node);
    if (position < 0)
        return false;
    if (!maker_) {
        way_ = node;
        return true;
    }
    int first = -1;
    for (const int group : maker_->grouped().tree.wayToNode(position))
        if (!std::exchange(open_[size_t(group)], 1) && first < 0)
            first = group;
    if (first < 0)
        return false;
    arrange(first);
    return true;
}

std::vector<int> GraphArranger::groupsAround(int node) const {
    const int position = positionOf(node);
    return position < 0 || !maker_ ? std::vector<int>() : maker_->grouped().tree.wayToNode(position);
}

int GraphArranger::openGroupAround(int node) const {
    int inner = -1;
    for (const int group : groupsAround(node)) {
        if (!isOpen(group))
            break;
        inner = group;
    }
    return inner;
}

int GraphArranger::positionOf(int node) const {
    if (!graph_)
        return -1;
    const auto found = std::ranges::find(graph_->nodes, node, &model::Node::id);
    return found == graph_->nodes.end() ? -1 : int(found - graph_->nodes.begin());
}

} // namespace lathe::views::canvas
