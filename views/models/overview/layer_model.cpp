// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/overview/layer_model.h"

#include "views/models/text/counted.h"
#include "views/models/text/plain_tip.h"

namespace lathe::views::models {

void LayerModel::show(std::vector<OverviewLayer> layers) {
    beginResetModel();
    layers_ = std::move(layers);
    endResetModel();
}

int LayerModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(layers_.size());
}

int LayerModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(columns);
}

QVariant LayerModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const OverviewLayer& layer = layers_[size_t(index.row())];
    if (role == Qt::TextAlignmentRole &&
        (index.column() == Time || index.column() == Share || index.column() == Machine))
        return int(Qt::AlignRight | Qt::AlignVCenter);
    if (role == shareRole && index.column() == Share)
        return layers_.front().share > 0 ? layer.share / layers_.front().share : 0;
    if (role == Qt::ToolTipRole && index.column() == Layer)
        return plainTip(layer.name);
    if (role != Qt::DisplayRole)
        return {};
    switch (Column(index.column())) {
    case Layer:
        return layer.name;
    case Time:
        return msText(layer.ms);
    case Share:
        return tr("%1 %").arg(layer.share * 100, 0, 'f', 1);
    case Machine:
        return layer.machineShare ? tr("%1 %").arg(*layer.machineShare * 100, 0, 'f', 0) : QStringLiteral("–");
    case Bound:
        return layer.bound;
    case columns:
        break;
    }
    return {};
}

QVariant LayerModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    const QString titles[] = {tr("Layer"), tr("ms"), tr("Share"), tr("Of the peak"), tr("Bound by")};
    return section < columns ? titles[section] : QVariant();
}

} // namespace lathe::views::models
