// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/tuning/tuning_page.h"

#include "views/models/text/counted.h"
#include "views/models/text/one_line.h"
#include "views/page/table.h"
#include "views/tuning/apply_panel.h"
#include "views/tuning/estimate_panel.h"
#include "views/tuning/history_panel.h"
#include "views/tuning/start_dialog.h"
#include "views/tuning/studies_panel.h"
#include "views/tuning/study_trials.h"

#include <QAction>
#include <QHBoxLayout>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QProgressBar>
#include <QScopedValueRollback>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QTabWidget>
#include <QTableView>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace lathe::views::tuning {

namespace {

constexpr double prioritized = 4; // times
constexpr double aMinute = 60;
constexpr size_t part = 5000;   // trials of a recorded study that are shown in one turn of the event loop
constexpr double paceOver = 20; // seconds of tuning that trials a second are counted over

QString clock(double seconds) {
    const int whole = int(seconds);
    return whole < 3600 ? QStringLiteral("%1:%2").arg(whole / 60).arg(whole % 60, 2, 10, QLatin1Char('0'))
                        : QStringLiteral("%1:%2:%3")
                              .arg(whole / 3600)
                              .arg(whole / 60 % 60, 2, 10, QLatin1Char('0'))
                              .arg(whole % 60, 2, 10, QLatin1Char('0'));
}

QString spentText(const tune::Spent& spent) {
    const double all = spent.build + spent.measure + spent.search + spent.train;
    if (all <= 0)
        return {};
    const auto share = [&](double part) { return QString::number(100 * part / all, 'f', 0); };
    QString text = TuningPage::tr("%1 % building, %2 % measuring, %3 % searching, %4 % learning")
                       .arg(share(spent.build), share(spent.measure), share(spent.search), share(spent.train));
    if (spent.wait >= 1)
        text += TuningPage::tr(", waited %1").arg(clock(spent.wait));
    return text;
}

} // namespace

TuningPage::TuningPage(models::Selection* selection)
    : Page(QStringLiteral("tuning"), tr("Tuning")), selection_(selection), log_(new models::StudyLog(this)),
      pick_(new models::StudyPick(this)), tasks_(new models::StudyTaskModel(*log_, this)),
      sorted_(new QSortFilterProxyModel(this)) {
    makeTabs();
    makeActions();
    makeTable();
    makeTexts();
    QLayout* bar = makeBar();
    makeBody();
    auto layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(bar);
    layout->addWidget(summary_);
    layout->addWidget(busy_);
    layout->addWidget(detail_);
    layout->addWidget(progress_);
    layout->addWidget(body_, 1);
    connectParts(); // after the tabs: they hear first of what has grown or is picked
    describe();
}

void TuningPage::makeTabs() {
    history_ = new HistoryPanel(selection_, *log_, pick_);
    estimate_ = new EstimatePanel(selection_, *log_);
    trials_ = new StudyTrials(log_, pick_, this);
    apply_ = new ApplyPanel(*log_);
    studies_ = new StudiesPanel;
    tabs_ = new QTabWidget;
    tabs_->setDocumentMode(true);
    tabs_->addTab(history_, tr("History"));
    tabs_->addTab(estimate_, tr("Model estimate"));
    tabs_->addTab(trials_->trialsTab(), tr("Trials"));
    tabs_->addTab(trials_->costModelTab(), tr("Cost model"));
    tabs_->addTab(apply_, tr("Apply"));
    tabs_->addTab(studies_, tr("Studies"));
    connect(tabs_, &QTabWidget::currentChanged, this, [this] { // these say themselves which task they show
        const QWidget* tab = tabs_->currentWidget();
        table_->setVisible(tab != trials_->trialsTab() && tab != trials_->costModelTab() && tab != studies_);
    });
}

void TuningPage::makeTable() {
    sorted_->setSourceModel(tasks_);
    sorted_->setSortRole(models::StudyTaskModel::sortRole);
    table_ = new QTableView;
    setUpTable(*table_, *sorted_);
    table_->setSortingEnabled(true);
    table_->horizontalHeader()->setSortIndicator(-1, Qt::DescendingOrder); // the order of the study
    table_->horizontalHeader()->setSortIndicatorClearable(true);
    table_->setObjectName(QStringLiteral("tasks"));
    table_->setAccessibleName(tr("Tasks of the study"));
    table_->setContextMenuPolicy(Qt::ActionsContextMenu);
    table_->addActions({first_, holdTask_, close_, reopen_, exclude_});
}

void TuningPage::makeTexts() {
    summary_ = new QLabel;
    busy_ = new QLabel;
    detail_ = new QLabel;
    for (QLabel* label : {summary_, busy_, detail_}) {
        label->setTextFormat(Qt::PlainText); // they show names of the model
        label->setWordWrap(true);
        label->setContentsMargins(8, 4, 8, 0);
    }
    progress_ = new QProgressBar;
    progress_->setRange(0, 1000);
    progress_->setTextVisible(false);
    progress_->setFixedHeight(6);
    progress_->setAccessibleName(tr("How much of its budget the study has used"));
}

