// SPDX-License-Identifier: GPL-3.0-or-later
//
// Nodes of a model that a search found, as a list of their operators and names. A letter finds nearly all of ten thousand: the
// text of a row is made when it is seen.
#pragma once

#include "model/model_graph.h"

#include <QAbstractListModel>
#include <vector>

namespace lathe::views::models {

class FoundNodesModel : public QAbstractListModel {
    Q_OBJECT

public:
    using QAbstractListModel::QAbstractListModel;

    /// Ids of nodes of the model.
    void show(model::ModelGraphPtr model, std::vector<int> nodes);
    const std::vector<int>& nodes() const { return nodes_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;

private:
    model::ModelGraphPtr model_;
    std::vector<int> nodes_;
};

} // namespace lathe::views::models
