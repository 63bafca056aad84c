// SPDX-License-Identifier: GPL-3.0-or-later
//
// The tasks of a study as a table: a row each, in the study's order, which is that of their share of the untuned model.
#pragma once

#include "views/models/tuning/study_log.h"

#include <QAbstractTableModel>

namespace lathe::views::models {

class StudyTaskModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Kernel, Nodes, Calls, Default, Best, Gain, OfFloor, Trials, Expected, State, columns };
    static constexpr int sortRole = Qt::UserRole + 1;

    /// The log outlives the model.
    explicit StudyTaskModel(const StudyLog& log, QObject* parent = nullptr);

    /// How many of the model's nodes a kernel computes, by its name in the log's order; for the column of that.
    void setNodes(std::vector<int> nodes);
    /// Of a study that has ended no task tunes.
    void setRunning(bool runs);
    const StudyTask& at(int row) const { return tasks_[size_t(row)]; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    void follow();
    QVariant numberAt(const StudyTask& task, int row, int column) const;

    const StudyLog& log_;
    std::vector<StudyTask> tasks_; // as they are shown
    std::vector<int> nodes_;
    bool runs_ = true;
};

/// "tunes", "paused", "no more gains", "closed", "excluded", "all tried"; with "first" where it is preferred. Empty: the study
/// has ended before the task did.
QString stateText(const StudyTask& task, bool runs);
/// "12.3", with three digits.
QString microText(double us);
/// "−12.3 %" for a ratio of 0.877.
QString gainText(double ratio);

} // namespace lathe::views::models
