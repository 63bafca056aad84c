// SPDX-License-Identifier: GPL-3.0-or-later
//
// The sizes that a model leaves open, as rows: what each is run with can be written into its cell. An exporter that names no
// size leaves one open for each dim of each of a model's inputs, so there may be hundreds.
#pragma once

#include "views/models/inputs/open_sizes.h"

#include <QAbstractTableModel>

namespace lathe::views::models {

class OpenSizeModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Name, Size, Where, columns };
    static constexpr qint64 largest = 1 << 24;
    using QAbstractTableModel::QAbstractTableModel;

    /// Values by name; what has none is 1.
    void show(std::vector<OpenSize> sizes, const SizeValues& values);
    /// Of the rows.
    SizeValues values() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    /// False: it is no size from 0 to the largest.
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<OpenSize> sizes_;
    std::vector<qint64> values_; // beside them
};

} // namespace lathe::views::models
