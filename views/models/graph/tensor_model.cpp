// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/graph/tensor_model.h"

#include "data/compare.h"
#include "model/host_tensor.h"
#include "views/models/graph/tensor_values.h"

#include <algorithm>
#include <cmath>

namespace lathe::views::models {

namespace {

constexpr int shownDigits = 6;

bool hasElements(const model::TensorData& tensor) {
    return tensor.dtype == types::String ? int64_t(tensor.strings.size()) == tensor.elements()
                                         : data::hasNumbers(tensor);
}

} // namespace

void TensorModel::show(model::TensorPtr tensor) {
    beginResetModel();
    tensor_ = tensor && hasElements(*tensor) ? std::move(tensor) : nullptr;
    outer_.assign(tensor_ && tensor_->shape.size() > 2 ? tensor_->shape.size() - 2 : 0, 0);
    firstRow_ = firstColumn_ = 0;
    heat_.reset();
    endResetModel();
}

void TensorModel::setIndex(int axis, int64_t index) {
    beginResetModel(); // a table keeps its place, and forgets what it read
    outer_[size_t(axis)] = std::clamp<int64_t>(index, 0, std::max<int64_t>(tensor_->shape[size_t(axis)] - 1, 0));
    endResetModel();
}

void TensorModel::setFirst(Qt::Orientation orientation, int64_t first) {
    beginResetModel();
    (orientation == Qt::Vertical ? firstRow_ : firstColumn_) =
        std::clamp<int64_t>(first, 0, std::max<int64_t>(extent(orientation) - 1, 0));
    endResetModel();
}

int64_t TensorModel::extent(Qt::Orientation orientation) const {
    if (!tensor_ || tensor_->elements() == 0)
        return 0;
    const auto& shape = tensor_->shape;
    if (orientation == Qt::Horizontal)
        return shape.size() < 2 ? 1 : shape.back();
    return shape.empty() ? 1 : shape.size() == 1 ? shape[0] : shape[shape.size() - 2];
}

void TensorModel::setHeat(std::optional<Heat> heat) {
    heat_ = std::move(heat);
    if (rowCount() > 0)
        emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1), {Qt::BackgroundRole});
}

int TensorModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(std::min<int64_t>(extent(Qt::Vertical) - firstRow_, mostShown));
}

int TensorModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(std::min<int64_t>(extent(Qt::Horizontal) - firstColumn_, mostShown));
}

int64_t TensorModel::placeOf(const QModelIndex& index) const {
    int64_t place = 0;
    for (size_t axis = 0; axis < outer_.size(); ++axis)
        place = place * tensor_->shape[axis] + outer_[axis];
    place = place * extent(Qt::Vertical) + firstRow_ + index.row();
    return place * extent(Qt::Horizontal) + firstColumn_ + index.column();
}

QVariant TensorModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || !tensor_ || index.row() >= rowCount() || index.column() >= columnCount())
        return {};
    const int64_t place = placeOf(index);
    switch (role) {
    case Qt::DisplayRole:
        return elementText(*tensor_, place, shownDigits);
    case Qt::ToolTipRole:
        return QStringLiteral("%1  %2").arg(QString::fromStdString(data::indexText(tensor_->shape, place)),
                                            elementText(*tensor_, place));
    case Qt::TextAlignmentRole:
        return int((tensor_->dtype == types::String ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    case Qt::BackgroundRole: {
        if (!heat_)
            return {};
        const double value = model::elementAsDouble(tensor_->dtype, tensor_->bytes.view, size_t(place));
        if (!std::isfinite(value))
            return heat_->colors.removed;
        const double range = heat_->to / 2 - heat_->from / 2; // halves: the whole may be beyond all floats
        return heat_->colors.ofShare(range > 0 ? (value / 2 - heat_->from / 2) / range : 0);
    }
    default:
        return {};
    }
}

QVariant TensorModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (role != Qt::DisplayRole)
        return {};
    return QString::number(section + (orientation == Qt::Vertical ? firstRow_ : firstColumn_));
}

} // namespace lathe::views::models
