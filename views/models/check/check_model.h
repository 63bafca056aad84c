// SPDX-License-Identifier: GPL-3.0-or-later
//
// The intermediate values of a compiled model against what they should be: a row for each, in the model's order.
#pragma once

#include "diagnose/check.h"

#include <QAbstractTableModel>
#include <memory>

namespace lathe::views::models {

using CheckPtr = std::shared_ptr<const diagnose::Check>;

class CheckModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { State, Value, Error, OfLimit, Beyond, Where, Type, columns };
    static constexpr int sortRole = Qt::UserRole + 1;
    static constexpr int comparedRole = Qt::UserRole + 2; // "yes" or "no"
    using QAbstractTableModel::QAbstractTableModel;

    /// Null: nothing was checked.
    void show(CheckPtr check);
    const CheckPtr& check() const { return check_; }
    const diagnose::CheckRow& at(int row) const { return check_->rows[size_t(row)]; }
    /// Rows of what diverges first.
    std::vector<int> first() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    CheckPtr check_;
};

/// "2.4e-06", "1,204", "∞".
QString errorText(double error);

} // namespace lathe::views::models
