// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a study found, to be taken into the Decisions: a row for each task with a faster schedule, which is checked unless it
// was slower in the whole model, and before them one for variants, layouts and fusion, if those of the study are faster. Beside
// each stands what is decided now. Schedules are of the kernels that the model has under what is ticked: others cannot be taken.
#pragma once

#include "views/models/tuning/study_end.h"
#include "views/models/tuning/study_log.h"
#include "views/models/window/what_if.h"

#include <QAbstractTableModel>

namespace lathe::views::models {

class ApplyModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Kernel, Gain, Saved, Checked, InPlace, Now, columns };
    struct Row {
        StudyTask task;
        FoundSchedule found;
        bool wanted = true;
    };

    using QAbstractTableModel::QAbstractTableModel;

    void show(const StudyLog& log, const StudyEnd& end);
    /// What is decided now.
    void setDecisions(const driver::Decisions& decisions);
    /// The workloads that the model as it is compiled now has; empty: nobody knows.
    void setWorkloads(std::set<std::string> workloads);

    /// How the Decisions would change.
    struct Changes {
        int added = 0, replaced = 0, withdrawn = 0;
        bool any() const { return added + replaced + withdrawn > 0; }
    };
    Changes changes() const;
    /// What is checked is decided, what is not is not any more; other kernels stay as they are.
    WhatIf wish() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

signals:
    /// Other rows, ticks or decisions.
    void changed();

private:
    enum class State { Default, Same, Other };
    State stateOf(const Row& row) const;
    State stateOfGraph() const;
    bool isPossible(const Row& row) const;
    bool isWanted(const Row& row) const { return row.wanted && isPossible(row); }
    int firstSchedule() const { return graph_ ? 1 : 0; }
    QVariant graphData(int column, int role) const;
    static QString textOf(State state, const QString& other);

    std::optional<FoundGraph> graph_;
    bool graphWanted_ = true;
    std::vector<Row> rows_;
    std::set<std::string> workloads_;
    driver::Decisions decisions_;
};

/// "2 new, 1 replaced, 1 withdrawn"; "nothing changes".
QString textOf(const ApplyModel::Changes& changes);

} // namespace lathe::views::models
