// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/fusion/fusion_page.h"

#include "views/canvas/graph_pane.h"
#include "views/models/text/counted.h"
#include "views/page/elided_label.h"
#include "views/page/row_delegate.h"
#include "views/page/table.h"

#include <QAction>
#include <QCursor>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QScopedValueRollback>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

namespace lathe::views::fusion {

using models::FusionModel;
using models::FusionPairModel;

FusionPage::FusionPage(models::Selection* selection)
    : Page(QStringLiteral("fusion"), tr("Fusion")), selection_(selection), functions_(new FusionModel(this)),
      pairs_(new FusionPairModel(this)) {
    makeTree();
    makeTable();
    makeActions();
    QWidget* views = makeViews();
    QLayout* bar = makeBar();
    auto splitter = new QSplitter(Qt::Vertical);
    splitter->addWidget(views);
    splitter->addWidget(makeBelow());
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 2);
    splitter->setChildrenCollapsible(false);
    auto layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(bar);
    layout->addWidget(splitter, 1);

    connectLists();
    connectActions();
    connect(selection_, &models::Selection::changed, this, &FusionPage::followSelection);
    connect(pane_, &canvas::GraphPane::nodesPicked, this, &FusionPage::pickInPicture);
    connect(pane_, &canvas::GraphPane::arranged, this, &FusionPage::arranged);
    setProvenance(nullptr);
}

void FusionPage::makeTree() {
    sorted_ = new QSortFilterProxyModel(this);
    sorted_->setSourceModel(functions_);
    sorted_->setSortRole(FusionModel::sortRole);
    tree_ = new QTreeView;
    tree_->setModel(sorted_);
    tree_->setSortingEnabled(true);
    tree_->header()->setSortIndicator(-1, Qt::AscendingOrder); // the order of the model
    tree_->header()->setSortIndicatorClearable(true);
    tree_->setUniformRowHeights(true);
    tree_->header()->setResizeContentsPrecision(rowsMeasured);
    tree_->setItemDelegate(new RowDelegate(tree_));
    tree_->setAlternatingRowColors(true);
    tree_->setFrameShape(QFrame::NoFrame);
    tree_->setAccessibleName(tr("Fused functions"));
    tree_->setTextElideMode(Qt::ElideMiddle); // long names are told apart by their ends
    tree_->setContextMenuPolicy(Qt::ActionsContextMenu);
}

void FusionPage::makeTable() {
    table_ = new QTableView;
    setUpTable(*table_, *pairs_);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setWordWrap(true); // reasons have several lines
    table_->setAccessibleName(tr("Why operators are in one function or not"));
    table_->setContextMenuPolicy(Qt::ActionsContextMenu);
}

void FusionPage::makeActions() {
    apart_ = new QAction(tr("&Keep apart"), this);
    apart_->setToolTip(tr("Compile with these two operators in functions of their own"));
    together_ = new QAction(tr("&Fuse again"), this);
    together_->setToolTip(tr("Compile with these two in one function again, if that is possible"));
    dissolve_ = new QAction(tr("&Take the function apart"), this);
    dissolve_->setToolTip(tr("Compile with each operator of this function in one of its own"));
    choose_ = new QAction(tr("&Choose a variant or layout…"), this);
    asPicture_ = new QAction(tr("&Picture"), this);
    asPicture_->setCheckable(true);
    asPicture_->setToolTip(tr("The graph with a box around each function, instead of the list"));
    choices_ = new QMenu(tr("&Choose"), this);
    for (QAction* action : {choose_, choices_->menuAction()})
        action->setToolTip(tr("Other variants and layouts of the function's operators"));
}

QWidget* FusionPage::makeViews() {
    pane_ = new canvas::GraphPane(tr("Fused functions in the graph"), models::GroupStyle::Scopes);
    views_ = new QStackedWidget;
    views_->addWidget(tree_);
    views_->addWidget(pane_);
    return views_;
}

QLayout* FusionPage::makeBar() {
    summary_ = new QLabel;
    summary_->setMargin(8);
    summary_->setWordWrap(true); // the window may be narrow
    auto asPicture = new QToolButton;
    asPicture->setDefaultAction(asPicture_);
    auto bar = new QHBoxLayout;
    bar->setContentsMargins(0, 0, 8, 0);
    bar->addWidget(summary_, 1);
    bar->addWidget(asPicture);
    return bar;
}

