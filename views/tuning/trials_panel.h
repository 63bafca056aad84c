// SPDX-License-Identifier: GPL-3.0-or-later
//
// The trials of a task in all their views: the table, what answers came to, parallel axes, where a trial comes from, what
// failed, and one trial beside the best. There is one filter, a text, and all views show what it leaves; what is dragged or
// clicked in a view becomes part of it. A view that is not seen is brought up to date when it is turned to.
#pragma once

#include "views/models/tuning/task_trials.h"
#include "views/models/tuning/trial_model.h"

#include <QWidget>
#include <span>

class QLabel;
class QLayout;
class QLineEdit;
class QTimer;
class QTabWidget;
class QTableView;

namespace lathe::views::models {
class FailureModel;
class LineageModel;
} // namespace lathe::views::models

namespace lathe::views::tuning {

class AnswersPanel;
class ParallelView;
class TrialCodePanel;

class TrialsPanel : public QWidget {
    Q_OBJECT

public:
    TrialsPanel();

    void setTask(models::TaskTrials task);
    const models::TaskTrials& task() const { return task_; }
    /// More of the task, while its study runs; then grown().
    void add(const tune::Trial& trial) { model_->add(trial); }
    void change(size_t trial, const tune::Trial& as) { model_->change(trial, as); }
    /// What is seen is brought up to date; views that look at all trials every two seconds at most.
    void grown();

    void setFilter(const QString& text);
    QString filter() const;
    /// Marks it in the table, and shows it in the views of one trial; -1: none.
    void pick(int trial);
    int picked() const { return picked_; }
    /// Two trials beside each other, in the tab of one trial.
    void compare(int before, int after);

    const models::TrialModel* model() const { return model_; }
    QTabWidget* tabs() const { return tabs_; }
    QTableView* table() const { return table_; }
    AnswersPanel* answers() const { return answers_; }
    ParallelView* parallel() const { return parallel_; }
    TrialCodePanel* code() const { return code_; }

signals:
    /// By hand, in any of the views.
    void trialPicked(int trial);

private:
    QLayout* makeFilter();
    void makeTables();
    void makeTabs();
    void connectTrials();
    /// The tables of where trials come from, and of what failed.
    void connectOrigins();
    void applyFilter();
    void refresh();
    void takePick(int trial);
    void showSeen();
    void showLineage();
    void showCode();
    void showCount();

    models::TaskTrials task_;
    models::TrialModel* model_;
    models::LineageModel* lineage_;
    models::FailureModel* failures_;
    QLineEdit* filter_;
    QLabel *problem_, *count_, *lineageText_, *failureText_;
    QTabWidget* tabs_;
    QTableView *table_, *lineageTable_, *failureTable_;
    AnswersPanel* answers_;
    ParallelView* parallel_;
    TrialCodePanel* code_;
    QWidget *lineagePage_, *failurePage_;
    std::vector<QWidget*> seen_; // tabs that are up to date
    int picked_ = -1;
    std::pair<int, int> compared_{-1, -1}; // before and after; -1: the picked one beside the best
    std::pair<int, int> coded_{-1, -1};    // whose code is shown
    QTimer* pause_;                        // runs: views that look at all trials were brought up to date
    bool following_ = false;               // the table's selection is being made that of `picked_`
};

} // namespace lathe::views::tuning
