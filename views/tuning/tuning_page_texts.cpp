// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the page Tuning says of a study, and what can be done about it now.
#include "views/tuning/tuning_page.h"

#include "views/models/text/counted.h"
#include "views/models/text/one_line.h"
#include "views/tuning/apply_panel.h"

#include <QAction>
#include <QLabel>
#include <QLayout>
#include <QProgressBar>
#include <QTableView>
#include <algorithm>

namespace lathe::views::tuning {
namespace {

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
    const QString name = models::oneLine(log_->head().name, models::longestNameInText);
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

} // namespace lathe::views::tuning
