// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the page Model shows: a graph by groups, coloured by an overlay, and the selection in it.
#include "views/graph/model_page.h"

#include "views/canvas/graph_arranger.h"
#include "views/canvas/graph_canvas.h"
#include "views/models/check/error_overlay.h"
#include "views/models/graph/compiled_rows.h"
#include "views/models/graph/layout_overlay.h"
#include "views/models/graph/type_overlay.h"
#include "views/models/text/counted.h"

#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QStandardItemModel>
#include <QTableView>
#include <QToolButton>
#include <algorithm>
#include <utility>

namespace lathe::views::graph {

using canvas::GraphArranger;
using canvas::GraphCanvas;

void ModelPage::setModel(model::ModelGraphPtr model, const QString& without) {
    model_ = std::move(model);
    index_.reset();
    search_->clear(); // and with it what was found
    message_ = without;
    way_.clear();
    setProvenance(nullptr);
    graph_ = model_ ? model_->graph : nullptr;
    showGraph();
    selectionChanged();
}

void ModelPage::setProvenance(std::shared_ptr<const inspect::Provenance> provenance) {
    provenance_ = std::move(provenance);
    check_ = nullptr;
    setProfile({});
}

std::vector<PageAction> ModelPage::pageActions() const {
    std::vector<PageAction> all;
    for (size_t i = 0; i < colourActions_.size(); ++i)
        all.push_back({QStringLiteral("colour%1").arg(colourBy_->itemData(int(i)).toInt()), colourActions_[i], {}});
    for (QAction* action : graphActions_)
        all.push_back({action->objectName(), action, {}});
    all.push_back({values_->objectName(), values_, {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_V)}});
    return all;
}

void ModelPage::setProfile(const inspect::Profile& profile) {
    profile_ = profile;
    showOverlay();
    showCompiled();
}

void ModelPage::setCheck(std::shared_ptr<const diagnose::Check> check) {
    check_ = std::move(check);
    showOverlay();
    showCompiled();
}

QString ModelPage::missing(models::OverlayKind kind) const {
    using enum models::OverlayKind;
    if (kind == Error)
        return check_ ? QString() : tr("Check values (F8) to see errors");
    if (kind == Type)
        return model_ ? QString() : tr("Open a model to see types");
    if (kind == Layout)
        return provenance_ && inspect::lastModule(provenance_->trace())
                   ? QString()
                   : tr("Compile (F5) to see how values are stored");
    if (kind == Table)
        return model_ && !nodeTable_.empty() ? QString() : tr("\"Colour by a table…\" reads one");
    if (kind == Family || hasOverlay(kind, provenance_.get(), profile_))
        return {};
    const bool compiled = hasOverlay(Function, provenance_.get(), profile_);
    if (kind == Time)
        return compiled ? tr("Run (F6) to see times") : tr("Compile (F5) and run (F6) to see times");
    return compiled ? tr("Run (F6) to see them") : tr("Compile (F5) to see them");
}

models::Overlay ModelPage::makeOverlay(models::OverlayKind kind) const {
    switch (kind) {
    case models::OverlayKind::Error:
        return models::errorOverlay(*check_, arranger_->grouped());
    case models::OverlayKind::Type:
        return models::typeOverlay(*model_, arranger_->grouped());
    case models::OverlayKind::Layout:
        return models::layoutOverlay(*provenance_, arranger_->grouped());
    case models::OverlayKind::Table:
        return models::tableOverlay(nodeTable_, *model_, arranger_->grouped());
    default:
        return overlayOf(kind, *provenance_, profile_, arranger_->grouped());
    }
}

void ModelPage::showOverlay() {
    auto* items = qobject_cast<QStandardItemModel*>(colourBy_->model());
    for (int row = 0; row < items->rowCount(); ++row) {
        const QString why = missing(models::OverlayKind(colourBy_->itemData(row).toInt()));
        items->item(row)->setEnabled(why.isEmpty());
        items->item(row)->setToolTip(why);
        colourActions_[size_t(row)]->setEnabled(why.isEmpty());
    }
    const auto kind = models::OverlayKind(colourBy_->currentData().toInt());
    QString note = missing(kind);
    models::Overlay overlay;
    if (note.isEmpty() && kind != models::OverlayKind::Family) {
        overlay = makeOverlay(kind);
        if (!overlay.largest.isEmpty() && kind != models::OverlayKind::Function)
            note = tr("up to %1").arg(overlay.largest);
    }
    canvas_->setOverlay(std::move(overlay), note);
}