QLayout* TuningPage::makeBar() {
    auto bar = new QHBoxLayout;
    bar->setContentsMargins(8, 8, 8, 4);
    bar->setSpacing(4);
    for (QAction* action : {start_, pause_, stop_, abort_, less_, more_}) {
        auto button = new QToolButton;
        button->setDefaultAction(action);
        bar->addWidget(button);
    }
    bar->addStretch(1);
    return bar;
}

void TuningPage::makeBody() {
    auto splitter = new QSplitter(Qt::Vertical);
    splitter->addWidget(tabs_);
    splitter->addWidget(table_);
    splitter->setChildrenCollapsible(false);
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 2);
    body_ = new QWidget;
    auto body = new QVBoxLayout(body_);
    body->setContentsMargins(0, 0, 0, 0);
    body->addWidget(splitter);
}

void TuningPage::connectParts() {
    connect(log_, &models::StudyLog::grown, this, [this](const models::StudyGrowth& growth) {
        if (growth.firstTrial == 0 || nodes_.size() != log_->tasks().size()) // a later step brings tasks
            findNodes();
        describe();
    });
    connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this, &TuningPage::select);
    connect(table_, &QTableView::activated, this, [this](const QModelIndex& index) {
        if (const int home = homes_[size_t(taskAt(index))]; home >= 0)
            emit nodeWanted(home);
    });
    connect(pick_, &models::StudyPick::taskChanged, this, &TuningPage::followSelection);
    connect(selection_, &models::Selection::changed, this, &TuningPage::followSelection);
    connect(studies_, &StudiesPanel::studyWanted, this, &TuningPage::studyWanted);
    connect(apply_, &ApplyPanel::whatIfWanted, this, &Page::whatIfWanted);
    connect(apply_, &ApplyPanel::compareWanted, this, &TuningPage::compareWanted);
}

void TuningPage::makeActions() {
    const auto make = [this](const QString& title, const QString& tip, auto done) {
        auto action = new QAction(title, this);
        action->setToolTip(tip);
        connect(action, &QAction::triggered, this, done);
        return action;
    };
    start_ =
        make(tr("&Start tuning…"), tr("Look for faster schedules, variants, layouts and fusion"), [this] { ask(); });
    pause_ = make(tr("&Pause"), tr("After the batch that is under way"), [this] {
        paused_ = !paused_;
        emit pauseWanted(paused_);
        describe();
    });
    stop_ = make(tr("S&top"), tr("End the search; what was found is held against the whole model"), [this] {
        emit stopWanted();
        setStage(tr("ending"));
    });
    abort_ = make(tr("A&bort"), tr("End at once; the records keep what was tried"), [this] { emit abortWanted(); });
    less_ = make(tr("− 1 min"), tr("A minute less"), [this] { moreTime(-aMinute); });
    more_ = make(tr("+ 1 min"), tr("A minute more"), [this] { moreTime(aMinute); });
    first_ = make(tr("Tune &first (×4)"),
                  tr("It gets batches as if it were worth four times as much, or as usual again"), [this] {
                      const int task = pick_->task();
                      const bool isFirst = task >= 0 && log_->tasks()[size_t(task)].priority > 1;
                      instruct(isFirst ? 1 : prioritized, {});
                  });
    holdTask_ = make(tr("P&ause the task"), tr("It gets no batches until it is reopened"),
                     [this] { instruct({}, tune::Wish::Paused); });
    close_ = make(tr("&Close the task"), tr("It gets no more batches; what was found is kept"),
                  [this] { instruct({}, tune::Wish::Closed); });
    reopen_ = make(tr("&Reopen the task"), tr("It gets batches again"), [this] { instruct({}, tune::Wish::Go); });
    exclude_ = make(tr("E&xclude the task"), tr("It gets no more batches, and its default is kept"),
                    [this] { instruct({}, tune::Wish::Excluded); });
}

std::vector<PageAction> TuningPage::pageActions() const {
    return {{"start", start_, {Qt::Key_F9}},
            {"pause", pause_, {QKeySequence(Qt::SHIFT | Qt::Key_F9)}},
            {"stop", stop_, {QKeySequence(Qt::CTRL | Qt::Key_F9)}},
            {"abort", abort_, {}},
            {"more", more_, {}},
            {"less", less_, {}},
            {"apply", apply_->applyAction(), {}},
            {"first", first_, {}},
            {"hold_task", holdTask_, {}},
            {"close_task", close_, {}},
            {"reopen_task", reopen_, {}},
            {"exclude_task", exclude_, {}}};
}

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

