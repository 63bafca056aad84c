// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/tuning_desk.h"

#include "app/tune_wish.h"
#include "app/what_ifs.h"
#include "driver/extensions.h"
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

QStringList listOf(const auto& names) {
    QStringList list;
    for (const std::string_view name : names)
        list << QString::fromUtf8(name.data(), qsizetype(name.size()));
    return list;
}

} // namespace

TuningDesk::TuningDesk(Engine& engine, const OpenWork& work, const WhatIfs& whatIfs, TuningPage* page, QObject* parent)
    : QObject(parent), engine_(engine), work_(work), whatIfs_(whatIfs), page_(page) {
    offerChoices();
    page_->setRecords(records::defaultFile());
    connectPage();
    connectEngine();
    connect(&whatIfs_, &WhatIfs::changed, this, [this] { page_->setDecisions(whatIfs_.decisions()); });
}

void TuningDesk::offerChoices() {
    page_->setChoices(listOf(tune::searchNames()), listOf(tune::spaceNames(driver::spacesOf(work_.plugins.get()))));
}

void TuningDesk::connectPage() {
    connect(page_, &TuningPage::startWanted, this, &TuningDesk::start);
    connect(page_, &TuningPage::pauseWanted, this, &TuningDesk::pause);
    connect(page_, &TuningPage::stopWanted, this, &TuningDesk::stop);
    connect(page_, &TuningPage::abortWanted, this, [this] { engine_.abortTuning(); });
    connect(page_, &TuningPage::limitsWanted, this,
            [this](const tune::Limits& limits) { engine_.tuneControl()->setLimits(limits); });
    connect(page_, &TuningPage::instructed, this,
            [this](const tune::Instruction& instruction) { engine_.tuneControl()->instruct(instruction); });
    connect(page_, &TuningPage::seen, this, [this] { read(study_); });
    connect(page_, &TuningPage::studyWanted, this, &TuningDesk::read);
}

void TuningDesk::connectEngine() {
    connect(&engine_, &Engine::studyBegun, this, &TuningDesk::showBegun);
    connect(&engine_, &Engine::studied, this, &TuningDesk::showUpdate);
    connect(&engine_, &Engine::tuneProgress, this, [this](const QString& what, double) {
        if (engine_.isTuning())
            page_->setStage(what);
    });
    connect(&engine_, &Engine::studyRead, this,
            [this](const QString& path, const views::models::StudyHead& head, const views::models::StudyUpdate& update,
                   const views::models::StudyEnd& end) {
                if (path == work_.path && !page_->isRunning())
                    page_->showRecorded(head, update, end);
            });
    connect(&engine_, &Engine::studyWarned, this, &TuningDesk::warn);
    connect(&engine_, &Engine::tuned, this, &TuningDesk::showEnd);
}

tuning::TuneOptions TuningDesk::options() const {
    tuning::TuneOptions options;
    options.compile = work_.options();
    options.runner.threads = work_.settings.threads;
    options.decisions = whatIfs_.decisions();
    // What tuning found is a candidate like others: it is held against the default.
    std::erase_if(options.decisions.kernels,
                  [](const auto& each) { return each.second.trace && each.second.answers.empty(); });
    return options;
}

void TuningDesk::start(const views::models::StudyRequest& request) {
    if (!work_.graph())
        return;
    if (engine_.isTuning())
        return emit said(tr("The study before is still ending: start again in a moment."), LogLevel::Warning);
    if (work_.hasChanged())
        return emit compileWanted(); // what is shown is not what would be tuned
    TuneWish wish;
    wish.options = options();
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
    emit said(request.resume ? tr("Going on with the study") : tr("Tuning"));
    emit begun();
    engine_.tune(std::move(wish));
}

void TuningDesk::read(const QString& study) {
    if (work_.graph())
        engine_.readStudy(options(), study);
}

void TuningDesk::pause(bool pause) {
    if (pause)
        engine_.tuneControl()->pause();
    else
        engine_.tuneControl()->resume();
    emit said(pause ? tr("The study pauses after this batch.") : tr("The study goes on."));
}

void TuningDesk::stop() {
    engine_.tuneControl()->stop();
    emit said(tr("The study ends: what it found is held against the whole model."));
}

void TuningDesk::warn(const std::vector<Diagnostic>& warnings) {
    for (const Diagnostic& warning : warnings)
        emit said(QString::fromStdString(toString(warning)),
                  warning.severity == Severity::Note ? LogLevel::Note : LogLevel::Warning);
}

void TuningDesk::showBegun(const QString& path, const views::models::StudyHead& head) {
    if (path != work_.path)
        return;
    study_ = head.id;
    page_->begin(head);
    emit changed();
}

void TuningDesk::showUpdate(const QString& path, const views::models::StudyUpdate& update) {
    if (path != work_.path)
        return;
    page_->add(update);
    page_->setStage(update.note);
    if (!update.note.isEmpty())
        emit said(tr("Tuning: %1.").arg(update.note), LogLevel::Warning);
}

void TuningDesk::showEnd(const QString& path, const views::models::StudyEnd& end,
                         const std::vector<Diagnostic>& problems) {
    if (path != work_.path)
        return;
    page_->end(end);
    if (!problems.empty()) {
        emit said(tr("The study failed: Problems says why."), LogLevel::Error);
        emit failed(problems);
    } else if (end.failed) {
        emit said(tr("The study was broken off; the records keep what was tried."));
    } else {
        sayWhatWasFound(end);
    }
    for (const QString& kernel : end.leftOut)
        emit said(tr("%1 is left out: its sizes are open. Start tuning… takes what they mostly are, Model › Settings… "
                     "fixes them.")
                      .arg(kernel),
                  LogLevel::Warning);
    emit changed();
}

void TuningDesk::sayWhatWasFound(const views::models::StudyEnd& end) {
    const auto kept = std::ranges::count_if(end.found, [&](const auto& each) {
        return each.second.inPlace == views::models::FoundSchedule::InPlace::Kept &&
               (!end.graph || end.graph->workloads.contains(each.first));
    });
    QStringList found;
    if (end.graph)
        found << tr("other variants, layouts or fusion");
    if (kept > 0)
        found << views::models::counted(kept, "schedule", "schedules");
    emit said(found.isEmpty() ? tr("The study has ended: nothing that was tried is faster than what the model has.")
                              : tr("The study has ended: %1 can be applied.").arg(found.join(tr(" and "))));
    for (const QString& sentence : end.graphTexts)
        emit said(tr("Tuning: %1.").arg(sentence));
}

void TuningDesk::restore(const std::string& kept) {
    page_->setDecisions(whatIfs_.decisions());
    const QString state = QString::fromStdString(kept);
    page_->setState(state);
    if (study_ = views::tuning::studyIn(state); !study_.isEmpty())
        read(study_);
}

std::string TuningDesk::kept() const {
    return page_->state().toStdString();
}

} // namespace lathe::app