QWidget* FusionPage::makeBelow() {
    auto below = new QWidget;
    auto layout = new QVBoxLayout(below);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(table_, 1); // the first that Tab comes to
    layout->insertLayout(0, makeWishes());
    return below;
}

QLayout* FusionPage::makeWishes() {
    about_ = new ElidedLabel;
    about_->setContentsMargins(8, 8, 8, 8);
    auto wishes = new QHBoxLayout;
    wishes->setContentsMargins(0, 0, 8, 0);
    wishes->addWidget(about_, 1);
    for (QAction* action : {apart_, together_, dissolve_}) {
        auto button = new QToolButton;
        button->setDefaultAction(action);
        wishes->addWidget(button);
        (action == dissolve_ ? static_cast<QWidget*>(tree_) : table_)->addAction(action);
    }
    auto choose = new QToolButton;
    choose->setDefaultAction(choices_->menuAction());
    choose->setPopupMode(QToolButton::InstantPopup);
    wishes->addWidget(choose);
    tree_->addAction(choices_->menuAction());
    connect(choose_, &QAction::triggered, this, [this, choose] { // from anywhere, the palette too
        choices_->popup(isVisible() ? choose->mapToGlobal(QPoint(0, choose->height())) : QCursor::pos());
    });
    connect(choices_, &QMenu::aboutToShow, this, &FusionPage::fillChoices);
    return wishes;
}

void FusionPage::connectLists() {
    connect(tree_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &FusionPage::showRow);
    connect(tree_, &QTreeView::activated, this, [this](const QModelIndex& index) {
        const models::FusedRow& row = functions_->at(source(index));
        const auto& nodes = row.members.empty() ? row.nodes : row.members.front().nodes; // where the function begins
        if (!nodes.empty())
            emit nodeWanted(nodes.front());
    });
    connect(table_, &QTableView::activated, this, [this](const QModelIndex& index) {
        const models::FusionPairRow& pair = pairs_->at(index.row());
        const QModelIndex row = source(tree_->currentIndex());
        const int here = row.parent().isValid() ? row.parent().row() : row.row();
        const bool forward = pair.fromFunction == here;
        goTo(forward ? pair.toFunction : pair.fromFunction, forward ? pair.toMember : pair.fromMember);
    });
    connect(table_->horizontalHeader(), &QHeaderView::sectionResized, this, [this](int column) {
        if (column == FusionPairModel::Why)
            fitReasons();
    });
    connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &FusionPage::allowWishes);
    connect(pairs_, &QAbstractItemModel::modelReset, this, &FusionPage::allowWishes);
}

void FusionPage::connectActions() {
    const auto pairAtHand = [this] { return models::Pairs{pairs_->at(table_->currentIndex().row()).pair}; };
    connect(apart_, &QAction::triggered, this,
            [this, pairAtHand] { emit whatIfWanted(models::keepApart(pairAtHand(), true)); });
    connect(together_, &QAction::triggered, this,
            [this, pairAtHand] { emit whatIfWanted(models::keepApart(pairAtHand(), false)); });
    connect(dissolve_, &QAction::triggered, this, [this] {
        const QModelIndex row = source(tree_->currentIndex());
        const models::Pairs pairs = pairs_->joinedIn(row.parent().isValid() ? row.parent().row() : row.row());
        emit whatIfWanted(models::keepApart(pairs, true));
    });
    connect(asPicture_, &QAction::toggled, this, [this](bool on) {
        views_->setCurrentIndex(on ? 1 : 0);
        askForPicture();
    });
}

QModelIndex FusionPage::source(const QModelIndex& shown) const {
    return sorted_->mapToSource(shown).siblingAtColumn(0);
}

