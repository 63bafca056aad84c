// SPDX-License-Identifier: GPL-3.0-or-later
//
// A kernel's loops as a tree, with what each costs (lower/loop_nest.h).
#pragma once

#include "lower/loop_nest.h"

#include <QAbstractItemModel>
#include <memory>

namespace lathe::views::models {

class LoopNestModel : public QAbstractItemModel {
    Q_OBJECT

public:
    enum Column { Name, Trips, Runs, Flops, Accessed, Touched, columns };
    using QAbstractItemModel::QAbstractItemModel;

    /// Null: there is none.
    void show(std::shared_ptr<const lower::LoopCost> nest);
    const lower::LoopCost& at(const QModelIndex& index) const;

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& child) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    /// All of them in the order of the text; an index has its place here.
    struct Node {
        const lower::LoopCost* cost;
        int parent, row;
        std::vector<int> inside;
    };
    int add(const lower::LoopCost& cost, int parent, int row);

    std::shared_ptr<const lower::LoopCost> nest_;
    std::vector<Node> nodes_;
};

} // namespace lathe::views::models
