// SPDX-License-Identifier: GPL-3.0-or-later
//
// The page Overview and the tool bar in the window: what they are told, and where advice leads.
#include "app/main_window.h"

#include "advise/advice.h"
#include "app/flow_bar.h"
#include "codegen/target.h"
#include "views/check/check_page.h"
#include "views/models/overview/overview.h"
#include "views/overview/overview_page.h"
#include "views/problems/problems_panel.h"
#include "views/profile/profile_page.h"

namespace lathe::app {

void MainWindow::connectOverview() {
    connect(overview_, &views::overview::OverviewPage::adviceTaken, this,
            [this](const advise::Advice& advice) { follow(advice); });
    connect(overview_, &views::overview::OverviewPage::functionWanted, this, &MainWindow::showFunction);
    connect(&engine_, &Engine::triedRead, this, [this](const std::set<std::string>& tried) { tried_ = tried; });
    connect(&engine_, &Engine::tuned, this, &MainWindow::showOverview);
    connect(exports_, &ExportDesk::listChanged, this, &MainWindow::showFlow);
}

const diagnose::Check* MainWindow::checkOfNow() const {
    const views::models::CheckPtr& check = check_->model()->check();
    if (!check || !work_.compilation)
        return nullptr;
    driver::Options options = work_.compilation->options;
    options.threads = check->question.options.threads; // to compile with: they change no code
    const bool same = check->question.decisions == work_.compilation->decisions && check->question.options == options;
    return same ? check.get() : nullptr;
}

void MainWindow::showOverview() {
    showFlow();
    if (!modelGraph())
        return overview_->show({});
    const CompilationPtr& compiled = work_.compilation;
    const driver::Options options = compiled ? compiled->options : work_.options();
    const driver::Decisions& decisions = compiled ? compiled->decisions : this->decisions();
    const inspect::Profile& profile = profile_->model()->profile();
    std::error_code failed;
    const auto bytes = isCompiled() ? std::filesystem::file_size(compiled->artifact->path(), failed) : 0;
    const views::models::ProblemModel& problems = *problems_->model();
    overview_->show(views::models::overviewOf({.trace = work_.trace.get(),
                                               .options = &options,
                                               .decisions = &decisions,
                                               .profile = profile.rows.empty() ? nullptr : &profile,
                                               .peaks = peaks_ ? &*peaks_ : nullptr,
                                               .check = checkOfNow(),
                                               .machine = codegen::nativeTarget(),
                                               .tried = tried_},
                                              {.path = work_.path,
                                               .seconds = compiled ? compiled->seconds : 0,
                                               .artifactBytes = failed ? 0 : qint64(bytes),
                                               .errors = problems.errors(),
                                               .warnings = problems.rowCount() - problems.errors()},
                                              isCompiled()));
}

void MainWindow::showFlow() {
    const diagnose::Check* check = checkOfNow();
    const bool right =
        check && check->count(diagnose::CheckState::Diverges) == 0 && check->count(diagnose::CheckState::Within) > 0;
    flow_->show({{modelGraph() != nullptr, isCompiled(), !profile_->model()->profile().rows.empty(), right,
                  isCompiled() && views::models::tunedKernels(*work_.trace) > 0, !exportList().exports().isEmpty()}});
}

void MainWindow::follow(const advise::Advice& advice) {
    const auto showCall = [&](const QString& page) {
        if (advice.call >= 0)
            selection_.set({work_.compilation->provenance->nodesOf(advice.call, -1), advice.call});
        showPage(page);
    };
    switch (advice.step) {
    case advise::Step::Bisect:
        return askForBisect();
    case advise::Step::Check:
        return check(check_->against());
    case advise::Step::Run:
        return run();
    case advise::Step::Settings:
        return askForSettings();
    case advise::Step::Tune:
        return actions_["tuning.start"]->trigger();
    case advise::Step::Passes:
        return whatIfs_->tryOut({tr("switching on all passes"), [](driver::Decisions& decisions) {
                                     decisions.skipPasses.clear();
                                     decisions.skipIn.clear();
                                     decisions.optionalLimit = -1;
                                 }});
    case advise::Step::Fusion:
        return showCall("fusion");
    case advise::Step::Loops:
        return showFunction(advice.call);
    case advise::Step::Timeline:
        profile_->showTimeline();
        return showPage("profile");
    case advise::Step::Memory:
        profile_->showMemory();
        return showCall("profile");
    }
}

} // namespace lathe::app
