// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/canvas/graph_pane.h"

#include "views/canvas/graph_arranger.h"
#include "views/canvas/graph_canvas.h"
#include "views/page/elided_label.h"

#include <QVBoxLayout>
#include <algorithm>
#include <utility>

namespace lathe::views::canvas {

GraphPane::GraphPane(const QString& accessibleName, models::GroupStyle style)
    : style_(style), title_(new ElidedLabel), canvas_(new GraphCanvas), arranger_(new GraphArranger(this)) {
    canvas_->setAccessibleName(accessibleName);
    canvas_->setMinimumSize(100, 100); // two stand side by side, beside a table, in a narrow window
    title_->setContentsMargins(8, 4, 8, 4);
    auto layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(title_);
    layout->addWidget(canvas_, 1);
    connect(arranger_, &GraphArranger::arranged, this, &GraphPane::showScene);
    connect(arranger_, &GraphArranger::failed, this, [this](const Diagnostic& problem) {
        canvas_->setMessage(tr("The graph could not be arranged: %1").arg(QString::fromStdString(toString(problem))));
        emit arranged();
    });
    connect(canvas_, &GraphCanvas::groupToggled, arranger_, &GraphArranger::toggle);
    connect(canvas_, &GraphCanvas::nestedOpened, this, &GraphPane::enter);
    connect(canvas_, &GraphCanvas::nodeWanted, this, [this](int node) { reveal({node}); });
    connect(canvas_, &GraphCanvas::leaveWanted, this, [this] {
        if (const auto way = graph_ && !graph_->nodes.empty() ? models::wayTo(*model_, graph_->nodes.front().id)
                                                              : std::vector<std::pair<int, QString>>();
            !way.empty())
            reveal({way.back().first});
    });
    connect(canvas_, &GraphCanvas::boxPicked, this, &GraphPane::pick);
}

const models::GroupedGraph* GraphPane::grouped() const {
    return arranger_->grouped();
}

bool GraphPane::isArranging() const {
    return arranger_->isBusy();
}

void GraphPane::show(model::ModelGraphPtr model, const QString& title, MakeOverlay overlay) {
    model_ = std::move(model);
    overlay_ = std::move(overlay);
    title_->setText(title);
    title_->setVisible(!title.isEmpty());
    selected_.clear();
    goingTo_ = -1;
    canvas_->setOverlay({}, {});
    showGraph(model_ ? model_->graph : nullptr);
}

void GraphPane::setMessage(const QString& message) {
    canvas_->setMessage(message);
}

void GraphPane::colour(MakeOverlay overlay) {
    overlay_ = std::move(overlay);
    if (overlay_ && arranger_->grouped())
        canvas_->setOverlay(overlay_(arranger_->grouped()), {});
}

void GraphPane::showGraph(std::shared_ptr<const model::Graph> graph) {
    graph_ = std::move(graph);
    canvas_->setScene({});
    canvas_->setMessage(graph_ && graph_->nodes.empty() ? tr("There are no nodes here.") : QString());
    arranger_->show(graph_ ? model_ : nullptr, graph_, style_);
}

void GraphPane::showScene(const models::GraphScene& scene, int group) {
    const bool first = canvas_->picture().boxes.empty();
    if (first || group < 0)
        canvas_->setScene(scene);
    else
        canvas_->changeScene(scene, group);
    if (first)
        colour(overlay_);
    if (goingTo_ >= 0 && !arranger_->isBusy())
        goTo(std::exchange(goingTo_, -1));
    else
        markSelected();
    emit arranged();
}

void GraphPane::pick(int box) {
    std::vector<int> nodes;
    if (box >= 0)
        nodes = models::nodesOf(canvas_->picture().boxes[size_t(box)], *arranger_->grouped());
    std::ranges::sort(nodes);
    canvas_->setSelected(box < 0 ? std::vector<int>() : std::vector<int>{box});
    selected_ = nodes;
    if (!nodes.empty())
        emit nodesPicked(nodes);
}

void GraphPane::enter(int box) {
    const int node = canvas_->picture().boxes[size_t(box)].modelNode;
    if (node < 0)
        return;
    if (const auto nested = models::nestedGraphs(*model_->nodes[size_t(node)]); !nested.empty())
        showGraph(nested.front().second);
}

void GraphPane::reveal(const std::vector<int>& nodes) {
    selected_ = nodes;
    if (nodes.empty() || !model_) {
        goingTo_ = -1;
        canvas_->setSelected({});
        return;
    }
    const int node = nodes.front();
    std::shared_ptr<const model::Graph> graph = model_->graph;
    for (const auto& [outer, attribute] : models::wayTo(*model_, node))
        for (const auto& [name, nested] : models::nestedGraphs(*model_->nodes[size_t(outer)]))
            if (name == attribute)
                graph = nested;
    goingTo_ = node;
    if (graph != graph_)
        showGraph(std::move(graph));
    if (goingTo_ >= 0 && !arranger_->openWayTo(node) && !arranger_->isBusy())
        goTo(std::exchange(goingTo_, -1));
}

void GraphPane::markSelected() {
    const auto& boxOfNode = canvas_->picture().boxOfNode;
    std::vector<int> boxes;
    for (const int node : selected_)
        if (const auto box = boxOfNode.find(node); box != boxOfNode.end())
            boxes.push_back(box->second);
    std::ranges::sort(boxes);
    boxes.erase(std::unique(boxes.begin(), boxes.end()), boxes.end());
    if (!boxes.empty())
        canvas_->setSelected(boxes);
}

void GraphPane::goTo(int node) {
    markSelected();
    const auto& boxes = canvas_->picture().boxOfNode;
    if (const auto box = boxes.find(node); box != boxes.end())
        canvas_->reveal(box->second);
}

} // namespace lathe::views::canvas
