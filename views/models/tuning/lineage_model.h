// SPDX-License-Identifier: GPL-3.0-or-later
//
// Why a trial is fast: its ancestors, the first one on top, each with the answers that it changed and what that gained. The
// first one was made of none; it is held against the default schedule.
#pragma once

#include "views/models/tuning/trial_set.h"

#include <QAbstractTableModel>
#include <memory>

namespace lathe::views::models {

struct AnswerChange {
    std::string name;
    std::vector<int64_t> before, after; // empty: it was not asked
    bool operator==(const AnswerChange&) const = default;
};

/// Questions that the two trials do not answer alike, by name.
std::vector<AnswerChange> changesBetween(const TrialSet& trials, int before, int after);

struct LineageStep {
    int trial = 0;
    int from = -1; // what it is held against; -1: nothing
    std::vector<AnswerChange> changes;
    double gain = unknown; // the share of the time of `from` that it saves; negative: it takes longer
};

/// The last step is the trial itself.
std::vector<LineageStep> lineageOf(const TrialSet& trials, int trial);

class LineageModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Trial, Made, Changed, Us, Ratio, Gain, columns };
    using QAbstractTableModel::QAbstractTableModel;

    /// trial -1: there is none.
    void show(std::shared_ptr<const TrialSet> trials, int trial);
    const LineageStep& at(int row) const { return steps_[size_t(row)]; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::shared_ptr<const TrialSet> trials_;
    std::vector<LineageStep> steps_;
};

/// "b0.rows 6 → 14, b0.order 0 → 1".
QString textOf(const std::vector<AnswerChange>& changes);

} // namespace lathe::views::models
