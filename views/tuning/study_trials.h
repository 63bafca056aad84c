// SPDX-License-Identifier: GPL-3.0-or-later
//
// The trials of a study and what its cost model thought of them, as two tabs of a page: both follow the study as it grows and
// the task and trial that are picked, and pick them.
#pragma once

#include "views/models/tuning/study_pick.h"
#include "views/models/tuning/task_trials.h"

#include <QObject>

class QComboBox;
class QStringListModel;

namespace lathe::views::tuning {

class CostModelPanel;
class TrialsPanel;

class StudyTrials : public QObject {
    Q_OBJECT

public:
    StudyTrials(const models::StudyLog* log, models::StudyPick* pick, QObject* parent = nullptr);

    /// The tabs; whoever shows them owns them.
    QWidget* trialsTab() const { return trialsTab_; }
    QWidget* costModelTab() const { return costModelTab_; }
    TrialsPanel* trials() const { return trials_; }
    CostModelPanel* costModel() const { return costModel_; }
    /// What trials are compiled for when they are looked at: of the last compilation.
    void setContext(models::TrialContext context);
    /// Which task is shown; -1: there is none.
    int task() const { return task_; }

private:
    QWidget* withTasks(QWidget* panel);
    void begin();
    void grow(const models::StudyGrowth& growth);
    void showTask();
    void showNames();
    void showPick();

    const models::StudyLog* log_;
    models::StudyPick* pick_;
    models::TrialContext context_;
    QStringListModel* names_; // of the tasks
    std::vector<QComboBox*> choices_;
    TrialsPanel* trials_;
    CostModelPanel* costModel_;
    QWidget *trialsTab_, *costModelTab_;
    int task_ = -1;
};

} // namespace lathe::views::tuning
