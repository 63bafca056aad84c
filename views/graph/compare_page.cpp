// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/compare_page.h"

#include "views/canvas/graph_pane.h"
#include "views/models/text/counted.h"
#include "views/models/text/shown_path.h"
#include "views/page/table.h"

#include <QAction>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

namespace lathe::views::graph {

using canvas::GraphPane;

using models::NodeDifference;

ComparePage::ComparePage(models::Selection* selection)
    : Page(QStringLiteral("compare"), tr("Compare")), selection_(selection),
      differences_(new models::DifferenceModel(this)), table_(new QTableView), summary_(new QLabel),
      detail_(new QLabel), splitter_(new QSplitter(Qt::Vertical)), before_(new GraphPane(tr("The other model"))),
      after_(new GraphPane(tr("The open model"))), next_(new QAction(tr("&Next difference"), this)),
      previous_(new QAction(tr("Pre&vious difference"), this)) {
    auto choose = new QPushButton(tr("Compare &with…"));
    connect(choose, &QPushButton::clicked, this, &ComparePage::modelWanted);
    auto bar = new QHBoxLayout;
    bar->setContentsMargins(8, 6, 8, 6);
    bar->addWidget(summary_, 1);
    bar->addWidget(choose);
    setUpTable(*table_, *differences_);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setTextElideMode(Qt::ElideMiddle);
    table_->setAccessibleName(tr("Differences of the models"));
    summary_->setTextFormat(Qt::PlainText);
    summary_->setWordWrap(true); // the window may be narrow
    detail_->setTextFormat(Qt::PlainText);
    detail_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    detail_->setWordWrap(true);
    detail_->setMinimumWidth(1); // a name has no place to break
    detail_->setMargin(8);
    detail_->setAccessibleName(tr("What changed"));

    auto panes = new QSplitter;
    panes->addWidget(before_);
    panes->addWidget(after_);
    panes->setSizes({500, 500});
    auto list = new QWidget;
    auto listLayout = new QVBoxLayout(list);
    listLayout->setContentsMargins(0, 0, 0, 0);
    listLayout->setSpacing(0);
    listLayout->addWidget(table_, 1);
    listLayout->addWidget(detail_);
    splitter_->addWidget(panes);
    splitter_->addWidget(list);
    splitter_->setStretchFactor(0, 1);
    splitter_->setSizes({520, 220});
    auto all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->setSpacing(0);
    all->addLayout(bar);
    all->addWidget(splitter_, 1);
    all->addStretch(0);

    connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& row) { showRow(row.row()); });
    connect(next_, &QAction::triggered, this, [this] { step(1); });
    connect(previous_, &QAction::triggered, this, [this] { step(-1); });
    connect(before_, &GraphPane::nodesPicked, this, [this](const std::vector<int>& nodes) { pick(true, nodes); });
    connect(after_, &GraphPane::nodesPicked, this, [this](const std::vector<int>& nodes) { pick(false, nodes); });
    connect(selection_, &models::Selection::changed, this, &ComparePage::follow);
    for (const GraphPane* pane : {before_, after_})
        connect(pane, &GraphPane::arranged, this, &ComparePage::arranged);
    setComparison(nullptr);
}

void ComparePage::setProvenance(std::shared_ptr<const inspect::Provenance> provenance) {
    if (!provenance)
        setComparison(nullptr);
}

std::vector<PageAction> ComparePage::pageActions() const {
    return {{"next", next_, {Qt::Key_F7}}, {"previous", previous_, {Qt::SHIFT | Qt::Key_F7}}};
}

void ComparePage::setComparison(models::ModelComparisonPtr comparison) {
    comparison_ = std::move(comparison);
    detail_->clear();
    differences_->show(comparison_);
    splitter_->setVisible(comparison_ != nullptr);
    const auto colours = [this](bool before) {
        return [compared = comparison_, before](const models::GroupedGraph* grouped) {
            return compared ? differenceOverlay(*compared, before, grouped) : models::Overlay();
        };
    };
    before_->show(comparison_ ? comparison_->before : nullptr,
                  comparison_ ? tr("Other model: %1").arg(models::shownPath(comparison_->path)) : QString(),
                  colours(true));
    after_->show(comparison_ ? comparison_->after : nullptr,
                 comparison_
                     ? tr("Open model: %1").arg(models::shownPath(QString::fromStdString(comparison_->after->file)))
                     : QString(),
                 colours(false));
    if (!comparison_) {
        summary_->setText(
            tr("\"Compare with…\" shows another model beside the open one, and what differs: nodes that were added, "
               "removed, changed, renamed, or moved."));
    } else {
        const auto part = [&](NodeDifference kind, const QString& name) {
            return QStringLiteral("%1 %2").arg(models::grouped(comparison_->count(kind)), name);
        };
        summary_->setText(
            comparison_->rows.empty()
                ? tr("The models are equal: %1.").arg(models::counted(comparison_->equal, "node", "nodes"))
                : QStringList{part(NodeDifference::Added, tr("added")), part(NodeDifference::Removed, tr("removed")),
                              part(NodeDifference::Changed, tr("changed")),
                              part(NodeDifference::Moved, tr("renamed or moved")),
                              tr("%1 the same").arg(models::counted(comparison_->equal, "node", "nodes"))}
                      .join(", "));
    }
    table_->resizeColumnsToContents();
    table_->setColumnWidth(models::DifferenceModel::What,
                           std::min(table_->columnWidth(models::DifferenceModel::What), 520));
    allowSteps();
    if (differences_->rowCount() > 0)
        table_->selectRow(0);
}

void ComparePage::showRow(int row) {
    if (row < 0 || row >= differences_->rowCount())
        return detail_->clear();
    const models::DifferenceRow& difference = differences_->at(row);
    detail_->setText((QStringList(difference.what) + difference.changes.mid(0, 8)).join('\n'));
    if (picking_)
        return;
    const auto shown = [](int node) { return node < 0 ? std::vector<int>() : std::vector{node}; };
    before_->reveal(shown(difference.before));
    after_->reveal(shown(difference.after));
    if (difference.after >= 0)
        selection_->set({{difference.after}});
}

void ComparePage::step(int by) {
    const int rows = differences_->rowCount(), row = table_->currentIndex().row() + by;
    if (row >= 0 && row < rows)
        table_->selectRow(row);
}

void ComparePage::pick(bool before, const std::vector<int>& nodes) {
    const std::vector<int> other = comparison_->pairsOf(before, nodes);
    (before ? after_ : before_)->reveal(other);
    if (const auto& open = before ? other : nodes; !open.empty())
        selection_->set(open);
    const QScopedValueRollback guard(picking_, true);
    if (const int row = comparison_->rowOf(before, nodes.front()); row >= 0)
        table_->selectRow(row);
    else
        table_->setCurrentIndex({});
}

void ComparePage::follow() {
    const std::vector<int>& nodes = selection_->nodes();
    if (!comparison_ || nodes.empty() || !isVisible() || nodes == after_->selected())
        return;
    after_->reveal(nodes);
    pick(false, nodes);
}

bool ComparePage::isArranging() const {
    return before_->isArranging() || after_->isArranging();
}

void ComparePage::allowSteps() {
    for (QAction* each : {next_, previous_})
        each->setEnabled(isVisible() && differences_->rowCount() > 0);
}

void ComparePage::showEvent(QShowEvent* event) {
    Page::showEvent(event);
    allowSteps();
    follow();
}

void ComparePage::hideEvent(QHideEvent* event) {
    Page::hideEvent(event);
    for (QAction* each : {next_, previous_})
        each->setEnabled(false);
}

} // namespace lathe::views::graph
