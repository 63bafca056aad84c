// SPDX-License-Identifier: GPL-3.0-or-later
//
// What is picked in a study: a task, and perhaps one of its trials. The views of a study share one, as pages share the
// Selection: what is clicked in a chart is marked in the tables.
#pragma once

#include <QObject>

namespace lathe::views::models {

class StudyPick : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    int task() const { return task_; }   // in the log; -1: none, all of them are looked at
    int trial() const { return trial_; } // in the log; -1: none
    /// Another task takes the trial away.
    void setTask(int task) {
        if (task != task_)
            set(task, -1);
    }
    /// Tells only when something changed.
    void set(int task, int trial) {
        if (task == task_ && trial == trial_)
            return;
        const bool other = task != task_;
        task_ = task;
        trial_ = trial;
        if (other)
            emit taskChanged();
        emit changed();
    }

signals:
    void changed(); // either
    void taskChanged();

private:
    int task_ = -1, trial_ = -1;
};

} // namespace lathe::views::models
