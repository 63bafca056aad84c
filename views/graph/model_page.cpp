// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/model_page.h"

#include "views/canvas/graph_arranger.h"
#include "views/canvas/graph_canvas.h"
#include "views/models/check/error_overlay.h"
#include "views/models/graph/layout_overlay.h"
#include "views/models/graph/type_overlay.h"
#include "views/models/text/counted.h"
#include "views/page/elided_label.h"
#include "views/page/row_delegate.h"
#include "views/page/table.h"

#include <QAction>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QShortcut>
#include <QSplitter>
#include <QStandardItemModel>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

namespace lathe::views::graph {

using canvas::GraphArranger;
using canvas::GraphCanvas;

ModelPage::ModelPage(models::Selection* selection)
    : Page(QStringLiteral("model"), tr("Model")), selection_(selection), canvas_(new GraphCanvas),
      arranger_(new GraphArranger(this)), nodesFound_(new models::FoundNodesModel(this)),
      attributes_(new models::AttributeModel(this)) {
    makeSearch();
    makeColours();
    QLayout* bar = makeBar();
    makeActions();
    auto left = new QWidget;
    auto leftLayout = new QVBoxLayout(left);
    leftLayout->setContentsMargins(0, 0, 0, 0);
    leftLayout->setSpacing(0);
    leftLayout->addLayout(bar);
    leftLayout->addWidget(canvas_, 1);

    auto splitter = new QSplitter;
    splitter->addWidget(left);
    splitter->addWidget(makeSide());
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 1);
    splitter->setSizes({900, 380});
    auto all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->addWidget(splitter);

    connectCanvas();
    connectSearch();
    connect(selection_, &models::Selection::changed, this, &ModelPage::followSelection);
    showOverlay();
}

void ModelPage::makeSearch() {
    search_ = new QLineEdit;
    regular_ = new QToolButton;
    found_ = new QLabel;
    results_ = new QListView;
    found_->setTextFormat(Qt::PlainText);
    search_->setPlaceholderText(tr("Find operator, name, type, attribute (Ctrl+F)"));
    search_->installEventFilter(this);
    regular_->setText(QStringLiteral(".*"));
    regular_->setCheckable(true);
    regular_->setAutoRaise(true);
    regular_->setToolTip(tr("The words are a regular expression"));
    regular_->setAccessibleName(regular_->toolTip());
    results_->setObjectName("found");
    results_->setModel(nodesFound_);
    results_->setFrameShape(QFrame::NoFrame);
    results_->setUniformItemSizes(true);
    results_->setItemDelegate(new RowDelegate(results_));
    results_->setVisible(false);
    results_->setAccessibleName(tr("Nodes that were found"));
    search_->setClearButtonEnabled(true);
    search_->setMinimumWidth(150);
    search_->setMaximumWidth(320);
    search_->setAccessibleName(tr("Find in the graph"));
    found_->setContentsMargins(0, 0, 6, 0);
}

void ModelPage::makeColours() {
    colourBy_ = new QComboBox;
    using enum models::OverlayKind;
    for (const auto& [kind, name] :
         {std::pair(Family, tr("Operator family")), std::pair(Time, tr("Time")), std::pair(Flops, tr("FLOPs")),
          std::pair(Bytes, tr("Bytes")), std::pair(Function, tr("Fused function")), std::pair(Error, tr("Error")),
          std::pair(Type, tr("Element type")), std::pair(Layout, tr("Layout")), std::pair(Table, tr("Own table"))}) {
        colourBy_->addItem(name, int(kind));
        auto* action = new QAction(tr("Colour by %1").arg(kind == Flops ? name : name.toLower()), this);
        connect(action, &QAction::triggered, this,
                [this, row = colourBy_->count() - 1] { colourBy_->setCurrentIndex(row); });
        colourActions_.push_back(action);
    }
    colourBy_->setAccessibleName(tr("What operators are coloured by"));
    connect(colourBy_, &QComboBox::currentIndexChanged, this, &ModelPage::showOverlay);
}

