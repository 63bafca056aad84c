// SPDX-License-Identifier: GPL-3.0-or-later
//
// What is known of one node of the model, as rows of name and value: identity, operands with their types, attributes, and
// why it was refused. Without a node: the model itself. A row that is about a constant has its tensor, and one about what the node
// computes its name.
#pragma once

#include "views/models/graph/graph_picture.h"
#include "views/models/graph/tensor_values.h"

#include <QAbstractTableModel>
#include <QString>
#include <vector>

namespace lathe::views::models {

struct AttributeRow {
    QString group = {}, name = {}, value = {};
    bool problem = false;
    bool heading = false;    // a row of its own, above the rows of a group
    NamedTensor tensor = {}; // whose values can be shown
    QString computed = {};   // a value of the outermost graph, which running the model gives
    int call = -1;           // of a fused function, in the Trace's calls, whose code can be shown

    bool leadsOn() const { return tensor.tensor || !computed.isEmpty() || call >= 0; }
};

/// Rows for a node, -1 for the model itself.
std::vector<AttributeRow> attributesOf(const model::ModelGraph& model, int node);

/// Rows for a group: how many nodes, and which operators how often.
std::vector<AttributeRow> attributesOfGroup(const GroupedGraph& grouped, int group);

class AttributeModel : public QAbstractTableModel {
    Q_OBJECT

public:
    using QAbstractTableModel::QAbstractTableModel;

    /// Adds a heading before each group but the first.
    void show(std::vector<AttributeRow> rows);
    const std::vector<AttributeRow>& rows() const { return rows_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<AttributeRow> rows_;
};

} // namespace lathe::views::models
