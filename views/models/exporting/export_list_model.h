// SPDX-License-Identifier: GPL-3.0-or-later
//
// The exports that a project keeps, as a table: one a row, the newest first.
#pragma once

#include "views/models/exporting/kept_export.h"

#include <QAbstractTableModel>

namespace lathe::views::models {

class ExportListModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum class Whereabouts { There, Replaced, Gone };
    enum Column { Name, Made, Targets, Size, Threads, Median, Slowest, Memory, State, Place, columns };
    using QAbstractTableModel::QAbstractTableModel;

    /// The oldest first, as they are kept.
    void show(const QList<KeptExport>& exports);
    const QList<KeptExport>& exports() const { return exports_; }
    /// One that was just written.
    void add(const KeptExport& made);
    /// What was found of the newest.
    void setEnd(const ExportEnd& end);
    void remove(int row);
    const KeptExport& at(int row) const { return exports_[exports_.size() - 1 - row]; }
    /// Looks again which of them are where they were written.
    void look();
    /// Whether it is the bundle that lies at its place now, or a later one took that, or nothing is there.
    Whereabouts whereabouts(int row) const { return whereabouts_[whereabouts_.size() - 1 - row]; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QList<KeptExport> exports_;
    QList<Whereabouts> whereabouts_; // beside them
};

} // namespace lathe::views::models
