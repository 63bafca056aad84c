// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/profile/change_panel.h"

#include "views/models/profile/run_texts.h"
#include "views/page/table.h"

#include <QLabel>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QVBoxLayout>
#include <cmath>

namespace lathe::views::profile {

namespace {

tune::Interval msOf(const inspect::Profile& profile) {
    return {profile.lowMs, profile.medianMs, profile.highMs};
}

} // namespace

using models::ProfileChangeModel;

ChangePanel::ChangePanel(models::Selection* selection)
    : changes_(new ProfileChangeModel(this)), sorted_(new QSortFilterProxyModel(this)), table_(new QTableView),
      summary_(new QLabel) {
    summary_->setTextFormat(Qt::PlainText); // it shows names of the model
    sorted_->setSourceModel(changes_);
    sorted_->setSortRole(ProfileChangeModel::sortRole);
    setUpTable(*table_, *sorted_);
    table_->setSortingEnabled(true);
    table_->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder); // the largest differences first
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setAccessibleName(tr("What became faster or slower"));
    summary_->setMargin(8);
    summary_->setWordWrap(true);
    summary_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(summary_);
    layout->addWidget(table_, 1);
    connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this, selection](const QModelIndex& index) {
                if (!index.isValid())
                    return;
                const int row = sorted_->mapToSource(index).row();
                selection->set({changes_->at(row).nodes, changes_->callOf(row)});
            });
    connect(table_, &QTableView::activated, this, [this](const QModelIndex& index) {
        if (const int home = changes_->homeOf(sorted_->mapToSource(index).row()); home >= 0)
            emit nodeWanted(home);
    });
    setProfiles({}, {});
}

void ChangePanel::setProfiles(const inspect::Profile& before, const inspect::Profile& after, const QString& beforeName,
                              const QString& afterName) {
    changes_->show(before, after);
    table_->resizeColumnsToContents();
    for (const int column : {ProfileChangeModel::Before, ProfileChangeModel::After})
        table_->setColumnWidth(column, std::min(table_->columnWidth(column), 340));
    if (after.rows.empty()) {
        summary_->setText(
            tr("Change something (a decision in the page Fusion, the settings), then run and compare (Shift+F6): the "
               "compilation before and the one of now run by turns, and the differences stand here."));
        return;
    }
    const auto one = [](const inspect::Profile& profile, const QString& name) {
        return tr("%1: median %2").arg(name, models::runsText(msOf(profile)));
    };
    const QString change = models::changeText(msOf(before), msOf(after), inspect::differs(before, after));
    summary_->setText(tr("%1. Before, %2. Now, %3.").arg(change, one(before, beforeName), one(after, afterName)));
}

} // namespace lathe::views::profile
