// SPDX-License-Identifier: GPL-3.0-or-later
//
// The longest kernel calls of a run as a table: a row each, what it takes, what share of the machine it reaches, and what
// bounds it.
#pragma once

#include "views/models/overview/overview.h"

#include <QAbstractTableModel>

namespace lathe::views::models {

class LayerModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Layer, Time, Share, Machine, Bound, columns };
    static constexpr int shareRole = Qt::UserRole; // of the longest, as a bar
    using QAbstractTableModel::QAbstractTableModel;

    void show(std::vector<OverviewLayer> layers);
    const OverviewLayer& at(int row) const { return layers_.at(size_t(row)); }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<OverviewLayer> layers_;
};

} // namespace lathe::views::models
