// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/graph/found_nodes_model.h"

namespace lathe::views::models {

void FoundNodesModel::show(model::ModelGraphPtr model, std::vector<int> nodes) {
    beginResetModel();
    model_ = std::move(model);
    nodes_ = std::move(nodes);
    endResetModel();
}

int FoundNodesModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(nodes_.size());
}

QVariant FoundNodesModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid) || role != Qt::DisplayRole)
        return {};
    const model::Node& node = *model_->nodes[size_t(nodes_[size_t(index.row())])];
    return QString::fromStdString(node.op + "  " + displayName(node));
}

} // namespace lathe::views::models
