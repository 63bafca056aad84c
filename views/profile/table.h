// SPDX-License-Identifier: GPL-3.0-or-later
//
// How the tables of this page look and behave: whole rows, sorted by a click on a heading.
#pragma once

#include <QAbstractItemModel>
#include <QHeaderView>
#include <QTableView>

namespace lathe::views::profile {

inline void setUpTable(QTableView& table, QAbstractItemModel& model) {
    table.setModel(&model);
    table.setSortingEnabled(true);
    table.verticalHeader()->hide();
    table.verticalHeader()->setDefaultSectionSize(26);
    table.horizontalHeader()->setStretchLastSection(true);
    table.horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    table.horizontalHeader()->setHighlightSections(false);
    table.setSelectionBehavior(QAbstractItemView::SelectRows);
    table.setShowGrid(false);
    table.setFrameShape(QFrame::NoFrame);
    table.setAlternatingRowColors(true);
    table.setWordWrap(false);
    table.setTabKeyNavigation(false);
}

} // namespace lathe::views::profile
