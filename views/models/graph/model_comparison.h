// SPDX-License-Identifier: GPL-3.0-or-later
//
// Two models, paired by graph::diffModels: their differences as rows of a table, as colours of the two graphs, and for each
// node the one that it is paired with.
#pragma once

#include "graph/model_diff.h"
#include "views/models/graph/overlay.h"

#include <QAbstractTableModel>
#include <QStringList>
#include <memory>
#include <unordered_map>

namespace lathe::views::models {

struct DifferenceRow {
    /// Moved: to another place in the order, or another scope, or it has another name; it computes the same.
    NodeDifference kind = NodeDifference::None;
    int before = -1, after = -1; // ids of nodes; -1: there is none on that side
    QString difference;          // "changed", "renamed, moved": in the words of `lathe diff`
    QString what;                // "Conv_3 (Conv)", "input x"
    QStringList changes;         // a line each: "attribute axis: 1 → 2"
};

struct ModelComparison {
    QString path; // of the model before
    model::ModelGraphPtr before, after;
    std::vector<DifferenceRow> rows;
    std::unordered_map<int, std::vector<int>> afterOf, beforeOf; // by id: of all pairs
    qint64 equal = 0;                                            // pairs of nodes without a difference

    /// The nodes of the other side that these of one side are paired with, ascending.
    std::vector<int> pairsOf(bool before, const std::vector<int>& nodes) const;
    /// The row about a node; -1: it does not differ.
    int rowOf(bool before, int node) const;
    qint64 count(NodeDifference kind) const;
};
using ModelComparisonPtr = std::shared_ptr<const ModelComparison>;

/// "changed %5 (conv): attribute strides: [1, 1] → [2, 2]; operand 1: %3 → %9": a row in one line.
QString sentenceOf(const DifferenceRow& row);

/// As rows and pairs. The nodes of `diff` are those of the two models.
ModelComparisonPtr comparisonOf(const QString& path, model::ModelGraphPtr before, model::ModelGraphPtr after,
                                const lathe::graph::ModelDiff& diff);
/// Call it on a worker: it looks at all weights.
ModelComparisonPtr compareModels(const QString& path, model::ModelGraphPtr before, model::ModelGraphPtr after,
                                 lathe::graph::NodeNames names = lathe::graph::NodeNames::Hints);

/// The colours of one of the two; a group is said to have as many differences as nodes in it have.
Overlay differenceOverlay(const ModelComparison& comparison, bool before, const GroupedGraph* grouped);

class DifferenceModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Kind, What, Changes, columns };
    using QAbstractTableModel::QAbstractTableModel;

    /// Null: none.
    void show(ModelComparisonPtr comparison);
    const DifferenceRow& at(int row) const { return comparison_->rows[size_t(row)]; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    ModelComparisonPtr comparison_;
};

} // namespace lathe::views::models
