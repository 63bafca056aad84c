// SPDX-License-Identifier: GPL-3.0-or-later
//
// Two exports beside each other, as a table: what was measured of each, then what is different between them.
#pragma once

#include "views/models/exporting/kept_export.h"

#include <QAbstractTableModel>

namespace lathe::views::models {

/// What the bundles that lie there now say of themselves.
struct BundleFindings {
    QString beforeId, afterId;
    QList<ExportChange> changes; // as `lathe bundle diff` lists them: "file model/net.so", "target x86-64-v3" …
};

class ExportChangeModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { What, Before, After, Change, columns };
    using QAbstractTableModel::QAbstractTableModel;

    /// `changes` follow the figures.
    void show(const ExportEnd& before, const ExportEnd& after, const QList<ExportChange>& changes);
    void clear();

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Row {
        QString what, before, after, change;
    };
    QList<Row> rows_;
};

} // namespace lathe::views::models
