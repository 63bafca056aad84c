// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/tuning/trials_panel.h"

#include "views/models/text/counted.h"
#include "views/models/tuning/failure_model.h"
#include "views/models/tuning/lineage_model.h"
#include "views/page/share_delegate.h"
#include "views/page/table.h"
#include "views/tuning/answers_panel.h"
#include "views/tuning/parallel_view.h"
#include "views/tuning/trial_code_panel.h"
#include "views/tuning/trial_delegate.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QScopedValueRollback>
#include <QTabWidget>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>

namespace lathe::views::tuning {

namespace {

QWidget* withText(QLabel* text, QWidget* below) {
    text->setTextFormat(Qt::PlainText);
    text->setWordWrap(true);
    text->setMargin(8);
    auto page = new QWidget;
    auto layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(text);
    layout->addWidget(below, 1);
    return page;
}

} // namespace

TrialsPanel::TrialsPanel()
    : model_(new models::TrialModel(this)), lineage_(new models::LineageModel(this)),
      failures_(new models::FailureModel(this)), pause_(new QTimer(this)) {
    pause_->setSingleShot(true);
    pause_->setInterval(std::chrono::seconds(2));
    connect(pause_, &QTimer::timeout, this, &TrialsPanel::showSeen);
    QLayout* row = makeFilter();
    makeTables();
    makeTabs();
    auto layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(row);
    layout->addWidget(problem_);
    layout->addWidget(tabs_, 1);

    connectTrials();
    connectOrigins();
    setTask({});
}

QLayout* TrialsPanel::makeFilter() {
    filter_ = new QLineEdit;
    filter_->setPlaceholderText(tr("Filter:  rows>8  verdict:crashed  made:random  ratio<95%  \"did not end\""));
    filter_->setAccessibleName(tr("Filter of trials"));
    filter_->setToolTip(tr("Terms with spaces between them must all hold, those with - before them must not.\n"
                           "Columns: id parent round us ratio low high prior predicted seconds made verdict\n"
                           "Questions by their names: b0.rows>8, or rows>8 for any block\n"
                           "is:best is:accepted is:timed is:failed\n"
                           "Other words are looked for in reasons and in answers (b0.rows=6)"));
    filter_->setClearButtonEnabled(true);
    problem_ = new QLabel;
    problem_->setTextFormat(Qt::PlainText);
    problem_->setWordWrap(true);
    problem_->setContentsMargins(8, 2, 8, 4);
    problem_->hide();
    count_ = new QLabel;
    auto row = new QHBoxLayout;
    row->setContentsMargins(8, 8, 8, 4);
    row->setSpacing(8);
    row->addWidget(filter_, 1);
    row->addWidget(count_);
    return row;
}

void TrialsPanel::makeTables() {
    table_ = new QTableView;
    setUpTable(*table_, *model_);
    table_->setItemDelegate(new TrialDelegate(table_));
    table_->setAccessibleName(tr("Trials"));
    table_->setObjectName(QStringLiteral("trials"));
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setSortingEnabled(true);
    table_->sortByColumn(models::TrialModel::Id, Qt::AscendingOrder);
    table_->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    lineageTable_ = new QTableView;
    setUpTable(*lineageTable_, *lineage_);
    lineageTable_->setAccessibleName(tr("Ancestors of a trial"));
    lineageTable_->setSelectionMode(QAbstractItemView::SingleSelection);
    failureTable_ = new QTableView;
    setUpTable(*failureTable_, *failures_);
    failureTable_->setItemDelegateForColumn(models::FailureModel::Share, new ShareDelegate(failureTable_));
    failureTable_->setAccessibleName(tr("What went wrong with trials"));
}

void TrialsPanel::makeTabs() {
    lineageText_ = new QLabel;
    lineagePage_ = withText(lineageText_, lineageTable_);
    failureText_ = new QLabel;
    failurePage_ = withText(failureText_, failureTable_);
    answers_ = new AnswersPanel;
    parallel_ = new ParallelView;
    code_ = new TrialCodePanel;
    tabs_ = new QTabWidget;
    tabs_->setDocumentMode(true);
    tabs_->addTab(table_, tr("Table"));
    tabs_->addTab(answers_, tr("Answers"));
    tabs_->addTab(parallel_, tr("Parallel axes"));
    tabs_->addTab(lineagePage_, tr("Lineage"));
    tabs_->addTab(failurePage_, tr("Failures"));
    tabs_->addTab(code_, tr("Trial"));
}

void TrialsPanel::connectTrials() {
    connect(filter_, &QLineEdit::textChanged, this, &TrialsPanel::applyFilter);
    connect(tabs_, &QTabWidget::currentChanged, this, &TrialsPanel::showSeen);
    connect(model_, &models::TrialModel::shownChanged, this, [this] { seen_.clear(); });
    connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        const QModelIndexList rows = table_->selectionModel()->selectedRows();
        if (!following_ && !rows.isEmpty())
            takePick(model_->trialAt(rows.front().row()));
    });
    connect(table_, &QTableView::activated, this, [this] { tabs_->setCurrentWidget(code_); });
    connect(answers_, &AnswersPanel::trialPicked, this, &TrialsPanel::takePick);
    connect(parallel_, &ParallelView::rangeWanted, this, [this](const QString& name, const QStringList& terms) {
        setFilter(models::withTerms(filter(), name, terms));
    });
}

