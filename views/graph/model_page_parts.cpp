// SPDX-License-Identifier: GPL-3.0-or-later
//
// The parts of the page Model: canvas, search, colours and the side, each made once.
#include "views/graph/model_page.h"

#include "views/canvas/graph_arranger.h"
#include "views/canvas/graph_canvas.h"
#include "views/page/elided_label.h"
#include "views/page/row_delegate.h"
#include "views/page/table.h"

#include <QAction>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QSplitter>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>
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

} // namespace lathe::views::graph
