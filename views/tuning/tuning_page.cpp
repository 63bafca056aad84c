// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the page is given and tells: a model, the settings, a study that goes on or comes out of the records in parts.
#include "views/tuning/tuning_page.h"

#include "views/models/text/counted.h"
#include "views/models/text/one_line.h"
#include "views/page/table.h"
#include "views/tuning/apply_panel.h"
#include "views/tuning/history_panel.h"
#include "views/tuning/start_dialog.h"
#include "views/tuning/studies_panel.h"
#include "views/tuning/study_trials.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QScopedValueRollback>
#include <QSortFilterProxyModel>
#include <QTimer>
#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace lathe::views::tuning {

namespace {

constexpr size_t part = 5000; // trials of a recorded study that are shown in one turn of the event loop

} // namespace

void TuningPage::setModel(bool tunable) {
    tunable_ = tunable;
    rest_ = {};
    runs_ = paused_ = ended_ = false;
    end_ = {};
    pick_->set(-1, -1);
    log_->clear();
    findNodes();
    apply_->setEnd({}, false);
    describe();
    asked_ = isVisible() && tunable_;
    if (asked_)
        emit seen();
}

void TuningPage::showEvent(QShowEvent* event) {
    Page::showEvent(event);
    if (tunable_ && !std::exchange(asked_, true))
        emit seen();
}

void TuningPage::setProvenance(std::shared_ptr<const inspect::Provenance> provenance) {
    provenance_ = std::move(provenance);
    std::set<std::string> workloads;
    if (provenance_)
        for (const driver::KernelRecord& kernel : provenance_->trace().kernels)
            workloads.insert(kernel.workload);
    apply_->setWorkloads(std::move(workloads));
    findNodes();
}

int TuningPage::taskAt(const QModelIndex& shown) const {
    return sorted_->mapToSource(shown).row();
}

void TuningPage::findNodes() {
    nodes_.assign(log_->tasks().size(), {});
    homes_.assign(nodes_.size(), -1);
    std::map<std::string, size_t> tasks;
    for (size_t i = 0; i < nodes_.size(); ++i)
        tasks.emplace(log_->tasks()[i].kernel.toStdString(), i);
    if (provenance_) {
        const auto& calls = provenance_->trace().calls;
        for (size_t call = 0; call < calls.size(); ++call)
            if (const auto task = tasks.find(calls[call].kernel); task != tasks.end()) {
                const std::vector<int> own = provenance_->nodesOf(int(call), -1);
                nodes_[task->second].insert(nodes_[task->second].end(), own.begin(), own.end());
                if (homes_[task->second] < 0)
                    homes_[task->second] = provenance_->homeOf(int(call));
            }
    }
    std::vector<int> counts;
    for (std::vector<int>& nodes : nodes_) {
        std::ranges::sort(nodes);
        const auto twice = std::ranges::unique(nodes);
        nodes.erase(twice.begin(), twice.end());
        counts.push_back(int(nodes.size()));
    }
    tasks_->setNodes(std::move(counts));
}

void TuningPage::setDecisions(const driver::Decisions& decisions) {
    apply_->setDecisions(decisions);
}

void TuningPage::setContext(models::TrialContext context) {
    trials_->setContext(std::move(context));
}

void TuningPage::setRecords(const std::filesystem::path& file) {
    records_ = file;
    studies_->setFile(records_);
}

void TuningPage::setComparable(bool comparable) {
    apply_->setComparable(comparable);
}

void TuningPage::setChoices(const QStringList& searches, const QStringList& spaces) {
    searches_ = searches;
    spaces_ = spaces;
}

void TuningPage::setSettings(const QString& text, model::ModelGraphPtr open) {
    settings_ = text;
    open_ = std::move(open);
}

StartChoices TuningPage::choices() const {
    StartChoices choices;
    if (provenance_) {
        std::set<std::string> selected; // kernels
        for (const int node : selection_->nodes())
            for (const inspect::NodeUse& use : provenance_->usesOf(node))
                selected.insert(provenance_->trace().calls[size_t(use.call)].kernel);
        for (const driver::KernelRecord& kernel : provenance_->trace().kernels) {
            if (!kernel.schedulable || kernel.schedule.questions.empty())
                continue;
            const QString name = QString::fromStdString(kernel.name);
            choices.kernels << name;
            if (selected.contains(kernel.name))
                choices.selected << name;
        }
    }
    choices.lastSizes = log_->head().sizes;
    if (!log_->head().id.isEmpty())
        choices.last = tr("%1 (%2)").arg(models::oneLine(log_->head().name, 40),
                                         models::counted(qint64(log_->points().size()), "trial", "trials"));
    choices.searches = searches_;
    choices.spaces = spaces_;
    choices.settings = settings_;
    choices.open = open_;
    return choices;
}

