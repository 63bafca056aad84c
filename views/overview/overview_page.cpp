// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/overview/overview_page.h"

#include "views/models/text/one_line.h"
#include "views/page/elided_label.h"
#include "views/page/share_delegate.h"
#include "views/page/surfaces.h"
#include "views/page/table.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

namespace lathe::views::overview {
namespace {

constexpr int widthOfShares = 120;
constexpr size_t mostDecisions = 50;

QFrame* figureCard(const models::OverviewFigure& figure) {
    QFrame* frame = card();
    auto layout = new QVBoxLayout(frame);
    layout->setContentsMargins(room, room * 2 / 3, room, room * 2 / 3);
    layout->setSpacing(2);
    layout->addWidget(plain(figure.title));
    layout->addWidget(sized(plain(figure.value), 1.6, true));
    auto detail = new ElidedLabel;
    detail->setText(figure.detail);
    layout->addWidget(detail);
    frame->setAccessibleName(QStringLiteral("%1: %2, %3").arg(figure.title, figure.value, figure.detail));
    return frame;
}

} // namespace

OverviewPage::OverviewPage(models::Selection* selection)
    : Page(QStringLiteral("overview"), tr("Overview")), selection_(selection), layers_(new models::LayerModel(this)),
      model_(new ElidedLabel), summary_(new ElidedLabel),
      noLayers_(plain(tr("Run the compiled model (F6) to see where its time goes."))), table_(new QTableView) {
    makeTable();
    sized(model_, 1.6, true);
    noLayers_->setWordWrap(true);
    auto figures = new QHBoxLayout;
    figures->setSpacing(room);
    figures_ = figures;
    auto left = new QVBoxLayout;
    left->setSpacing(room * 2 / 3);
    left->addWidget(heading(tr("Longest layers")));
    left->addWidget(noLayers_);
    left->addWidget(table_);
    left->addSpacing(room);
    left->addWidget(heading(tr("Decisions")));
    auto decisions = new QVBoxLayout;
    decisions_ = decisions;
    left->addLayout(decisions);
    left->addStretch(1);
    auto advice = new QVBoxLayout;
    advice->setSpacing(room * 2 / 3);
    advice_ = advice;
    auto right = new QVBoxLayout;
    right->setSpacing(room * 2 / 3);
    right->addWidget(heading(tr("What to do next")));
    right->addLayout(advice);
    right->addStretch(1);
    below_ = new QWidget;
    auto columns = new QHBoxLayout(below_);
    columns->setContentsMargins(0, 0, 0, 0);
    columns->setSpacing(room * 2);
    columns->addLayout(left, 3);
    columns->addLayout(right, 2);
    auto content = new QWidget;
    auto layout = new QVBoxLayout(content);
    layout->setContentsMargins(room * 2, room * 2, room * 2, room * 2);
    layout->setSpacing(room);
    layout->addWidget(model_);
    layout->addWidget(summary_);
    layout->addLayout(figures);
    layout->addSpacing(room);
    layout->addWidget(below_, 1);
    fill(*this, content);
    connect(selection_, &models::Selection::changed, this, &OverviewPage::follow);
}

void OverviewPage::makeTable() {
    setUpTable(*table_, *layers_);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setItemDelegateForColumn(models::LayerModel::Share, new ShareDelegate(table_));
    table_->setAccessibleName(tr("Longest layers"));
    table_->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    table_->horizontalHeader()->setStretchLastSection(false);
    table_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    table_->horizontalHeader()->setSectionResizeMode(models::LayerModel::Layer, QHeaderView::Stretch);
    table_->horizontalHeader()->setSectionResizeMode(models::LayerModel::Share, QHeaderView::Fixed);
    table_->setColumnWidth(models::LayerModel::Share, widthOfShares);
    table_->setTextElideMode(Qt::ElideMiddle);
    connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& index) {
        if (following_ || !index.isValid())
            return;
        const QScopedValueRollback guard(following_, true);
        const models::OverviewLayer& layer = layers_->at(index.row());
        selection_->set({layer.nodes, layer.call});
    });
    connect(table_, &QTableView::activated, this,
            [this](const QModelIndex& index) { emit functionWanted(layers_->at(index.row()).call); });
}

