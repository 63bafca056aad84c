// SPDX-License-Identifier: GPL-3.0-or-later
//
// The passes of a Trace as a table: one row a pass, with what it changed and what it cost. What it made of the model in figures
// comes later: it is worked out elsewhere.
#pragma once

#include "inspect/pass_figures.h"

#include <QAbstractTableModel>
#include <vector>

namespace lathe::views::models {

struct PassRow {
    int index = 0; // in the Trace
    QString name, stage;
    bool required = true, enabled = true, ran = true, changed = false, failed = false;
    double ms = 0;
    qlonglong bindings = 0, delta = 0; // after it, and against the pass before
    inspect::PassFigures figures;
};

std::vector<PassRow> passRows(const driver::Trace& trace);
/// "fuse: changed, 1.67 ms, +288 bindings, -12.4 M bytes": what is known of it.
QString sentenceOf(const PassRow& row);
/// "failed", "off", "not run", "changed"; "–" for one that ran and changed nothing.
QString outcomeOf(const PassRow& row);

class PassModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Name, Stage, Changed, Amount, Time, columns };
    using QAbstractTableModel::QAbstractTableModel;

    void show(std::vector<PassRow> rows);
    void setFigures(const std::vector<inspect::PassFigures>& figures);
    void setOnlyChanged(bool only);
    const PassRow& at(int row) const { return rows_[shown_[row]]; }
    /// The last optional pass up to this row; empty: there is none.
    QString lastOptional(int row) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    void choose();

    std::vector<PassRow> rows_;
    std::vector<size_t> shown_;
    bool onlyChanged_ = false;
};

} // namespace lathe::views::models