void ModelPage::showGraph() {
    ++pictureNumber_;
    goingTo_ = -1;
    canvas_->setScene({});
    if (!model_ || !graph_) {
        arranger_->show(nullptr, nullptr);
        canvas_->setMessage(message_);
        showPlace();
        return allowActions();
    }
    canvas_->setMessage(tr("Arranging %1 …").arg(models::counted(int(graph_->nodes.size()), "node", "nodes")));
    out_->setVisible(!way_.empty());
    showPlace();
    arranger_->show(model_, graph_);
}

void ModelPage::showPlace() {
    if (!model_ || !graph_)
        return place_->clear();
    QStringList place{graph_ == model_->graph ? QString::fromStdString(model_->graph->name) : tr("Model")};
    for (const auto& [node, attribute] : way_)
        place << QString::fromStdString(displayName(*model_->nodes[node])) + " ▸ " + attribute;
    qint64 nodes = qint64(graph_->nodes.size());
    const auto& selected = selection_->nodes();
    for (const int group : selected.empty() ? std::vector<int>() : arranger_->groupsAround(selected.front())) {
        const lathe::graph::Group& value = arranger_->grouped()->tree.groups[size_t(group)];
        if (value.nodes < int(selected.size()))
            break; // more than this group is selected
        place << QString::fromStdString(value.name);
        nodes = value.nodes;
    }
    place_->setText(place.join(QStringLiteral("  ›  ")) + "   " + models::counted(nodes, "node", "nodes"));
}

void ModelPage::showScene(const models::GraphScene& scene, int group) {
    const bool first = canvas_->picture().boxes.empty();
    if (first || group < 0)
        canvas_->setScene(scene);
    else
        canvas_->changeScene(scene, group);
    if (first)
        showOverlay(); // now there are groups
    allowActions();
    selectionChanged();
    if (goingTo_ >= 0 && !arranger_->isBusy())
        goTo(std::exchange(goingTo_, -1));
    ++pictureNumber_;
    if (!models::isFramed(*arranger_->grouped()) && group < 0)
        emit layoutWanted(pictureNumber_, toDot(scene.picture));
    emit arranged();
}

const models::GraphPicture& ModelPage::picture() const {
    return canvas_->picture();
}

const models::GroupedGraph* ModelPage::grouped() const {
    return arranger_->grouped();
}

bool ModelPage::isArranging() const {
    return arranger_->isBusy();
}

void ModelPage::setLayout(int picture, models::GraphLayout layout) {
    if (picture == pictureNumber_ && !canvas_->touched())
        canvas_->setLayout(std::move(layout));
}

void ModelPage::enter(int box) {
    const int node = canvas_->picture().boxes[box].modelNode;
    if (!model_ || node < 0)
        return;
    const auto nested = models::nestedGraphs(*model_->nodes[node]);
    size_t chosen = 0;
    if (nested.size() > 1) {
        QMenu menu(this);
        for (size_t i = 0; i < nested.size(); ++i)
            menu.addAction(
                    tr("Open %1 (%2)")
                        .arg(nested[i].first, models::counted(int(nested[i].second->nodes.size()), "node", "nodes")))
                ->setData(int(i));
        const QAction* action = menu.exec(QCursor::pos());
        if (!action)
            return;
        chosen = size_t(action->data().toInt());
    }
    if (nested.empty())
        return;
    way_.emplace_back(node, nested[chosen].first);
    graph_ = nested[chosen].second;
    showGraph();
}

void ModelPage::leave(int levels) {
    if (way_.empty() || !model_)
        return;
    const int from = way_[way_.size() - size_t(levels)].first;
    revealNode(from);
}

void ModelPage::revealNode(int node) {
    if (!model_ || node < 0 || size_t(node) >= model_->nodes.size())
        return;
    const auto way = models::wayTo(*model_, node);
    if (way != way_) {
        way_ = way;
        graph_ = model_->graph;
        for (const auto& [outer, attribute] : way_)
            for (const auto& [name, nested] : models::nestedGraphs(*model_->nodes[outer]))
                if (name == attribute)
                    graph_ = nested;
        showGraph();
    }
    goingTo_ = node;
    if (!arranger_->openWayTo(node) && !arranger_->isBusy())
        goTo(std::exchange(goingTo_, -1));
}

