// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/inputs/open_size_model.h"

#include "views/models/text/counted.h"

#include <algorithm>

namespace lathe::views::models {

void OpenSizeModel::show(std::vector<OpenSize> sizes, const SizeValues& values) {
    beginResetModel();
    sizes_ = std::move(sizes);
    values_.clear();
    for (const OpenSize& size : sizes_) {
        const auto value = values.find(size.name);
        values_.push_back(value == values.end() ? 1 : std::clamp(value->second, qint64{0}, largest));
    }
    endResetModel();
}

SizeValues OpenSizeModel::values() const {
    SizeValues values;
    for (size_t i = 0; i < sizes_.size(); ++i)
        values[sizes_[i].name] = values_[i];
    return values;
}

int OpenSizeModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(sizes_.size());
}

int OpenSizeModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : columns;
}

QVariant OpenSizeModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || size_t(index.row()) >= sizes_.size())
        return {};
    const OpenSize& size = sizes_[size_t(index.row())];
    const qint64 value = values_[size_t(index.row())];
    if (role == Qt::AccessibleTextRole && index.column() == Size)
        return tr("%1 runs with %2").arg(size.name, grouped(value));
    if (role == Qt::EditRole && index.column() == Size)
        return value;
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole && role != Qt::EditRole)
        return {};
    switch (index.column()) {
    case Name:
        return size.name;
    case Size:
        return grouped(value);
    default:
        return size.where.join(QStringLiteral(", "));
    }
}

bool OpenSizeModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    bool isNumber = false;
    const qint64 size = value.toLongLong(&isNumber);
    if (role != Qt::EditRole || index.column() != Size || !isNumber || size < 0 || size > largest)
        return false;
    values_[size_t(index.row())] = size;
    emit dataChanged(index, index);
    return true;
}

Qt::ItemFlags OpenSizeModel::flags(const QModelIndex& index) const {
    return QAbstractTableModel::flags(index) | (index.column() == Size ? Qt::ItemIsEditable : Qt::NoItemFlags);
}

QVariant OpenSizeModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    return section == Name ? tr("Open size") : section == Size ? tr("Runs with") : tr("Dims of inputs");
}

} // namespace lathe::views::models
