// SPDX-License-Identifier: GPL-3.0-or-later
//
// Checks of values, and what they lead to: a value that diverges first, and the pass that is to blame.
#include "app/main_window.h"

#include "views/check/check_page.h"
#include "views/log/log_panel.h"
#include "views/passes/bisect_dialog.h"
#include "views/passes/passes_page.h"
#include "views/tensor/tensor_panel.h"

#include <utility>

namespace lathe::app {

using views::models::LogLevel;

void MainWindow::connectChecks() {
    connect(&engine_, &Engine::checked, this, &MainWindow::showCheck);
    connect(&engine_, &Engine::valueFound, this, &MainWindow::showFound);
    connect(check_, &views::check::CheckPage::checkWanted, this, &MainWindow::check);
}

void MainWindow::check(diagnose::CheckAgainst against) {
    if (work_.path.isEmpty() || !work_.trace->graph)
        return;
    if (work_.hasChanged())
        return compile(); // what is shown is not what would be checked
    setBusy(true);
    log(tr("Checking"));
    askedOn_ = pages_->currentIndex();
    engine_.check(checkQuestion(std::move(against)));
}

diagnose::CheckQuestion MainWindow::checkQuestion(diagnose::CheckAgainst against) const {
    diagnose::CheckQuestion question;
    question.options = work_.options();
    question.decisions = whatIfs_->decisions();
    question.runner.threads = work_.settings.threads;
    question.chosen = work_.settings.inputs;
    if (!std::holds_alternative<diagnose::AgainstFiles>(against)) // files say sizes themselves
        question.shapes = views::models::shapesWith(*work_.trace->graph, work_.settings.sizes);
    question.against = std::move(against);
    return question;
}

void MainWindow::findValue(const QString& value) {
    if (work_.path.isEmpty() || !work_.trace->graph)
        return;
    if (work_.hasChanged())
        return compile(); // what is shown is not what would be computed
    setBusy(true);
    log(tr("Computing the values of %1").arg(value));
    tensor_->wait(value);
    showValueDock();
    const views::models::CheckPtr& check = check_->model()->check(); // its figures are of these elements
    engine_.findValue(check ? check->question : checkQuestion(check_->against()), value);
}

void MainWindow::askForBisect() {
    if (!bisect_) {
        using views::passes::BisectDialog;
        bisect_ = new BisectDialog(this);
        connect(bisect_, &BisectDialog::wanted, this, [this](const diagnose::Fault& fault) {
            if (!work_.trace || !work_.trace->graph)
                return bisect_->showEnd(tr("There is no model. Open one, then start again."));
            if (work_.hasChanged()) {
                bisect_->showEnd(tr("The model's file has changed and is opened anew. Start again then."));
                return compile();
            }
            setBusy(true);
            log(tr("Bisecting"));
            diagnose::BisectQuestion question;
            question.fault = fault;
            question.options = work_.options();
            question.decisions = whatIfs_->decisions();
            question.shapes = views::models::shapesWith(*work_.trace->graph, work_.settings.sizes);
            question.chosen = work_.settings.inputs;
            question.runner.threads = work_.settings.threads;
            engine_.bisect(std::move(question));
        });
        connect(bisect_, &BisectDialog::cancelWanted, this, &MainWindow::cancel);
        connect(bisect_, &BisectDialog::whatIfWanted, whatIfs_, &WhatIfs::tryOut);
        connect(bisect_, &BisectDialog::passWanted, this, [this](const QString& pass) {
            showPage("passes");
            passes_->choosePass(pass);
        });
        connect(&engine_, &Engine::bisectTried, bisect_, &BisectDialog::addStep);
        connect(&engine_, &Engine::bisectTried, bisect_, [this](const diagnose::BisectStep& step) {
            log_->add(LogLevel::Detail, tr("Bisecting: %1 with passes: %2, %3")
                                            .arg(step.bad ? tr("bad") : tr("good"), QString::fromStdString(step.passes),
                                                 QString::fromStdString(step.reason)));
        });
        connect(&engine_, &Engine::idle, bisect_, [this] {
            if (!engine_.isBusy()) // something may have been asked for since
                bisect_->showEnd(tr("Cancelled."));
        });
        connect(
            &engine_, &Engine::bisected, this,
            [this](const std::shared_ptr<const diagnose::Bisection>& found, const std::vector<Diagnostic>& problems) {
                if (found)
                    bisect_->showFound(*found);
                else
                    bisect_->showEnd(tr("It failed: Problems says why."));
                log(bisect_->answer(), found ? LogLevel::Note : LogLevel::Error);
                if (!found)
                    showProblems(problems);
            });
    }
    bisect_->show();
    bisect_->raise();
    bisect_->activateWindow();
}

} // namespace lathe::app
