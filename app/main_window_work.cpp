// SPDX-License-Identifier: GPL-3.0-or-later
//
// The part of MainWindow that has work done: what is asked of the Engine, with which settings, and what is shown of the answers.
#include "app/main_window.h"

#include "app/recent_files.h"
#include "app/run_wish.h"

#include "app/progress_pane.h"
#include "report/report.h"
#include "views/fusion/fusion_page.h"
#include "views/graph/compare_page.h"
#include "views/models/text/counted.h"
#include "views/models/text/shown_path.h"
#include "views/profile/profile_page.h"
#include "views/profile/states_panel.h"
#include "views/tensor/tensor_panel.h"
#include "views/tuning/tuning_page.h"

#include <QFileInfo>
#include <QLabel>
#include <algorithm>
#include <utility>

namespace lathe::app {

using views::models::LogLevel;

void MainWindow::connectWork() {
    connect(&engine_, &Engine::opened, this, &MainWindow::showOpened);
    connect(&engine_, &Engine::compiled, this, &MainWindow::showCompiled);
    connect(&engine_, &Engine::cancelled, this, [this] { log(tr("Cancelled.")); });
    connect(&engine_, &Engine::reported, this, [this](const QString& path, const std::vector<Diagnostic>& problems) {
        if (problems.empty())
            log(tr("The report is %1.").arg(path));
        else
            log(tr("There is no report: Problems says why."), LogLevel::Error);
        if (!problems.empty())
            showProblems(problems);
    });
    connect(&engine_, &Engine::progress, this, [this](const QString& what, double fraction) {
        status_->setText(what);
        logStage(what);
        if (work_.busy)
            progress_->report(fraction);
    });
    connect(&engine_, &Engine::idle, this, [this] {
        setBusy(engine_.isBusy()); // something may have been asked for since
        if (!work_.busy)
            tensor_->endWaiting(tr("It was cancelled."));
        checkSettled();
    });
    connect(whatIfs_, &WhatIfs::changed, this, &MainWindow::compile);
    connect(whatIfs_, &WhatIfs::nothingChanged, this,
            [this](const QString& what) { log(tr("Nothing to do for %1: it is decided so.").arg(what)); });
}

void MainWindow::connectRuns() {
    connect(&engine_, &Engine::ran, this, &MainWindow::showProfiles);
    connect(&engine_, &Engine::swept, this, &MainWindow::showSweep);
    connect(profile_, &views::profile::ProfilePage::sweepWanted, this, &MainWindow::sweep);
    connect(&engine_, &Engine::measured, this, [this](const inspect::MachinePeaks& peaks) {
        peaks_ = peaks;
        profile_->setPeaks(peaks);
    });
    connect(&engine_, &Engine::flamed, this,
            [this](const CompilationPtr& of, const std::shared_ptr<const inspect::Flame>& flame) {
                if (of == work_.compilation)
                    profile_->setFlame(flame);
            });
}

void MainWindow::connectStates() {
    views::profile::StatesPanel* panel = profile_->states();
    connect(panel, &views::profile::StatesPanel::beginningsChosen, this,
            [this](const inspect::StateBeginnings& beginnings, bool goOn) {
                RunSettings settings = work_.settings;
                settings.states = beginnings;
                settings.goOn = goOn;
                setRunSettings(settings);
            });
    connect(panel, &views::profile::StatesPanel::resetWanted, this, [this] {
        states_ = nullptr;
        profile_->setStatesAfter({});
        RunSettings settings = work_.settings;
        settings.states.clear();
        setRunSettings(settings);
        log(tr("The next run begins as the model says."));
    });
    connect(panel, &views::profile::StatesPanel::valuesWanted, this, &MainWindow::showValues);
    connect(&engine_, &Engine::stated, this,
            [this](const CompilationPtr& of, const std::shared_ptr<const inspect::Tensors>& states) {
                if (of != work_.compilation)
                    return;
                states_ = states;
                views::models::StateModel::Values after;
                for (const auto& [name, value] : *states)
                    after[name] = model::toData(value);
                profile_->setStatesAfter(std::move(after));
            });
}

void MainWindow::connectComparison() {
    connect(compare_, &views::graph::ComparePage::modelWanted, this, [this] { askForComparison(false); });
    connect(compare_, &views::graph::ComparePage::arranged, this, &MainWindow::checkSettled);
    connect(&engine_, &Engine::modelsCompared, this,
            [this](const model::ModelGraphPtr& open, const views::models::ModelComparisonPtr& comparison,
                   const std::vector<Diagnostic>& problems) {
                if (open.get() != modelGraph())
                    return log(tr("Another model is open by now: what it was compared with is not shown."));
                if (!comparison) {
                    showProblems(problems);
                    return log(tr("The models were not compared: Problems says why."), LogLevel::Error);
                }
                compare_->setComparison(comparison);
                log(comparison->rows.empty() ? tr("The models are equal.") : tr("The models differ: see Compare."));
                showPage("compare");
            });
}

void MainWindow::compile() {
    if (work_.path.isEmpty() || !work_.trace->graph)
        return;
    if (work_.hasChanged()) {
        if (next_ == Next::Nothing)
            next_ = Next::Compile;
        if (std::exchange(reloading_, true))
            return; // it is on its way, and compiled with what is decided then
        log(tr("%1 has changed: it is opened anew.").arg(QFileInfo(work_.path).fileName()));
        return load(work_.path);
    }
    setBusy(true);
    log(tr("Compiling"));
    askedOn_ = pages_->currentIndex();
    engine_.compile(work_.options(), whatIfs_->decisions());
}

void MainWindow::compareWith(const QString& path) {
    const QString absolute = views::models::absolutePath(path);
    if (!modelGraph() || refusesName(absolute))
        return;
    setBusy(true);
    log(tr("Comparing with %1").arg(views::models::shownPath(path)));
    driver::Options options = work_.importOptions(); // a model that declares no sizes may have those of this one
    options.shapesAtNeed = work_.shapes();
    engine_.compareModels(work_.trace, absolute, std::move(options));
}

void MainWindow::showCompiled(const QString& path, const CompilationPtr& compilation) {
    if (path != work_.path)
        return;
    const bool other = work_.compilation && (work_.compilation->decisions != compilation->decisions ||
                                             work_.compilation->options != compilation->options);
    if (isCompiled() && other && !baselineTaken_)
        baseline_ = work_.compilation;
    work_.compilation = compilation;
    work_.trace = TracePtr(compilation->provenance, &compilation->trace());
    selection_.dropCalls();
    tensor_->dropChecked();
    for (views::Page* page : pageTable_)
        page->setProvenance(compilation->provenance);
    fusion_->setFunctions(*compilation->fusion);
    tuning_->setContext({.provenance = compilation->provenance,
                         .options = compilation->options,
                         .decisions = compilation->decisions,
                         .threads = work_.settings.threads,
                         .control = engine_.tuneControl()});
    showProblems(work_.trace->diagnostics);
    const bool good = isCompiled();
    if (good)
        facts_->setText(views::models::counted(qint64(work_.trace->calls.size()), "kernel call", "kernel calls"));
    if (good)
        log(tr("Compiled in %1 s: %2, called %3. Run (F6) to see where the time goes.")
                .arg(compilation->seconds, 0, 'f', 2)
                .arg(tr("%1 (%2 of them new)")
                         .arg(views::models::counted(qint64(work_.trace->kernels.size()), "kernel", "kernels"))
                         .arg(std::ranges::count(work_.trace->kernels, false, &driver::KernelRecord::cached)),
                     views::models::counted(qint64(work_.trace->calls.size()), "time", "times")));
    else
        log(tr("Compilation ended without an artifact: Problems says why."), LogLevel::Error);
    setBusy(work_.busy);
    showOverview();
    project_.touch();
    const Next next = std::exchange(next_, Next::Nothing);
    if (good && next == Next::Run)
        run();
    else if (good && next == Next::Sweep)
        sweep(sweep_);
    else if (good && next == Next::Compare)
        runAndCompare();
    else if (!work_.trace->passes.empty())
        turnTo("passes", std::exchange(passesSeen_, true));
}

bool MainWindow::isOutdated() const {
    driver::Options wanted = work_.options();
    wanted.threads = work_.compilation->options.threads; // to compile with: they change no code
    if (!work_.trace->fixedAtNeed) {                     // nor do sizes that were not needed
        wanted.shapesAtNeed = work_.compilation->options.shapesAtNeed;
        wanted.inputsAtNeed = work_.compilation->options.inputsAtNeed;
    }
    return wanted != work_.compilation->options || whatIfs_->decisions() != work_.compilation->decisions;
}

void MainWindow::run() {
    if (work_.path.isEmpty() || !work_.trace->graph)
        return;
    if (!isCompiled() || isOutdated()) {
        next_ = Next::Run;
        return compile();
    }
    startRun({work_.compilation});
}

void MainWindow::runAndCompare() {
    if (!baseline_)
        return;
    if (!isCompiled() || isOutdated()) {
        next_ = Next::Compare;
        return compile();
    }
    startRun({baseline_, work_.compilation});
}

void MainWindow::startRun(std::vector<CompilationPtr> compilations) {
    setBusy(true);
    log(compilations.size() > 1 ? tr("Running the baseline and the compilation of now by turns") : tr("Running"));
    askedOn_ = pages_->currentIndex();
    engine_.run(std::move(compilations), work_.settings.threads,
                {.shapes = views::models::shapesWith(*work_.trace->graph, work_.settings.sizes),
                 .inputs = work_.settings.inputs,
                 .states = work_.settings.states,
                 .left = work_.settings.goOn ? states_ : nullptr});
}

void MainWindow::showProfiles(const std::vector<CompilationPtr>& of, const std::vector<inspect::Profile>& profiles,
                              std::vector<Diagnostic> problems) {
    if (of.empty() || of.back() != work_.compilation) // another was made meanwhile: its own run is what is wanted
        return of.size() > 1 ? runAndCompare() : run();
    if (profiles.empty()) {
        log(tr("The run failed."), LogLevel::Error);
        return showProblems(std::move(problems));
    }
    const inspect::Profile& profile = profiles.back();
    log(tr("Ran %1, median %2 ms.")
            .arg(views::models::counted(profile.runs, "time", "times"))
            .arg(profile.medianMs, 0, 'f', 3));
    facts_->setText(tr("%1 · %2 · %3 ms")
                        .arg(QFileInfo(work_.path).fileName(),
                             views::models::counted(qint64(profile.rows.size()), "kernel call", "kernel calls"))
                        .arg(profile.medianMs, 0, 'f', 2));
    for (const QString& file : {work_.path, projectPath()})
        rememberRun(file, profile.medianMs);
    for (views::Page* page : pageTable_)
        page->setProfile(profile);
    const bool compared = profiles.size() > 1;
    if (compared)
        profile_->setChange(profiles.front(), profile, views::models::summaryOf(of.front()->decisions),
                            views::models::summaryOf(work_.compilation->decisions));
    showOverview();
    turnTo(compared ? "profile" : "overview", std::exchange(profileSeen_, true) && !compared);
}

void MainWindow::sweep(const inspect::SweepQuestion& question) {
    if (work_.path.isEmpty() || !work_.trace->graph)
        return;
    sweep_ = question;
    if (!isCompiled() || isOutdated()) {
        next_ = Next::Sweep;
        return compile();
    }
    setBusy(true);
    log(tr("Running over %1").arg(QString::fromStdString(question.name)));
    engine_.sweep(work_.compilation, work_.settings.threads,
                  views::models::shapesWith(*work_.trace->graph, work_.settings.sizes), work_.settings.inputs,
                  question);
}

void MainWindow::showSweep(const CompilationPtr& of, const inspect::Sweep& sweep, std::vector<Diagnostic> problems) {
    if (of != work_.compilation) // another was made meanwhile: its own sweep is what is wanted
        return this->sweep(sweep_);
    if (!problems.empty()) {
        log(tr("Running over a size failed: Problems says why."), LogLevel::Error);
        return showProblems(std::move(problems));
    }
    log(tr("Ran over %1.").arg(QString::fromStdString(sweep.name)));
    if (!sweep.drawn.empty())
        log(QString::fromStdString(toString(inspect::drawnNote(sweep.drawn, "at each size, if they have it"))),
            LogLevel::Note);
    profile_->setSweep(sweep);
}

void MainWindow::showFound(const QString& path, const views::models::CheckedTensors& value,
                           std::vector<Diagnostic> problems) {
    if (path != work_.path || tensor_->awaited() != value.name)
        return; // something else is to be shown by now
    if (!problems.empty()) {
        log(tr("The values of %1 are not there: Problems says why.").arg(value.name), LogLevel::Error);
        tensor_->endWaiting(tr("It could not be computed: Problems says why."));
        return showProblems(std::move(problems));
    }
    if (!value.got && !value.expected)
        return; // it was cancelled: what is asked for by now is still to come
    tensor_->setChecked(value);
    log(tr("The dock Values has those of %1.").arg(value.name));
}

void MainWindow::showCheck(const QString& path, const std::shared_ptr<const diagnose::Check>& check,
                           std::vector<Diagnostic> problems) {
    if (path != work_.path)
        return;
    if (!check) {
        log(tr("The check failed: Problems says why."), LogLevel::Error);
        return showProblems(std::move(problems));
    }
    const auto diverge = check->count(diagnose::CheckState::Diverges);
    if (check->count(diagnose::CheckState::Within) + diverge == 0)
        log(tr("Checked nothing: the page says of each value why it was not compared."), LogLevel::Warning);
    else if (diverge)
        log(tr("Checked: %1.").arg(views::models::counted(qint64(diverge), "value diverges", "values diverge")),
            LogLevel::Warning);
    else if (const size_t odd = check->countNotFinite())
        log(tr("Checked: all values are within the tolerance, but in %1 some elements are not finite on either side.")
                .arg(views::models::counted(qint64(odd), "value", "values")),
            LogLevel::Warning);
    else
        log(tr("Checked: all values are within the tolerance."));
    for (views::Page* page : pageTable_)
        page->setCheck(check);
    showOverview();
    turnTo("check", std::exchange(checkSeen_, true));
}

void MainWindow::writeReport(const QString& path) {
    setBusy(true);
    const inspect::Profile& profile = profile_->model()->profile();
    engine_.report({.trace = work_.trace,
                    .model = work_.path.toStdString(),
                    .options = work_.compilation    ? work_.compilation->options
                               : work_.trace->graph ? work_.options()
                                                    : work_.importOptions(),
                    .decisions = work_.compilation ? work_.compilation->decisions : decisions(),
                    .shapes = work_.trace->graph ? views::models::shapesWith(*work_.trace->graph, work_.settings.sizes)
                                                 : driver::Shapes(),
                    .compileSeconds = work_.compilation ? work_.compilation->seconds : 0,
                    .profile = profile.rows.empty() ? std::nullopt : std::optional(profile),
                    .peaks = {},
                    .problems = {}},
                   path);
}

void MainWindow::cancel() {
    log(tr("Cancelling"));
    forgetPlans();
    engine_.cancel();
}

} // namespace lathe::app