void TuningPage::allow() {
    tasks_->setRunning(runs_);
    start_->setEnabled(tunable_ && !runs_);
    pause_->setEnabled(runs_);
    pause_->setText(paused_ ? tr("&Resume") : tr("&Pause"));
    for (QAction* action : {stop_, abort_})
        action->setEnabled(runs_);
    for (QAction* action : {more_, less_})
        action->setEnabled(runs_ && !log_->isEmpty());
    const bool task = runs_ && table_->selectionModel()->hasSelection();
    for (QAction* action : {first_, holdTask_, close_, reopen_, exclude_})
        action->setEnabled(task);
}

void TuningPage::describe() {
    const bool shown = runs_ || !log_->isEmpty();
    body_->setVisible(shown && !log_->isEmpty());
    detail_->setVisible(shown && !log_->isEmpty());
    describeBusy();
    progress_->setVisible(runs_);
    layout()->setAlignment(summary_, body_->isVisibleTo(this) ? Qt::Alignment() : Qt::AlignTop);
    allow();
    if (!shown) {
        summary_->setText(
            tunable_
                ? tr("Start tuning (F9) to look for faster schedules of this model's kernels on this machine, and for "
                     "other variants, layouts and fusion: candidates are built and timed, and what wins is held "
                     "against the whole model.")
                : tr("Open a model to tune it."));
        return;
    }
    const QString name = models::oneLine(log_->head().name, 60);
    const double before = log_->defaultUs() / 1e3, now = log_->bestUs() / 1e3;
    const QString gain = before > 0 ? tr("the kernels take %1 ms of a run instead of %2 ms, %3 % less")
                                          .arg(now, 0, 'f', 3)
                                          .arg(before, 0, 'f', 3)
                                          .arg(100 * (1 - now / before), 0, 'f', 1)
                                    : QString();
    QString state;
    if (runs_)
        state = paused_ && log_->waits() ? tr("paused")
                : paused_                ? tr("pauses after this batch")
                : log_->waits()          ? tr("waits for other work")
                : stage_.isEmpty()       ? tr("tuning")
                                         : stage_;
    const QString inPlace = inPlaceText(end_);
    summary_->setText(runs_
                          ? tr("%1: %2%3.").arg(name, state, gain.isEmpty() ? QString() : QStringLiteral(" – ") + gain)
                      : !inPlace.isEmpty() ? tr("%1 has ended. %2").arg(name, inPlace)
                      : gain.isEmpty()     ? tr("%1 has ended.").arg(name)
                                           : tr("%1: %2, by the sum of their calls.").arg(name, gain));
    if (log_->isEmpty())
        return;
    const size_t trials = log_->points().size();
    if (!log_->judged().empty()) {
        pace_.emplace_back(log_->seconds(), trials);
        while (pace_.size() > 2 && pace_.front().first < log_->seconds() - paceOver)
            pace_.pop_front();
    }
    QStringList parts{models::counted(qint64(log_->tasks().size()), "task", "tasks"),
                      models::counted(qint64(trials), "trial", "trials")};
    if (runs_ && pace_.size() > 1 && pace_.back().first > pace_.front().first)
        parts << tr("%1 a second")
                     .arg(double(pace_.back().second - pace_.front().second) /
                              (pace_.back().first - pace_.front().first),
                          0, 'f', 1);
    const tune::Limits& limits = log_->head().limits;
    parts << (runs_ ? tr("%1 of %2").arg(clock(log_->seconds()), clock(limits.seconds)) : clock(log_->seconds()));
    if (runs_ && limits.trials > 0)
        parts << tr("at most %1").arg(models::counted(limits.trials, "trial", "trials"));
    if (const QString spent = spentText(log_->spent()); !spent.isEmpty())
        parts << spent;
    detail_->setText(parts.join(QStringLiteral(" · ")));
    progress_->setValue(limits.seconds > 0 ? int(1000 * std::min(1.0, log_->seconds() / limits.seconds)) : 0);
    if (tasks_->rowCount() > 0 && table_->columnWidth(0) < 160) {
        table_->resizeColumnsToContents();
        table_->setColumnWidth(0, std::clamp(table_->columnWidth(0), 160, 360));
    }
}

/// What was measured beside other work is right, but says less.
void TuningPage::describeBusy() {
    const tune::Timings timings = log_->timings();
    busy_->setVisible(tune::wasBusy(timings));
    if (!busy_->isVisibleTo(this))
        return;
    const QString what = tr("⚠ The machine was busy in %1 of %2 timings: small gains cannot be told from noise.")
                             .arg(models::grouped(timings.disturbed), models::grouped(timings.all));
    busy_->setText(runs_ ? what : what + ' ' + tr("Look on when it has less to do: Start tuning… (F9)."));
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
