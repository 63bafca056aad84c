// SPDX-License-Identifier: GPL-3.0-or-later
//
// What went wrong with trials, most often first: a row for each verdict and first line of a reason, with how many there are.
#pragma once

#include "views/models/tuning/trial_set.h"

#include <QAbstractTableModel>
#include <span>

namespace lathe::views::models {

struct FailureKind {
    tune::Verdict verdict = tune::Verdict::Crashed;
    std::string reason; // the first line
    size_t count = 0;
    int first = 0; // a trial of these
};

/// Of those that have no time.
std::vector<FailureKind> failuresOf(const TrialSet& trials);

class FailureModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Verdict, Reason, Count, Share, columns };
    static constexpr int shareRole = Qt::UserRole; // of the most frequent one, as a bar

    using QAbstractTableModel::QAbstractTableModel;

    void show(const TrialSet& trials);
    const FailureKind& at(int row) const { return kinds_[size_t(row)]; }
    /// A filter that leaves the trials of the row.
    QString filterOf(int row) const;
    size_t trials() const { return trials_; }
    size_t failed() const { return failed_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<FailureKind> kinds_;
    size_t trials_ = 0, failed_ = 0;
};

} // namespace lathe::views::models
