// SPDX-License-Identifier: GPL-3.0-or-later
//
// Two profiles beside each other: for what became faster or slower, its functions before and now, and whether that is more
// than the noise.
#pragma once

#include "inspect/profile_diff.h"

#include <QAbstractTableModel>

namespace lathe::views::models {

class ProfileChangeModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Before, After, BeforeTime, AfterTime, Difference, Noise, columns };
    static constexpr int sortRole = Qt::UserRole + 1;
    using QAbstractTableModel::QAbstractTableModel;

    /// Empty profiles: there is nothing to compare.
    void show(inspect::Profile before, inspect::Profile after);
    const inspect::ProfileChange& at(int row) const { return changes_[size_t(row)]; }
    const inspect::Profile& before() const { return before_; }
    const inspect::Profile& after() const { return after_; }
    /// The call of the later compilation that a change is about; -1: none, or several.
    int callOf(int row) const;
    /// The model node that its first function begins at (driver::homeOf), of now, else of before; -1: none.
    int homeOf(int row) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    inspect::Profile before_, after_;
    std::vector<inspect::ProfileChange> changes_;
};

} // namespace lathe::views::models
