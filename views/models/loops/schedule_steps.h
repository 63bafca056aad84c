// SPDX-License-Identifier: GPL-3.0-or-later
//
// How a kernel's schedule came about, step by step: what was done, what was decided, what was tried and refused; and the loops
// as they stood after a step.
#pragma once

#include "views/models/loops/kernel_texts.h"

#include <QAbstractTableModel>

namespace lathe::views::models {

/// The function after the first steps of its schedule: replays them; call it on a worker thread.
OriginText textAfterSteps(const driver::KernelRecord& kernel, int steps);

class ScheduleStepModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Number, What, columns };
    using QAbstractTableModel::QAbstractTableModel;

    /// Null: there is none.
    void show(const driver::KernelRecord* kernel);
    /// How many steps were done with this row; -1: it was refused.
    int stepsAt(int row) const { return row < steps_ ? row + 1 : -1; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QStringList rows_; // the steps, then what was refused
    int steps_ = 0;
};

} // namespace lathe::views::models