QLayout* ModelPage::makeBar() {
    place_ = new ElidedLabel;
    out_ = new QToolButton;
    out_->setText(tr("◂ Out"));
    out_->setToolTip(tr("Back to the graph around (Backspace)"));
    out_->setVisible(false);
    auto colourLabel = new QLabel(tr("Co&lour by"));
    colourLabel->setBuddy(colourBy_);
    colourLabel->setContentsMargins(8, 0, 6, 0);
    auto zoomButton = [&](const QString& text, const QString& hint, auto slot) {
        auto button = new QToolButton;
        button->setText(text);
        button->setToolTip(hint);
        button->setAccessibleName(hint);
        button->setAutoRaise(true);
        connect(button, &QToolButton::clicked, this, slot);
        return button;
    };
    auto middle = [this] { return QPointF(canvas_->width() / 2.0, canvas_->height() / 2.0); };

    auto bar = new QHBoxLayout;
    bar->setContentsMargins(8, 6, 8, 6);
    bar->addWidget(out_);
    bar->addWidget(place_, 1);
    bar->addWidget(colourLabel);
    bar->addWidget(colourBy_);
    bar->addSpacing(8);
    bar->addWidget(found_);
    bar->addWidget(search_, 2);
    bar->addWidget(regular_);
    bar->addWidget(zoomButton("−", tr("Zoom out (-)"), [this, middle] { canvas_->zoom(0.8, middle()); }));
    bar->addWidget(zoomButton("+", tr("Zoom in (+)"), [this, middle] { canvas_->zoom(1.25, middle()); }));
    bar->addWidget(zoomButton(tr("Fit"), tr("Show the whole graph (F)"), [this] { canvas_->fit(); }));
    return bar;
}

QWidget* ModelPage::makeSide() {
    title_ = new ElidedLabel;
    title_->setMargin(8);
    QFont font = title_->font();
    font.setBold(true);
    title_->setFont(font);
    table_ = new QTableView;
    setUpTable(*table_, *attributes_);
    table_->setTextElideMode(Qt::ElideMiddle);
    table_->setAccessibleName(tr("Attributes of the selected node"));
    table_->addAction(values_);
    table_->setContextMenuPolicy(Qt::ActionsContextMenu);
    connect(table_, &QTableView::activated, this,
            [this](const QModelIndex& row) { showValuesOf(attributes_->rows()[size_t(row.row())]); });
    auto side = new QWidget;
    auto layout = new QVBoxLayout(side);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(results_, 1);
    layout->addWidget(title_);
    layout->addWidget(table_, 2);
    return side;
}

void ModelPage::connectCanvas() {
    connect(canvas_, &GraphCanvas::boxPicked, this, &ModelPage::pickBox);
    connect(canvas_, &GraphCanvas::nestedOpened, this, &ModelPage::enter);
    connect(canvas_, &GraphCanvas::groupToggled, arranger_, &GraphArranger::toggle);
    connect(canvas_, &GraphCanvas::nodeWanted, this, &ModelPage::revealNode);
    connect(canvas_, &GraphCanvas::menuWanted, this, &ModelPage::showMenu);
    connect(arranger_, &GraphArranger::arranged, this, &ModelPage::showScene);
    connect(arranger_, &GraphArranger::failed, this, [this](const Diagnostic& problem) {
        canvas_->setMessage(tr("The graph could not be arranged: %1").arg(QString::fromStdString(toString(problem))));
        emit arranged();
    });
    connect(canvas_, &GraphCanvas::leaveWanted, this, [this] { leave(1); });
    connect(out_, &QToolButton::clicked, this, [this] { leave(1); });
}

void ModelPage::connectSearch() {
    connect(search_, &QLineEdit::textChanged, this, &ModelPage::search);
    connect(regular_, &QToolButton::toggled, this, &ModelPage::search);
    connect(results_->selectionModel(), &QItemSelectionModel::currentChanged, this, [this](const QModelIndex& current) {
        if (current.isValid())
            revealNode(nodesFound()[size_t(current.row())]);
        showResults();
    });
}

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
}

void ModelPage::setCheck(std::shared_ptr<const diagnose::Check> check) {
    check_ = std::move(check);
    showOverlay();
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
    showAttributes(models::attributesOf(*model_, node));
    if (selection_->nodes().size() > 1)
        title_->setText(tr("%1 nodes selected; the first:").arg(selection_->nodes().size()));
    else if (node >= 0 && size_t(node) < model_->nodes.size() && model_->nodes[node])
        title_->setText(QString::fromStdString(displayName(*model_->nodes[node])));
    else
        title_->setText(QString::fromStdString(model_->file).section('/', -1));
    allowActions();
}

} // namespace lathe::views::graph
