// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a model keeps from one run to the next, a row for each state: its type, what the model says that it begins as, how runs
// are to begin instead, and what it was after the last run. How it begins is written into its cell: a number that all elements
// are, or a file; nothing: as the model says.
#pragma once

#include "inspect/states.h"
#include "model/model_graph.h"
#include "views/models/graph/tensor_values.h"

#include <QAbstractTableModel>
#include <map>
#include <memory>

namespace lathe::views::models {

class StateModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Name, Type, Model, Begins, After, columns };
    using Values = std::map<std::string, model::TensorPtr>; // by name
    using QAbstractTableModel::QAbstractTableModel;

    /// Of names that are no states' the beginnings are left out.
    void show(std::vector<model::State> states, const inspect::StateBeginnings& beginnings);
    /// Whether it shows these.
    bool isOf(const std::vector<model::State>& states) const;
    /// As the last run left them; none: there was no run.
    void setAfter(Values after);
    /// Empty: as the model says.
    void setBeginning(int row, const QString& text);
    inspect::StateBeginnings beginnings() const;
    /// What stands in a cell, if that is elements that can be looked at.
    NamedTensor tensorAt(const QModelIndex& index) const;
    const QString& beginning(int row) const { return rows_[size_t(row)].begins; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Row {
        model::State state;
        QString begins;
        model::TensorPtr after;
    };

    std::vector<Row> rows_;
};

/// "0.5 1 1 …": the first few elements; empty for none that are at hand.
QString firstElements(const model::TensorPtr& tensor);

} // namespace lathe::views::models