void TrialsPanel::connectOrigins() {
    connect(lineageTable_, &QTableView::activated, this, [this](const QModelIndex& index) {
        takePick(lineage_->at(index.row()).trial);
        tabs_->setCurrentWidget(code_);
    });
    const auto leave = [this](const QModelIndex& index) {
        if (index.isValid())
            setFilter(failures_->filterOf(index.row()));
    };
    connect(failureTable_, &QTableView::clicked, this, leave);
    connect(failureTable_, &QTableView::activated, this, [this, leave](const QModelIndex& index) {
        leave(index);
        tabs_->setCurrentWidget(table_);
    });
}

void TrialsPanel::setTask(models::TaskTrials task) {
    task_ = std::move(task);
    picked_ = -1;
    compared_ = coded_ = {-1, -1};
    model_->setTrials(task_.trials ? task_.trials : std::make_shared<models::TrialSet>());
    table_->resizeColumnsToContents();
    applyFilter();
}

void TrialsPanel::refresh() {
    showCount();
    showSeen();
}

void TrialsPanel::grown() {
    showCount();
    if (pause_->isActive())
        return;
    showSeen();
    pause_->start();
}

QString TrialsPanel::filter() const {
    return filter_->text();
}

void TrialsPanel::setFilter(const QString& text) {
    filter_->setText(text);
}

void TrialsPanel::applyFilter() {
    const auto done = model_->setFilter(filter_->text());
    problem_->setText(done ? QString() : QString::fromStdString(done.error().what));
    problem_->setVisible(!done);
    QPalette palette = problem_->palette();
    palette.setColor(QPalette::WindowText, models::colorsFor(this->palette()).problem);
    problem_->setPalette(palette);
    pick(picked_);
    refresh();
}

void TrialsPanel::showCount() {
    const auto all = qint64(model_->trials().size()), shown = qint64(model_->shown().size());
    count_->setText(all == shown ? models::counted(all, "trial", "trials")
                                 : tr("%1 of %2").arg(models::grouped(shown), models::counted(all, "trial", "trials")));
}

void TrialsPanel::takePick(int trial) {
    pick(trial);
    emit trialPicked(trial);
}

