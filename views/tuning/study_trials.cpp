// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/tuning/study_trials.h"

#include "views/models/text/one_line.h"
#include "views/tuning/cost_model_panel.h"
#include "views/tuning/trials_panel.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QStringListModel>
#include <QVBoxLayout>
#include <algorithm>

namespace lathe::views::tuning {

StudyTrials::StudyTrials(const models::StudyLog* log, models::StudyPick* pick, QObject* parent)
    : QObject(parent), log_(log), pick_(pick), names_(new QStringListModel(this)), trials_(new TrialsPanel),
      costModel_(new CostModelPanel), trialsTab_(withTasks(trials_)), costModelTab_(withTasks(costModel_)) {
    connect(log_, &models::StudyLog::begun, this, &StudyTrials::begin);
    connect(log_, &models::StudyLog::grown, this, &StudyTrials::grow);
    connect(pick_, &models::StudyPick::changed, this, &StudyTrials::showPick);
    const auto pickTrial = [this](int trial) {
        if (task_ >= 0 && trial >= 0 && trial < int(log_->trialsOf(task_).size()))
            pick_->set(task_, log_->trialsOf(task_)[size_t(trial)]);
    };
    connect(trials_, &TrialsPanel::trialPicked, this, pickTrial);
    connect(costModel_, &CostModelPanel::trialPicked, this, pickTrial);
    begin();
}

QWidget* StudyTrials::withTasks(QWidget* panel) {
    auto choice = new QComboBox;
    choice->setModel(names_);
    choice->setAccessibleName(tr("Task whose trials are shown"));
    choice->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    choices_.push_back(choice);
    connect(choice, &QComboBox::activated, this, [this](int task) { pick_->setTask(task); });
    auto label = new QLabel(tr("Tas&k"));
    label->setBuddy(choice);
    auto row = new QHBoxLayout;
    row->setContentsMargins(8, 8, 8, 0);
    row->setSpacing(8);
    row->addWidget(label);
    row->addWidget(choice, 1);
    auto tab = new QWidget;
    auto layout = new QVBoxLayout(tab);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(row);
    layout->addWidget(panel, 1);
    return tab;
}

void StudyTrials::setContext(models::TrialContext context) {
    context_ = std::move(context);
    if (task_ >= 0)
        showTask();
}

void StudyTrials::begin() {
    task_ = -1;
    showNames();
    costModel_->setImportance(log_->importance());
    if (log_->isEmpty()) {
        trials_->setTask({});
        costModel_->setTask({});
    } else {
        showPick();
    }
}

void StudyTrials::showNames() {
    QStringList names;
    for (const models::StudyTask& task : log_->tasks())
        names << models::oneLine(task.kernel);
    if (names != names_->stringList())
        names_->setStringList(names);
    for (QComboBox* choice : choices_)
        choice->setCurrentIndex(task_);
}

void StudyTrials::grow(const models::StudyGrowth& growth) {
    showNames();
    if (task_ < 0)
        return showPick();
    const std::vector<int32_t>& indices = log_->trialsOf(task_);
    const auto before = trials_->model()->trials().size();
    for (const int index : growth.changed) {
        const models::TrialPoint& point = log_->points()[size_t(index)];
        if (int(point.task) == task_ && size_t(point.number) < before)
            trials_->change(size_t(point.number), log_->trial(index));
    }
    for (size_t number = before; number < indices.size(); ++number)
        trials_->add(log_->trial(indices[number]));
    trials_->grown();
    costModel_->refresh();
    costModel_->setImportance(log_->importance());
}

void StudyTrials::showPick() {
    const int wanted = pick_->task() >= 0 ? pick_->task() : std::max(task_, 0);
    if (wanted >= int(log_->tasks().size()))
        return;
    if (wanted != task_) {
        task_ = wanted;
        showTask();
        showNames();
    }
    if (pick_->trial() >= 0 && pick_->trial() < int(log_->points().size()))
        trials_->pick(log_->points()[size_t(pick_->trial())].number);
}

void StudyTrials::showTask() {
    const models::TaskTrials task = models::taskTrials(*log_, task_, context_);
    trials_->setTask(task);
    costModel_->setTask(task);
}

} // namespace lathe::views::tuning
