// SPDX-License-Identifier: GPL-3.0-or-later
//
// The parts of the page Tuning: tabs, table, texts and actions, each made once.
#include "views/tuning/tuning_page.h"

#include "views/page/table.h"
#include "views/tuning/apply_panel.h"
#include "views/tuning/estimate_panel.h"
#include "views/tuning/history_panel.h"
#include "views/tuning/studies_panel.h"
#include "views/tuning/study_trials.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

namespace lathe::views::tuning {
namespace {

constexpr double prioritized = 4; // times
constexpr double aMinute = 60;

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

} // namespace lathe::views::tuning