void TrialsPanel::pick(int trial) {
    if (trial >= int(model_->trials().size()))
        trial = -1;
    parallel_->mark(trial);
    if (trial != picked_ || compared_.first >= 0) {
        picked_ = trial;
        compared_ = {-1, -1};
        std::erase(seen_, lineagePage_);
        std::erase(seen_, code_);
    }
    const QScopedValueRollback guard(following_, true);
    const int row = trial < 0 ? -1 : model_->rowOf(trial);
    const QModelIndexList rows = table_->selectionModel()->selectedRows();
    if (row < 0)
        table_->clearSelection();
    else if (rows.size() != 1 || rows.front().row() != row) {
        table_->selectRow(row);
        table_->scrollTo(model_->index(row, 0));
    }
    showSeen();
}

void TrialsPanel::compare(int before, int after) {
    pick(after);
    compared_ = {before, after};
    std::erase(seen_, code_);
    tabs_->setCurrentWidget(code_);
    showSeen();
}

void TrialsPanel::showSeen() {
    QWidget* tab = tabs_->currentWidget();
    if (std::ranges::find(seen_, tab) != seen_.end())
        return;
    seen_.push_back(tab);
    const auto trials = task_.trials ? task_.trials : std::make_shared<models::TrialSet>();
    if (tab == answers_)
        answers_->setTrials(trials, model_->shown());
    else if (tab == parallel_)
        parallel_->setTrials(trials, model_->shown(),
                             models::parseTrialFilter(model_->filter(), *trials).value_or(models::TrialFilter{}));
    else if (tab == lineagePage_)
        showLineage();
    else if (tab == failurePage_) {
        failures_->show(*trials);
        failureText_->setText(
            failures_->failed() == 0
                ? tr("None of %1 failed.").arg(models::counted(qint64(trials->size()), "trial", "trials"))
                : tr("%1 of %2 failed. A click leaves those of a row; Enter shows them in the table.")
                      .arg(models::grouped(qint64(failures_->failed())),
                           models::counted(qint64(trials->size()), "trial", "trials")));
        failureTable_->resizeColumnsToContents();
    } else if (tab == code_)
        showCode();
}

void TrialsPanel::showLineage() {
    const models::TrialSet& trials = model_->trials();
    const int trial = picked_ >= 0 ? picked_ : trials.best();
    lineage_->show(task_.trials, trial);
    lineageTable_->resizeColumnsToContents();
    lineageText_->setText(trial < 0
                              ? tr("There are no trials yet.")
                              : tr("How trial %1%2 came about: each trial was made from the one above it. The gain "
                                   "is the share of that one's time that it saves.")
                                    .arg(trial)
                                    .arg(trial == trials.best() ? tr(", the best,") : QString()));
}

void TrialsPanel::showCode() {
    const models::TrialSet& trials = model_->trials();
    int after = compared_.first >= 0 ? compared_.second : picked_ >= 0 ? picked_ : trials.best();
    if (after < 0 || !task_.trace) {
        coded_ = {-1, -1};
        return code_->showMessage(tr("Pick a trial to see what it is."));
    }
    const int before = compared_.first >= 0 ? compared_.first : after == trials.best() ? 0 : trials.best();
    if (std::pair(before, after) == coded_)
        return;
    coded_ = {before, after};
    const auto one = models::shownTrialOf(task_, before), other = models::shownTrialOf(task_, after);
    if (!one || !other)
        return code_->showMessage(QString::fromStdString(toString(one ? other.error() : one.error())));
    const auto said = [&](int trial) {
        const models::TrialRow& row = trials[size_t(trial)];
        return tr("trial %1%2 (%3)")
            .arg(trial)
            .arg(trial == trials.best() ? tr(", the best")
                 : trial == 0           ? tr(", the default")
                                        : QString(),
                 row.isTimed() ? tr("%1 of the default's time").arg(models::ratioText(row.ratio))
                               : models::verdictText(row.verdict));
    };
    code_->setTrials(task_.kernel, *one, *other, tr("Left %1, right %2.").arg(said(before), said(after)));
}

} // namespace lathe::views::tuning
