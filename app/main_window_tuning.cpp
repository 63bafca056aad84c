// SPDX-License-Identifier: GPL-3.0-or-later
//
// The part of MainWindow that tunes: what the page Tuning wishes of the Engine, and what it is told of a study.
#include "app/main_window.h"
#include "records/file.h"
#include "tune/search.h"
#include "tune/spaces.h"
#include "views/models/text/counted.h"
#include "views/tuning/tuning_page.h"

#include <QFileInfo>
#include <algorithm>

namespace lathe::app {

using views::models::LogLevel;
using views::tuning::TuningPage;

namespace {

QStringList listOf(std::span<const std::string_view> names) {
    QStringList list;
    for (const std::string_view name : names)
        list << QString::fromUtf8(name.data(), qsizetype(name.size()));
    return list;
}

} // namespace

void MainWindow::connectTuning() {
    tuning_->setChoices(listOf(tune::searchNames()), listOf(tune::spaceNames()));
    tuning_->setRecords(records::defaultFile());
    connect(tuning_, &TuningPage::startWanted, this, &MainWindow::startTuning);
    connect(tuning_, &TuningPage::pauseWanted, this, [this](bool pause) {
        if (pause)
            engine_.tuneControl()->pause();
        else
            engine_.tuneControl()->resume();
        log(pause ? tr("The study pauses after this batch.") : tr("The study goes on."));
    });
    connect(tuning_, &TuningPage::stopWanted, this, [this] {
        engine_.tuneControl()->stop();
        log(tr("The study ends: what it found is held against the whole model."));
    });
    connect(tuning_, &TuningPage::abortWanted, this, [this] { engine_.abortTuning(); });
    connect(tuning_, &TuningPage::limitsWanted, this,
            [this](const tune::Limits& limits) { engine_.tuneControl()->setLimits(limits); });
    connect(tuning_, &TuningPage::instructed, this,
            [this](const tune::Instruction& instruction) { engine_.tuneControl()->instruct(instruction); });
    connect(tuning_, &TuningPage::compareWanted, this, &MainWindow::runAndCompare);
    connect(tuning_, &TuningPage::seen, this, [this] {
        if (modelGraph())
            engine_.readStudy(tuneOptions(), studyOfProject_);
    });
    connect(tuning_, &TuningPage::filled, this, &MainWindow::checkSettled);
    connect(tuning_, &TuningPage::studyWanted, this, [this](const QString& id) {
        if (modelGraph())
            engine_.readStudy(tuneOptions(), id);
    });
    connect(whatIfs_, &WhatIfs::changed, this, [this] { tuning_->setDecisions(whatIfs_->decisions()); });
    connect(&engine_, &Engine::studyBegun, this, [this](const QString& path, const views::models::StudyHead& head) {
        if (path != work_.path)
            return;
        studyOfProject_ = head.id;
        tuning_->begin(head);
        keeper_.touch();
        checkSettled();
    });
    connect(&engine_, &Engine::studied, this, [this](const QString& path, const views::models::StudyUpdate& update) {
        if (path != work_.path)
            return;
        tuning_->add(update);
        tuning_->setStage(update.note);
        if (!update.note.isEmpty())
            log(tr("Tuning: %1.").arg(update.note), LogLevel::Warning);
    });
    connect(&engine_, &Engine::tuneProgress, this, [this](const QString& what, double) {
        if (engine_.isTuning())
            tuning_->setStage(what);
    });
    connect(&engine_, &Engine::studyRead, this,
            [this](const QString& path, const views::models::StudyHead& head, const views::models::StudyUpdate& update,
                   const views::models::StudyEnd& end) {
                if (path == work_.path && !tuning_->isRunning())
                    tuning_->showRecorded(head, update, end);
            });
    connect(&engine_, &Engine::studyWarned, this, [this](const std::vector<Diagnostic>& warnings) {
        for (const Diagnostic& warning : warnings)
            log(QString::fromStdString(toString(warning)),
                warning.severity == Severity::Note ? LogLevel::Note : LogLevel::Warning);
    });
    connect(&engine_, &Engine::tuned, this, &MainWindow::showTuned);
    connect(&engine_, &Engine::tuningIdle, this, &MainWindow::checkSettled);
}

tuning::TuneOptions MainWindow::tuneOptions() const {
    tuning::TuneOptions options;
    options.compile = work_.settings.options(*work_.trace->graph);
    options.runner.threads = work_.settings.threads;
    options.decisions = whatIfs_->decisions();
    // What tuning found is a candidate like others: it is held against the default.
    std::erase_if(options.decisions.kernels,
                  [](const auto& each) { return each.second.trace && each.second.answers.empty(); });
    return options;
}

void MainWindow::startTuning(const views::models::StudyRequest& request) {
    if (!modelGraph())
        return;
    if (engine_.isTuning())
        return log(tr("The study before is still ending: start again in a moment."), LogLevel::Warning);
    if (work_.hasChanged())
        return compile(); // what is shown is not what would be tuned
    TuneWish wish;
    wish.options = tuneOptions();
    wish.options.inputs = work_.settings.inputs;
    wish.options.plan.time = std::chrono::duration<double>(request.limits.seconds);
    wish.options.plan.trials = request.limits.trials;
    wish.options.plan.search = request.search.toStdString();
    wish.options.space = request.space.toStdString();
    wish.options.graph = request.graph;
    wish.options.sizes = request.sizes;
    wish.options.plan.leastGain = request.leastGain;
    wish.options.plan.seed = request.seed;
    if (!request.kernels.isEmpty())
        wish.options.chosen = [kernels = request.kernels](const tune::Task& task) {
            return kernels.contains(QString::fromStdString(task.kernel));
        };
    wish.name = QFileInfo(work_.path).completeBaseName();
    wish.records = request.records;
    wish.resume = request.resume;
    wish.study = request.study;
    log(request.resume ? tr("Going on with the study") : tr("Tuning"));
    showPage("tuning");
    engine_.tune(std::move(wish));
}

void MainWindow::showTuned(const QString& path, const views::models::StudyEnd& end,
                           const std::vector<Diagnostic>& problems) {
    if (path != work_.path)
        return;
    tuning_->end(end);
    if (!problems.empty()) {
        log(tr("The study failed: Problems says why."), LogLevel::Error);
        showProblems(problems);
    } else if (end.failed) {
        log(tr("The study was broken off; the records keep what was tried."));
    } else {
        const auto kept = std::ranges::count_if(end.found, [&](const auto& each) {
            return each.second.inPlace == views::models::FoundSchedule::InPlace::Kept &&
                   (!end.graph || end.graph->workloads.contains(each.first));
        });
        QStringList found;
        if (end.graph)
            found << tr("other variants, layouts or fusion");
        if (kept > 0)
            found << views::models::counted(kept, "schedule", "schedules");
        log(found.isEmpty() ? tr("The study has ended: nothing that was tried is faster than what the model has.")
                            : tr("The study has ended: %1 can be applied.").arg(found.join(tr(" and "))));
        for (const QString& sentence : end.graphTexts)
            log(tr("Tuning: %1.").arg(sentence));
    }
    for (const QString& kernel : end.leftOut)
        log(tr("%1 is left out: its sizes are open. Start tuning… takes what they mostly are, Model › Settings… fixes "
               "them.")
                .arg(kernel),
            LogLevel::Warning);
    keeper_.touch();
}

} // namespace lathe::app
