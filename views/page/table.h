// SPDX-License-Identifier: GPL-3.0-or-later
//
// How all tables of the window look and behave: whole rows, headings at the left, no grid. What is special to one is set
// after it.
#pragma once

#include "views/page/row_delegate.h"

#include <QAbstractItemModel>
#include <QHeaderView>
#include <QTableView>

namespace lathe::views {

inline void setUpTable(QTableView& table, QAbstractItemModel& model) {
    table.setModel(&model);
    table.verticalHeader()->hide();
    table.verticalHeader()->setDefaultSectionSize(rowHeight);
    table.setItemDelegate(new RowDelegate(&table));
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

} // namespace lathe::views
