// SPDX-License-Identifier: GPL-3.0-or-later
//
// A size swept, as a table: a row a size.
#pragma once

#include "inspect/sweep.h"

#include <QAbstractTableModel>

namespace lathe::views::models {

class SweepModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Size, Median, Least, Half, Each, Runs, columns };
    using QAbstractTableModel::QAbstractTableModel;

    void show(inspect::Sweep sweep);
    const inspect::Sweep& sweep() const { return sweep_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    inspect::Sweep sweep_;
};

/// Over which sizes, on what, and how the time goes with them.
QString summaryOf(const inspect::Sweep& sweep);

} // namespace lathe::views::models
