// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/compare_pane.h"

#include "views/graph/graph_arranger.h"
#include "views/graph/graph_canvas.h"
#include "views/models/plain_tip.h"
#include "views/page/elided_label.h"

#include <QVBoxLayout>
#include <utility>

namespace lathe::views::graph {

ComparePane::ComparePane(bool before, const QString& accessibleName)
    : before_(before), title_(new ElidedLabel), canvas_(new GraphCanvas), arranger_(new GraphArranger(this)) {
    canvas_->setAccessibleName(accessibleName);
    title_->setContentsMargins(8, 4, 8, 4);
    auto layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(title_);
    layout->addWidget(canvas_, 1);
    connect(arranger_, &GraphArranger::arranged, this, &ComparePane::showScene);
    connect(arranger_, &GraphArranger::failed, this, [this](const Diagnostic& problem) {
        canvas_->setMessage(tr("The graph could not be arranged: %1").arg(QString::fromStdString(toString(problem))));
        emit arranged();
    });
    connect(canvas_, &GraphCanvas::groupToggled, arranger_, &GraphArranger::toggle);
    connect(canvas_, &GraphCanvas::nestedOpened, this, &ComparePane::enter);
    connect(canvas_, &GraphCanvas::nodeWanted, this, &ComparePane::reveal);
    connect(canvas_, &GraphCanvas::leaveWanted, this, [this] {
        if (const auto way = graph_ && !graph_->nodes.empty() ? models::wayTo(*model(), graph_->nodes.front().id)
                                                              : std::vector<std::pair<int, QString>>();
            !way.empty())
            reveal(way.back().first);
    });
    connect(canvas_, &GraphCanvas::boxPicked, this, [this](int box) {
        const int node = box < 0 ? -1 : canvas_->picture().boxes[size_t(box)].modelNode;
        canvas_->setSelected(box < 0 ? std::vector<int>() : std::vector<int>{box});
        selected_ = node;
        if (node >= 0)
            emit nodePicked(node);
    });
}

bool ComparePane::isArranging() const {
    return arranger_->isBusy();
}

void ComparePane::show(models::ModelComparisonPtr comparison, const QString& title) {
    comparison_ = std::move(comparison);
    title_->setText(title);
    title_->setToolTip(models::plainTip(title));
    selected_ = goingTo_ = -1;
    canvas_->setOverlay({}, {});
    showGraph(comparison_ ? model()->graph : nullptr);
}

void ComparePane::showGraph(std::shared_ptr<const model::Graph> graph) {
    graph_ = std::move(graph);
    canvas_->setScene({});
    canvas_->setMessage({});
    arranger_->show(graph_ ? model() : nullptr, graph_);
}

void ComparePane::showScene(const models::GraphScene& scene, int group) {
    const bool first = canvas_->picture().boxes.empty();
    if (first || group < 0)
        canvas_->setScene(scene);
    else
        canvas_->changeScene(scene, group);
    if (first && comparison_)
        canvas_->setOverlay(differenceOverlay(*comparison_, before_, arranger_->grouped()), {});
    if (goingTo_ >= 0 && !arranger_->isBusy())
        goTo(std::exchange(goingTo_, -1));
    else if (const auto box = canvas_->picture().boxOfNode.find(selected_); box != canvas_->picture().boxOfNode.end())
        canvas_->setSelected({box->second});
    emit arranged();
}

void ComparePane::enter(int box) {
    const int node = canvas_->picture().boxes[size_t(box)].modelNode;
    if (node < 0)
        return;
    if (const auto nested = models::nestedGraphs(*model()->nodes[size_t(node)]); !nested.empty())
        showGraph(nested.front().second);
}

void ComparePane::reveal(int node) {
    selected_ = node;
    if (node < 0 || !comparison_) {
        goingTo_ = -1;
        canvas_->setSelected({});
        return;
    }
    std::shared_ptr<const model::Graph> graph = model()->graph;
    for (const auto& [outer, attribute] : models::wayTo(*model(), node))
        for (const auto& [name, nested] : models::nestedGraphs(*model()->nodes[size_t(outer)]))
            if (name == attribute)
                graph = nested;
    goingTo_ = node;
    if (graph != graph_)
        showGraph(std::move(graph));
    if (goingTo_ >= 0 && !arranger_->openWayTo(node) && !arranger_->isBusy())
        goTo(std::exchange(goingTo_, -1));
}

void ComparePane::goTo(int node) {
    const auto& boxes = canvas_->picture().boxOfNode;
    if (const auto box = boxes.find(node); box != boxes.end()) {
        canvas_->setSelected({box->second});
        canvas_->reveal(box->second);
    }
}

} // namespace lathe::views::graph