void OverviewPage::follow() {
    if (following_)
        return;
    const QScopedValueRollback guard(following_, true);
    std::vector<int> rows;
    for (int row = 0; row < layers_->rowCount(); ++row)
        if (layers_->at(row).call == selection_->place().call)
            rows.push_back(row);
    selectRows(*table_, rows);
}

void OverviewPage::show(const models::Overview& overview) {
    model_->setText(overview.model.isEmpty() ? tr("No model is open.") : overview.model);
    below_->setVisible(!overview.model.isEmpty());
    summary_->setText(overview.summary);
    layers_->show(overview.longest);
    noLayers_->setVisible(overview.longest.empty());
    table_->setVisible(!overview.longest.empty());
    table_->setFixedHeight(table_->horizontalHeader()->sizeHint().height() +
                           layers_->rowCount() * table_->verticalHeader()->defaultSectionSize() + 2);
    showFigures(overview.figures);
    showDecisions(overview.decisions);
    showAdvice(overview);
    follow();
}

void OverviewPage::showFigures(const std::vector<models::OverviewFigure>& figures) {
    empty(*figures_);
    for (const models::OverviewFigure& figure : figures)
        figures_->addWidget(figureCard(figure), 1);
}

void OverviewPage::showDecisions(const std::vector<models::DecisionRow>& decisions) {
    empty(*decisions_);
    if (decisions.empty())
        decisions_->addWidget(plain(tr("None: all is as it is by default.")));
    for (size_t i = 0; i < std::min(decisions.size(), mostDecisions); ++i) {
        const models::DecisionRow& decision = decisions[i];
        auto row = new QWidget;
        auto layout = new QHBoxLayout(row);
        layout->setContentsMargins(0, 0, 0, 0);
        auto what = new ElidedLabel;
        what->setText(decision.what);
        auto from = plain(decision.from);
        from->setForegroundRole(QPalette::PlaceholderText);
        auto button = new QPushButton(tr("Drop"));
        button->setAccessibleName(tr("Drop: %1").arg(decision.what));
        connect(button, &QPushButton::clicked, this, [this, drop = decision.drop] { emit whatIfWanted(drop); });
        layout->addWidget(what, 1);
        layout->addWidget(from);
        layout->addWidget(button);
        decisions_->addWidget(row);
    }
    if (decisions.size() > mostDecisions)
        decisions_->addWidget(plain(tr("and %1 more").arg(decisions.size() - mostDecisions)));
}

void OverviewPage::showAdvice(const models::Overview& overview) {
    empty(*advice_);
    if (overview.advice.empty()) {
        auto none =
            plain(overview.ran          ? tr("Nothing: no rule has anything to say.")
                  : overview.isCompiled ? tr("Run the compiled model (F6): advice goes by figures.")
                                        : tr("Compile the model (F5), and run it (F6): advice goes by figures."));
        none->setWordWrap(true);
        advice_->addWidget(none);
    }
    for (const advise::Advice& advice : overview.advice) {
        QFrame* frame = card();
        auto layout = new QVBoxLayout(frame);
        layout->setContentsMargins(room, room * 2 / 3, room, room * 2 / 3);
        auto what = sized(plain(models::oneLine(advice.what)), 1, true);
        auto why = plain(models::oneLine(advice.why, 600));
        what->setWordWrap(true);
        why->setWordWrap(true);
        auto button = new QPushButton(models::textOf(advice.step));
        button->setObjectName(QString::fromUtf8(advice.rule.data(), qsizetype(advice.rule.size())));
        button->setAccessibleName(QStringLiteral("%1: %2").arg(button->text(), what->text()));
        connect(button, &QPushButton::clicked, this, [this, advice] { emit adviceTaken(advice); });
        layout->addWidget(what);
        layout->addWidget(why);
        layout->addWidget(button, 0, Qt::AlignLeft);
        advice_->addWidget(frame);
    }
}

} // namespace lathe::views::overview