void FusionPage::setProvenance(std::shared_ptr<const inspect::Provenance> provenance) {
    const driver::Trace* trace = provenance ? &provenance->trace() : nullptr;
    const auto fuse = [](const driver::PassRecord& pass) { return pass.name == "fuse" && !pass.enabled; };
    summary_->setText(trace && std::ranges::any_of(trace->passes, fuse)
                          ? tr("The pass \"fuse\" is off: each operator is a function of its own.")
                          : tr("Compile the model (F5) to see which operators become one function, and why."));
    hasCompilation_ = trace && inspect::lastModule(*trace);
    pictureAsked_ = false;
    setPicture(nullptr);
    setFunctions({});
    askForPicture();
}

void FusionPage::setFunctions(const models::FusionRows& rows) {
    qint64 operators = 0, calls = 0;
    for (const models::FusedRow& function : rows.functions) {
        operators += function.operators;
        calls += function.calls;
    }
    const auto views = std::ranges::count(rows.functions, 0, &models::FusedRow::calls);
    const auto joined = std::ranges::count(rows.pairs, true, &models::FusionPairRow::joined);
    if (!rows.functions.empty())
        summary_->setText(tr("%1 of %2: %3, %4. %5 of values between them, %6 inside of a function.")
                              .arg(models::counted(qint64(rows.functions.size()), "fused function", "fused functions"),
                                   models::counted(operators, "operator", "operators"),
                                   models::counted(calls, "kernel call", "kernel calls"),
                                   models::counted(qint64(views), "view", "views"),
                                   models::counted(qint64(rows.pairs.size()), "use", "uses"),
                                   models::counted(qint64(joined), "is", "are")));
    pairs_->setPairs(rows.pairs);
    functions_->show(rows.functions);
    showRow({});
    for (const int column : {FusionModel::Function, FusionModel::Kernel}) {
        tree_->resizeColumnToContents(column);
        tree_->setColumnWidth(column, std::clamp(tree_->columnWidth(column), 160, 320));
    }
    for (int column = FusionModel::Operators; column <= FusionModel::Bytes; ++column)
        tree_->setColumnWidth(column, 90);
    followSelection();
}

std::vector<PageAction> FusionPage::pageActions() const {
    return {{"apart", apart_, {}},
            {"together", together_, {}},
            {"dissolve", dissolve_, {}},
            {"choose", choose_, {}},
            {"picture", asPicture_, {}}};
}

bool FusionPage::isArranging() const {
    return pane_->isArranging();
}

void FusionPage::askForPicture() {
    if (!isVisible() || !asPicture_->isChecked() || !hasCompilation_ || std::exchange(pictureAsked_, true))
        return;
    pane_->setMessage(tr("Drawing the functions …"));
    emit pictureWanted();
}

void FusionPage::setPicture(std::shared_ptr<const models::FusionPicture> picture) {
    picture_ = std::move(picture);
    if (picture_ && !picture_->graph) {
        pane_->show(nullptr, {}, {});
        return pane_->setMessage(std::exchange(picture_, nullptr)->why);
    }
    pane_->show(picture_ ? picture_->graph : nullptr, {}, {});
    if (!picture_)
        return pane_->setMessage(tr("Compile the model (F5) to see which operators become one function, and why."));
    colourPicture();
    showInPicture();
}

void FusionPage::colourPicture() {
    if (!picture_)
        return;
    pane_->colour([picture = picture_, functions = functions_->functions(),
                   pairs = pairs_->all()](const models::GroupedGraph* grouped) {
        return fusionOverlay(*picture, functions, pairs, grouped);
    });
}

void FusionPage::showInPicture() {
    const QModelIndex row = source(tree_->currentIndex());
    if (!picture_ || picking_)
        return;
    const bool function = !row.parent().isValid();
    const models::FusionPicture::Row place = function ? models::FusionPicture::Row{row.row(), -1}
                                                      : models::FusionPicture::Row{row.parent().row(), row.row()};
    pane_->reveal(picture_->nodesOf(place));
}

void FusionPage::pickInPicture(const std::vector<int>& nodes) {
    const models::FusionPicture::Row row = picture_->rowOf(nodes);
    const QScopedValueRollback guard(picking_, true);
    goTo(row.function, row.member);
}

void FusionPage::setProfile(const inspect::Profile& profile) {
    functions_->setProfile(profile);
    colourPicture();
}