void TuningPage::ask() {
    if (!tunable_ || runs_)
        return;
    StartDialog dialog(choices(), this);
    if (dialog.exec() != QDialog::Accepted)
        return;
    models::StudyRequest request = dialog.request();
    if (request.resume)
        request.study = log_->head().id;
    emit startWanted(request);
}

void TuningPage::begin(models::StudyHead head) {
    runs_ = true;
    paused_ = ended_ = false;
    end_ = {};
    pace_.clear();
    rest_ = {};
    pick_->set(-1, -1);
    log_->begin(std::move(head));
    apply_->setEnd({}, true);
    setStage(tr("compiling the model and measuring it"));
    tabs_->setCurrentWidget(history_);
}

void TuningPage::setStage(const QString& what) {
    stage_ = what;
    describe();
}

void TuningPage::end(const models::StudyEnd& end) {
    log_->flush();
    runs_ = paused_ = false;
    ended_ = !end.failed;
    end_ = end;
    stage_.clear();
    apply_->setEnd(end, false);
    studies_->setFile(records_); // which has one more
    if (!end.found.empty() || end.graph)
        tabs_->setCurrentWidget(apply_);
    describe();
}

void TuningPage::showRecorded(models::StudyHead head, models::StudyUpdate update, const models::StudyEnd& end) {
    if (runs_)
        return;
    pick_->set(-1, -1);
    log_->begin(std::move(head));
    rest_ = std::move(update);
    std::ranges::reverse(rest_.trials);
    end_ = end;
    ended_ = true;
    fill();
    apply_->setEnd(end, false);
    describe();
}

void TuningPage::fill() {
    models::StudyUpdate next;
    next.tasks = std::exchange(rest_.tasks, {});
    next.judged = std::exchange(rest_.judged, {});
    next.importance = rest_.importance;
    next.seconds = rest_.seconds;
    next.spent = rest_.spent;
    next.waits = rest_.waits;
    for (; next.trials.size() < part && !rest_.trials.empty(); rest_.trials.pop_back())
        next.trials.push_back(std::move(rest_.trials.back()));
    log_->add(std::move(next));
    log_->flush();
    if (isFilling())
        QTimer::singleShot(0, this, [this] {
            if (isFilling())
                fill();
        });
    else
        emit filled();
}

void TuningPage::instruct(std::optional<double> priority, std::optional<tune::Wish> wish) {
    for (const QModelIndex& index : table_->selectionModel()->selectedRows())
        emit instructed(
            {.workload = tasks_->at(taskAt(index)).workload.toStdString(), .priority = priority, .wish = wish});
}

void TuningPage::moreTime(double seconds) {
    models::StudyHead head = log_->head();
    head.limits.seconds = std::max(log_->seconds(), head.limits.seconds + seconds);
    log_->setLimits(head.limits);
    emit limitsWanted(head.limits);
    describe();
}

void TuningPage::select() {
    allow();
    if (following_)
        return;
    const QScopedValueRollback guard(following_, true);
    const QModelIndexList rows = table_->selectionModel()->selectedRows();
    std::vector<int> nodes;
    for (const QModelIndex& index : rows) {
        const std::vector<int>& own = nodesOf(taskAt(index));
        nodes.insert(nodes.end(), own.begin(), own.end());
    }
    pick_->setTask(rows.size() == 1 ? taskAt(rows.front()) : -1);
    if (!nodes.empty())
        selection_->set(std::move(nodes));
}

/// What is picked in a chart, or selected elsewhere, is marked in the table.
void TuningPage::followSelection() {
    if (following_)
        return;
    const QScopedValueRollback guard(following_, true);
    std::vector<int> rows;
    const bool picked = sender() == pick_;
    for (int row = 0; row < tasks_->rowCount(); ++row) {
        const bool marked =
            picked ? row == pick_->task()
                   : !selection_->nodes().empty() &&
                         std::ranges::any_of(nodesOf(row), [this](int node) { return selection_->contains(node); });
        if (marked)
            rows.push_back(sorted_->mapFromSource(tasks_->index(row, 0)).row());
    }
    if (!picked && rows.size() == 1)
        pick_->setTask(taskAt(sorted_->index(rows.front(), 0)));
    selectRows(*table_, std::move(rows));
    allow();
}

QString TuningPage::state() const {
    const QJsonObject state{{"study", log_->head().id}, {"tab", tabs_->currentIndex()}, {"history", history_->state()}};
    return QString::fromUtf8(QJsonDocument(state).toJson(QJsonDocument::Compact));
}

void TuningPage::setState(const QString& state) {
    const QJsonObject read = QJsonDocument::fromJson(state.toUtf8()).object();
    if (const int tab = read.value("tab").toInt(-1); tab >= 0 && tab < tabs_->count())
        tabs_->setCurrentIndex(tab);
    history_->setState(read.value("history").toString());
}

QString studyIn(const QString& state) {
    return QJsonDocument::fromJson(state.toUtf8()).object().value("study").toString();
}

} // namespace lathe::views::tuning
