// SPDX-License-Identifier: GPL-3.0-or-later
//
// How all tables of the window look and behave: whole rows, headings at the left, no grid, rows as high as their texts, columns
// as wide as the first rows need (a model may have thousands), many rows selected at once. What is special to one is set after it.
#pragma once

#include "views/page/row_delegate.h"
#include "views/page/table_export.h"

#include <QAbstractItemModel>
#include <QEvent>
#include <QHeaderView>
#include <QTableView>
#include <algorithm>
#include <vector>

namespace lathe::views {

inline constexpr int rowsMeasured = 100; // for the width of a column

/// Rows of a table have one height, which is not asked of a delegate: it follows the size of texts, which the user changes.
class RowHeight : public QObject {
public:
    explicit RowHeight(QTableView& table) : QObject(&table), table_(table) {
        table.installEventFilter(this);
        fit();
    }
    bool eventFilter(QObject*, QEvent* event) override {
        if (event->type() == QEvent::FontChange)
            fit();
        return false;
    }

private:
    void fit() {
        constexpr int around = 10;
        table_.verticalHeader()->setDefaultSectionSize(std::max(rowHeight, table_.fontMetrics().height() + around));
    }

    QTableView& table_;
};

inline void setUpTable(QTableView& table, QAbstractItemModel& model) {
    table.setModel(&model);
    table.verticalHeader()->hide();
    new RowHeight(table); // the table's
    table.setItemDelegate(new RowDelegate(&table));
    table.horizontalHeader()->setStretchLastSection(true);
    table.horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    table.horizontalHeader()->setHighlightSections(false);
    table.horizontalHeader()->setResizeContentsPrecision(rowsMeasured);
    table.setSelectionBehavior(QAbstractItemView::SelectRows);
    table.setShowGrid(false);
    table.setFrameShape(QFrame::NoFrame);
    table.setAlternatingRowColors(true);
    table.setWordWrap(false);
    table.setTabKeyNavigation(false);
    addExporting(table);
}

/// Selects these rows, as the table shows them, and no others, and goes to the first. Rows that follow each other are one
/// range: Qt compares each range with each other one.
inline void selectRows(QTableView& table, std::vector<int> rows) {
    std::ranges::sort(rows);
    QItemSelection selection;
    const QAbstractItemModel& model = *table.model();
    for (size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
        for (end = begin + 1; end < rows.size() && rows[end] == rows[end - 1] + 1;)
            ++end;
        selection.append({model.index(rows[begin], 0), model.index(rows[end - 1], 0)});
    }
    table.selectionModel()->select(selection, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    if (!rows.empty())
        table.scrollTo(model.index(rows.front(), 0));
}

} // namespace lathe::views
