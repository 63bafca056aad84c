// SPDX-License-Identifier: GPL-3.0-or-later
//
// Pairs of trials that an opinion ordered wrongly, as a table: the worst first.
#pragma once

#include "views/models/tuning/predictions.h"

#include <QAbstractTableModel>
#include <memory>

namespace lathe::views::models {

class WrongPairModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Factor, Faster, Slower, Round, ScoreOfFaster, ScoreOfSlower, Differs, columns };
    using QAbstractTableModel::QAbstractTableModel;

    void show(std::shared_ptr<const TrialSet> trials, tune::Opinion opinion);
    const WrongPair& at(int row) const { return pairs_[size_t(row)]; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::shared_ptr<const TrialSet> trials_;
    tune::Opinion opinion_ = tune::Opinion::Model;
    std::vector<WrongPair> pairs_;
};

} // namespace lathe::views::models