void ModelPage::goTo(int node) {
    picking_ = true; // its groups are open
    selection_->set({{node}});
    picking_ = false;
    selectionChanged();
    const auto& boxes = canvas_->picture().boxOfNode;
    if (auto box = boxes.find(node); box != boxes.end()) {
        canvas_->setSelected({box->second});
        canvas_->reveal(box->second);
    }
}

void ModelPage::pickBox(int box) {
    std::vector<int> nodes;
    if (box >= 0)
        nodes = models::nodesOf(canvas_->picture().boxes[size_t(box)], *arranger_->grouped());
    picking_ = true;
    selection_->set(nodes);
    picking_ = false;
    selectionChanged();
    if (box >= 0) // an input, or a group that is open, is no node's box
        canvas_->setSelected({box});
    if (const int group = box < 0 ? -1 : canvas_->picture().boxes[size_t(box)].group; group >= 0) {
        title_->setText(QString::fromStdString(arranger_->grouped()->tree.groups[size_t(group)].name));
        showAttributes(models::attributesOfGroup(*arranger_->grouped(), group));
    }
}

void ModelPage::showAttributes(std::vector<models::AttributeRow> rows) {
    attributes_->show(std::move(rows));
    table_->clearSpans();
    for (int row = 0; row < attributes_->rowCount(); ++row)
        if (attributes_->rows()[row].heading)
            table_->setSpan(row, 0, 1, 2);
    table_->resizeColumnToContents(0);
    const int letter = fontMetrics().averageCharWidth();
    table_->setColumnWidth(0, std::clamp(table_->columnWidth(0), 15 * letter, 24 * letter));
    values_->setEnabled(std::ranges::any_of(attributes_->rows(), [](const models::AttributeRow& row) {
        return row.tensor.tensor || !row.computed.isEmpty();
    }));
}

void ModelPage::showCompiled() {
    if (model_ && selection_->nodes().size() == 1) // of a group other rows are shown, which nothing of it is in
        showAttributes(rowsOf(selection_->nodes().front()));
}

std::vector<models::AttributeRow> ModelPage::rowsOf(int node) const {
    std::vector<models::AttributeRow> rows = models::attributesOf(*model_, node);
    if (!provenance_)
        return rows;
    const auto compiled = models::compiledRowsOf(*provenance_, profile_, check_.get(), node);
    const auto operands = std::ranges::find(rows, QStringLiteral("Inputs"), &models::AttributeRow::group);
    rows.insert(operands, compiled.begin(), compiled.end());
    return rows;
}

void ModelPage::followSelection() {
    if (picking_)
        return;
    selectionChanged();
    const auto& nodes = selection_->nodes();
    const auto& picture = canvas_->picture();
    const auto box = nodes.empty() ? picture.boxOfNode.end() : picture.boxOfNode.find(nodes.front());
    if (box == picture.boxOfNode.end() || picture.boxes[size_t(box->second)].group < 0)
        return;
    const auto inside = arranger_->grouped()->tree.nodesOf(picture.boxes[size_t(box->second)].group);
    const bool all =
        std::ranges::all_of(inside, [&](int each) { return selection_->contains(graph_->nodes[size_t(each)].id); });
    if (!all)
        arranger_->openWayTo(nodes.front());
}

void ModelPage::selectionChanged() {
    if (picking_)
        return;
    if (!model_) {
        showAttributes({});
        title_->clear();
        return;
    }
    std::vector<int> boxes;
    const auto& boxOfNode = canvas_->picture().boxOfNode;
    for (int node : selection_->nodes())
        if (auto box = boxOfNode.find(node); box != boxOfNode.end())
            boxes.push_back(box->second);
    std::ranges::sort(boxes);
    boxes.erase(std::unique(boxes.begin(), boxes.end()), boxes.end());
    canvas_->setSelected(boxes);
    showPlace();
    const int node = selection_->nodes().empty() ? -1 : selection_->nodes().front();
    showAttributes(rowsOf(node));
    if (selection_->nodes().size() > 1)
        title_->setText(tr("%1 nodes selected; the first:").arg(selection_->nodes().size()));
    else if (node >= 0 && size_t(node) < model_->nodes.size() && model_->nodes[node])
        title_->setText(QString::fromStdString(displayName(*model_->nodes[node])));
    else
        title_->setText(QString::fromStdString(model_->file).section('/', -1));
    allowActions();
}

} // namespace lathe::views::graph
