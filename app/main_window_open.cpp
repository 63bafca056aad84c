// SPDX-License-Identifier: GPL-3.0-or-later
//
// The part of MainWindow that opens and closes: which file, what belongs to the model before and goes, what is shown first.
#include "app/main_window.h"

#include "views/graph/model_page.h"
#include "views/models/text/counted.h"
#include "views/models/text/shown_path.h"
#include "views/passes/bisect_dialog.h"
#include "views/problems/problems_panel.h"
#include "views/profile/profile_page.h"
#include "views/start/start_page.h"
#include "views/tensor/tensor_panel.h"
#include "views/tuning/tuning_page.h"

#include <QDockWidget>
#include <QFileInfo>
#include <QLabel>
#include <QSettings>
#include <QStackedWidget>
#include <QTabWidget>
#include <algorithm>
#include <utility>

namespace lathe::app {

using views::models::LogLevel;

namespace {

constexpr auto docksShownKey = "window/docksShown";

} // namespace

bool MainWindow::refusesName(const QString& path) {
    const QString problem = views::models::problemOfName(path);
    if (problem.isEmpty())
        return false;
    showProblems({error(problem.toStdString())});
    log(tr("%1 was not opened: Problems says why.").arg(views::models::shownPath(path)), LogLevel::Error);
    return true;
}

void MainWindow::open(const QString& path) {
    const QString absolute = views::models::absolutePath(path);
    if (refusesName(absolute))
        return;
    forgetPlans();
    project_.forget();
    if (absolute.endsWith(QStringLiteral(".lathe"))) {
        log(tr("Opening %1").arg(absolute));
        return project_.open(absolute);
    }
    load(absolute);
}

void MainWindow::forgetPlans() {
    next_ = Next::Nothing;
    reloading_ = false;
    project_.dropModel();
}

void MainWindow::load(const QString& path) {
    const QString absolute = views::models::absolutePath(path);
    if (refusesName(absolute))
        return project_.giveUp();
    setBusy(true);
    // Before the first model of all these have nothing to say; what the user has closed since then stays closed.
    if (QSettings settings; !settings.value(docksShownKey).toBool()) {
        settings.setValue(docksShownKey, true);
        problemsDock_->show();
        logDock_->show();
        logDock_->raise();
    }
    opening_ = absolute;
    log(tr("Opening %1").arg(views::models::shownPath(absolute)));
    // What goes on belongs to the model before.
    engine_.cancel();
    engine_.abortTuning();
    driver::Options options = work_.importOptions();
    project::GraphChoice choice;
    if (reloading_)
        choice = work_.settings.graphChoice;
    else if (const project::Project* project = project_.restoring())
        choice = RunSettings::fromJson(keptIn(*project, project::settingsKey)).graphChoice;
    LATHE_ASSERT(choice.addTo(options), "words that were read before");
    engine_.open(absolute, options);
}

void MainWindow::dropWork() {
    project_.close(); // writes what is not written yet: before it is gone
    work_.settings.fixSizes = false;
    work_.settings.inputs = {};
    work_.settings.states = {};
    work_.settings.goOn = false;
    work_.settings.graphChoice = {};
    whatIfs_->reset({});
    exports_->clear();
}

void MainWindow::take(const QString& path, const TracePtr& trace, bool otherGraph) {
    work_.path = path;
    work_.trace = trace;
    work_.changedAt = work_.lastWritten();
    work_.compilation = baseline_ = nullptr;
    baselineTaken_ = false;
    states_ = nullptr;
    peaks_.reset();
    selection_.clear();
    tensor_->setTensor({});
    showSettings();
    profile_->setStatesAfter({});
    model_->setModel(trace ? trace->graph : nullptr, tr("This file could not be read as a model. Problems says why."));
    for (views::Page* page : pageTable_)
        page->setProvenance(nullptr);
    showProblems(trace ? trace->diagnostics : std::vector<Diagnostic>());
    if (otherGraph)
        studies_->clear();
    tuning_->setModel(modelGraph() && problems_->model()->errors() == 0);
    tuning_->setDecisions(whatIfs_->decisions());
    passesSeen_ = profileSeen_ = checkSeen_ = false;
    showTitle();
    if (bisect_)
        bisect_->clear();
}

void MainWindow::closeModel() {
    forgetPlans();
    project_.forget();
    opening_.clear();
    engine_.cancel();
    engine_.abortTuning();
    dropWork();
    project_.leave();
    take({}, nullptr, true);
    facts_->clear();
    showOverview();
    fillRecent();
    stack_->setCurrentWidget(start_);
    log(tr("Closed."));
    setBusy(engine_.isBusy());
}

void MainWindow::showOpened(const QString& path, const TracePtr& trace) {
    if (path != opening_)
        return;
    const Next next = std::exchange(next_, Next::Nothing);
    const bool other = !std::exchange(reloading_, false);
    const bool otherGraph =
        other || !modelGraph() || !trace->graph || modelGraph()->signature != trace->graph->signature;
    if (other) // another model, not the one whose file has changed
        dropWork();
    take(path, trace, otherGraph);
    const bool refused = problems_->model()->errors() > 0;
    if (!trace->graph) {
        project_.giveUp();
        log(tr("%1 could not be read as a model.").arg(path), LogLevel::Error);
        facts_->clear();
        showPage("model");
        showOverview();
        stack_->setCurrentWidget(pages_);
        return;
    }
    remember(path);
    showOverview();
    stack_->setCurrentWidget(pages_);
    showPage("model");
    const QString nodes = views::models::counted(model::countNodes(*trace->graph), "node", "nodes");
    facts_->setText(QStringLiteral("%1 · %2").arg(QString::fromStdString(trace->graph->format), nodes));
    if (refused)
        log(tr("%1 cannot be compiled as it is: Problems says why.").arg(QFileInfo(path).fileName()), LogLevel::Error);
    else
        log(tr("Opened %1, %2. Compile (F5) to see its passes.").arg(QFileInfo(path).fileName(), nodes));
    for (const Diagnostic& diagnostic : trace->diagnostics)
        if (diagnostic.severity == Severity::Error && diagnostic.nodeId >= 0) {
            model_->revealNode(diagnostic.nodeId);
            break;
        }
    if (project_.isRestoring())
        return restoreProject();
    if (other)
        project_.keepUnsaved();
    if (next == Next::Nothing || refused)
        return;
    next_ =
        next == Next::Run || next == Next::Sweep ? next : Next::Nothing; // there is nothing to compare with any more
    compile();
}

} // namespace lathe::app
