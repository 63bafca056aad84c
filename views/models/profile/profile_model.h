// SPDX-License-Identifier: GPL-3.0-or-later
//
// The profile of a run: time for each fused function, its share, and the rates it reached.
#pragma once

#include "inspect/profile.h"
#include "views/models/inputs/open_sizes.h"

#include <QAbstractTableModel>

namespace lathe::views::models {

class ProfileModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Function, Time, Share, Gflops, Gbs, Nodes, columns };
    static constexpr int shareRole = Qt::UserRole; // of the slowest function, as a bar
    static constexpr int sortRole = Qt::UserRole + 1;
    using QAbstractTableModel::QAbstractTableModel;

    void show(inspect::Profile profile);
    const inspect::Profile& profile() const { return profile_; }
    const inspect::ProfileRow& at(int row) const { return profile_.rows[row]; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    inspect::Profile profile_;
};

} // namespace lathe::views::models