void FusionPage::showRow(const QModelIndex& shown) {
    const QModelIndex row = source(shown);
    if (!row.isValid()) {
        pairs_->choose(-1, -1);
        showInPicture();
        about_->setText(functions_->functions().empty()
                            ? QString()
                            : tr("Select a function to see what is fused with what, and what is not and why."));
        return;
    }
    const bool function = !row.parent().isValid();
    pairs_->choose(function ? row.row() : row.parent().row(), function ? -1 : row.row());
    about_->setText(pairs_->rowCount() ? tr("Values from, to and within %1").arg(functions_->at(row).name)
                                       : tr("No operator around %1 could stand with it in one function: it reads and "
                                            "gives inputs, constants and outputs.")
                                             .arg(functions_->at(row).name));
    fitPairs();
    showInPicture();
    if (following_)
        return;
    const QScopedValueRollback own(following_, true);
    selection_->set(functions_->at(row).nodes);
}

const models::FusedRow* FusionPage::functionAtHand() const {
    const QModelIndex row = source(tree_->currentIndex());
    if (!row.isValid())
        return nullptr;
    return &functions_->at(row.parent().isValid() ? row.parent() : row);
}

void FusionPage::fillChoices() {
    choices_->clear();
    const models::FusedRow* function = functionAtHand();
    if (!function)
        return;
    for (const models::FusedChoice& choice : function->choices) {
        choices_->addSection(choice.title);
        for (const auto& option : choice.options) {
            QAction* action = choices_->addAction(option.text);
            action->setCheckable(true);
            action->setChecked(option.chosen);
            connect(action, &QAction::triggered, this, [this, wish = option.wish] { emit whatIfWanted(wish); });
        }
    }
}

void FusionPage::allowWishes() {
    const models::FusedRow* function = functionAtHand();
    for (QAction* action : {choose_, choices_->menuAction()})
        action->setEnabled(function && !function->choices.empty());
    const QModelIndex pair = table_->currentIndex(), row = source(tree_->currentIndex());
    const bool isPair = pair.isValid() && pair.row() < pairs_->rowCount();
    apart_->setEnabled(isPair && pairs_->at(pair.row()).joined);
    together_->setEnabled(isPair && pairs_->at(pair.row()).keptApart);
    dissolve_->setEnabled(row.isValid() &&
                          !pairs_->joinedIn(row.parent().isValid() ? row.parent().row() : row.row()).empty());
}

void FusionPage::showEvent(QShowEvent* event) {
    Page::showEvent(event);
    fitPairs(); // what was shown before had no width to fit
    askForPicture();
}

void FusionPage::fitPairs() {
    for (const int column : {FusionPairModel::Producer, FusionPairModel::Consumer, FusionPairModel::Joined}) {
        table_->resizeColumnToContents(column);
        table_->setColumnWidth(column, std::min(table_->columnWidth(column), table_->viewport()->width() / 4));
    }
    fitReasons();
}

void FusionPage::fitReasons() {
    const QFontMetrics metrics(table_->font());
    int longest = 0;
    for (int row = 0; row < pairs_->rowCount(); ++row)
        longest = std::max(longest, metrics.horizontalAdvance(pairs_->at(row).why));
    // Lines end between words, so a line holds a little less than the width.
    const int width = std::max(80, (table_->columnWidth(FusionPairModel::Why) - 12) * 9 / 10);
    const int lines = std::max(1, (longest + width - 1) / width);
    table_->verticalHeader()->setDefaultSectionSize(rowHeight + (lines - 1) * metrics.lineSpacing());
}

void FusionPage::followSelection() {
    if (following_)
        return;
    const QScopedValueRollback following(following_, true);
    goTo(functions_->functionOf(selection_->nodes()), -1);
}

void FusionPage::goTo(int function, int member) {
    QModelIndex row = functions_->index(function, 0);
    if (member >= 0)
        row = functions_->index(member, 0, row);
    const QModelIndex shown = sorted_->mapFromSource(row);
    tree_->setCurrentIndex(shown);
    if (!shown.isValid())
        return tree_->clearSelection();
    tree_->scrollTo(shown);
}

} // namespace lathe::views::fusion
