// SPDX-License-Identifier: GPL-3.0-or-later
//
// The page Tuning: a study of the open model while it goes on, and the last one out of the records. Above, how far it is and
// what can be done about it; below, the history of its trials beside the tasks, what it brought over time, and what is taken
// of it. Its views share the log and what is picked in it.
#pragma once

#include "views/models/tuning/study_end.h"
#include "views/models/tuning/study_log.h"
#include "views/models/tuning/study_pick.h"
#include "views/models/tuning/study_request.h"
#include "views/models/tuning/study_task_model.h"
#include "views/models/tuning/task_trials.h"
#include "views/models/window/selection.h"
#include "views/page/page.h"

#include <deque>
#include <filesystem>
#include <vector>

class QLabel;
class QLayout;
class QProgressBar;
class QSortFilterProxyModel;
class QTableView;
class QTabWidget;

namespace lathe::views::tuning {

class ApplyPanel;
class EstimatePanel;
class HistoryPanel;
class StudiesPanel;
class StudyTrials;
struct StartChoices;

class TuningPage : public Page {
    Q_OBJECT

public:
    explicit TuningPage(models::Selection* selection);

    void setProvenance(std::shared_ptr<const inspect::Provenance> provenance) override;
    std::vector<PageAction> pageActions() const override;
    /// Another model: nothing is known of it, and it can be tuned or not.
    void setModel(bool tunable);
    void setDecisions(const driver::Decisions& decisions);
    /// What trials are compiled for when they are looked at.
    void setContext(models::TrialContext context);
    /// The file whose studies can be compared.
    void setRecords(const std::filesystem::path& file);
    /// Whether "Run and compare" can be asked for.
    void setComparable(bool comparable);
    /// The searches and spaces that there are, the default first; what the settings of now are, and the model if it leaves
    /// sizes open that they do not fix, else null.
    void setChoices(const QStringList& searches, const QStringList& spaces);
    void setSettings(const QString& text, model::ModelGraphPtr open);

    /// A study has begun.
    void begin(models::StudyHead head);
    void add(models::StudyUpdate update) { log_->add(std::move(update)); }
    /// What it does beside its batches.
    void setStage(const QString& what);
    void end(const models::StudyEnd& end);
    /// A study out of the records. A large one comes in parts: isFilling until all of it is there.
    void showRecorded(models::StudyHead head, models::StudyUpdate update, const models::StudyEnd& end);

    /// How its views are set, as text, and back.
    QString state() const;
    void setState(const QString& state);

    const models::StudyLog& log() const { return *log_; }
    models::StudyPick* pick() const { return pick_; }
    const models::StudyTaskModel* tasks() const { return tasks_; }
    HistoryPanel* history() const { return history_; }
    EstimatePanel* estimate() const { return estimate_; }
    ApplyPanel* applyPanel() const { return apply_; }
    StudyTrials* trials() const { return trials_; }
    StudiesPanel* studies() const { return studies_; }
    bool isRunning() const { return runs_; }
    bool isFilling() const { return !rest_.trials.empty(); }

signals:
    void startWanted(lathe::views::models::StudyRequest request);
    void pauseWanted(bool pause);
    void stopWanted();
    void abortWanted();
    void limitsWanted(lathe::tune::Limits limits);
    void instructed(lathe::tune::Instruction instruction);
    void compareWanted();
    /// The page is seen: the last study of the model may be read.
    void seen();
    /// The last part of a study out of the records is there.
    void filled();
    /// A study of the records is to be shown.
    void studyWanted(QString id);

protected:
    void showEvent(QShowEvent* event) override;

private:
    void makeTabs();
    void makeActions();
    void makeTable();
    void makeTexts();
    QLayout* makeBar();
    void makeBody();
    void connectParts();
    void ask();
    StartChoices choices() const;
    void instruct(std::optional<double> priority, std::optional<tune::Wish> wish);
    void moreTime(double seconds);
    void describe();
    void describeBusy();
    void allow();
    void followSelection();
    void select();
    /// Of the model, what a task computes; ascending.
    const std::vector<int>& nodesOf(int task) const { return nodes_[size_t(task)]; }
    int taskAt(const QModelIndex& shown) const;
    void findNodes();
    void fill();

    models::Selection* selection_;
    models::StudyLog* log_;
    models::StudyPick* pick_;
    models::StudyTaskModel* tasks_;
    QSortFilterProxyModel* sorted_;
    QTableView* table_;
    QTabWidget* tabs_;
    HistoryPanel* history_;
    EstimatePanel* estimate_;
    StudyTrials* trials_;
    ApplyPanel* apply_;
    StudiesPanel* studies_;
    std::filesystem::path records_;
    QLabel *summary_, *busy_, *detail_;
    QProgressBar* progress_;
    QWidget* body_;
    QAction *start_, *pause_, *stop_, *abort_, *more_, *less_, *first_, *holdTask_, *close_, *reopen_, *exclude_;
    std::shared_ptr<const inspect::Provenance> provenance_;
    std::vector<std::vector<int>> nodes_; // by task
    std::vector<int> homes_;              // likewise: the node that its first call begins at; -1: none
    QStringList searches_, spaces_;
    QString settings_, stage_;
    model::ModelGraphPtr open_;
    models::StudyEnd end_;
    models::StudyUpdate rest_; // of a study out of the records: its trials that are not shown yet, the last first
    std::deque<std::pair<double, size_t>> pace_; // seconds and trials, of the last while
    bool tunable_ = false, runs_ = false, paused_ = false, ended_ = false;
    bool asked_ = false;     // for the last study of this model
    bool following_ = false; // the table and the selection are being made one
};

/// The id of the study that a state is of; empty: of none that is recorded.
QString studyIn(const QString& state);

} // namespace lathe::views::tuning
