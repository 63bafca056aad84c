// SPDX-License-Identifier: GPL-3.0-or-later
//
// The part of the Engine that tunes: a study on a lane of its own, recorded as `lathe tune` records it, and studies that are
// read from the records.
#include "app/engine.h"
#include "app/recorded_study.h"
#include "app/tune_wish.h"
#include "base/guarded.h"
#include "codegen/target.h"
#include "driver/session.h"
#include "records/recorded_tuning.h"
#include "records/tried.h"

namespace lathe::app {

namespace {

enum TuningWork { Tune, Read };

using views::models::FoundSchedule;
using views::models::StudyEnd;
using views::models::StudyHead;

/// `before`: what was decided when it began.
StudyEnd endOf(const tuning::Tuned& tuned, const driver::Decisions& before) {
    StudyEnd end;
    if (tuned.graph) {
        for (const std::string& sentence : tuning::sentencesOf(*tuned.graph))
            end.graphTexts << QString::fromStdString(sentence);
        if (tuned.graph->isTaken)
            end.graph = {views::models::choicesOf(before), views::models::choicesOf(tuned.decisions),
                         tuned.graph->workloadsBefore, tuned.graph->workloads};
    }
    for (const tune::TaskState& state : tuned.study.tasks)
        if (const tune::Trial* applied = tuned.applied(state))
            end.found[state.task.workload] = {applied->candidate.trace, FoundSchedule::InPlace::Kept};
        else if (state.isTaken() && state.trials[state.best].inPlace == tune::InPlace::TakenBack)
            end.found[state.task.workload] = {state.trials[state.best].candidate.trace,
                                              FoundSchedule::InPlace::TakenBack};
        else if (end.graph && state.isTaken() && state.trials[state.best].inPlace == tune::InPlace::Kept)
            // Of a kernel that only the model of before has: for whoever does without the other choices.
            end.found[state.task.workload] = {state.trials[state.best].candidate.trace, FoundSchedule::InPlace::Kept};
    if (tuned.whole) {
        end.beforeMs = tuned.whole->beforeMs;
        end.afterMs = tuned.whole->afterMs;
        end.differs = tuned.whole->differs;
    }
    end.failed = tuned.failed.has_value();
    for (const std::string& kernel : tuned.leftOut)
        end.leftOut << QString::fromStdString(kernel);
    return end;
}

QString textOf(const tuning::GraphEvent& event) {
    const QString what =
        event.step == tuning::GraphEvent::Step::Layouts ? Engine::tr("variants and layouts") : Engine::tr("fusion");
    return Engine::tr("%1: %2 of %3 compilations measured, this one's kernels take %4 ms, at first %5 ms")
        .arg(what)
        .arg(event.measured)
        .arg(event.of)
        .arg(event.ms, 0, 'f', 3)
        .arg(event.startMs, 0, 'f', 3);
}

StudyHead headWithout(const TuneWish& wish, const QString& path) {
    StudyHead head;
    head.name = wish.name;
    head.model = path;
    head.search = QString::fromStdString(wish.options.plan.search);
    head.threads = wish.options.runner.threads;
    return head;
}

StudyHead headOfBegun(const records::StudyRecords* records, const TuneWish& wish, const QString& path) {
    StudyHead head = records ? headOf(records->study(), records->file().path()) : headWithout(wish, path);
    const tune::Plan& plan = wish.options.plan;
    head.limits = {.seconds = plan.time.count(), .trials = plan.trials};
    head.resumed = wish.resume;
    return head;
}

/// On the study's lane; may throw. What is told goes to the Engine's own thread.
Result<tuning::Tuned> makeStudy(const Outbox<Engine>& outbox, const QString& path, const TuneWish& wish,
                                const std::shared_ptr<tune::Control>& control, const Cancelled& cancelled) {
    LATHE_CHECKED(codegen::checkRunsHere(wish.options.compile.target));
    tuning::TuneOptions options = wish.options;
    options.control = control;
    options.runner.cancelled = cancelled; // where the window closes: else it is the control that says so
    const auto warn = [&](const std::vector<Diagnostic>& warnings) {
        outbox.post([warnings](Engine& engine) { emit engine.studyWarned(warnings); });
    };
    options.drew = [&](const std::vector<std::string>& names) {
        if (!names.empty())
            warn({inspect::drawnNote(names, "the settings choose files for them")});
    };
    options.toldGraph = [&](const tuning::GraphEvent& event) {
        outbox.post([event](Engine& engine) { emit engine.tuneProgress(textOf(event), 0); });
    };
    records::ToldOfTuning told;
    told.opened = [&](const records::StudyRecords* records) {
        outbox.post(
            [path, head = headOfBegun(records, wish, path)](Engine& engine) { emit engine.studyBegun(path, head); });
    };
    told.told = [&](const tune::Study& study, const tune::Event& event) {
        auto update = views::models::updateOf(study, event);
        outbox.post([path, update = std::move(update)](Engine& engine) { emit engine.studied(path, update); });
    };
    told.warned = warn;
    driver::Progress progress;
    progress.cancelled = [&] { return control->isEnding() || cancelled(); };
    progress.report = [&](std::string_view stage, double fraction) {
        const QString what = QString::fromUtf8(stage.data(), qsizetype(stage.size()));
        outbox.post([=](Engine& engine) { emit engine.tuneProgress(what, fraction); });
    };
    return records::recordedTuning({.model = path.toStdString(),
                                    .file = {},
                                    .name = wish.resume ? "" : wish.name.toStdString(),
                                    .id = wish.study.toStdString(),
                                    .resume = wish.resume,
                                    .isRecorded = wish.records},
                                   std::move(options), told, progress);
}

} // namespace

void Engine::abortTuning() {
    if (tunes_)
        control_->abort();
    else
        tuning_.cancel();
}

void Engine::tune(TuneWish wish) {
    if (!modelPath_ || tunes_)
        return;
    tunes_ = true;
    control_->begin();
    tuning_.enqueue(Tune, [outbox = outbox_, control = control_, path = *modelPath_,
                           wish = std::move(wish)](const Cancelled& cancelled) {
        const auto tuned = guarded([&] { return makeStudy(outbox, path, wish, control, cancelled); });
        std::vector<Diagnostic> problems;
        StudyEnd end;
        if (tuned)
            end = endOf(*tuned, wish.options.decisions);
        else
            end.failed = true;
        if (!tuned && tuned.error().kind != ErrorKind::Cancelled)
            problems.push_back(tuned.error());
        if (tuned && tuned->failed)
            problems.push_back(*tuned->failed);
        outbox.post([=, tried = records::triedWorkloads()](Engine& engine) {
            engine.tunes_ = false;
            emit engine.triedRead(tried);
            emit engine.tuned(path, end, problems);
        });
    });
}

void Engine::readStudy(tuning::TuneOptions options, const QString& id) {
    if (!modelPath_ || isTuning())
        return;
    tuning_.enqueue(
        Read, [outbox = outbox_, path = *modelPath_, id, options = std::move(options)](const Cancelled& cancelled) {
            const auto read = guarded([&]() -> Result<std::optional<RecordedStudy>> {
                return app::readStudy({.model = path.toStdString(), .file = {}, .name = {}, .id = {}, .resume = true},
                                      options, id.toStdString(), cancelled);
            });
            if (!read)
                return outbox.post([problem = read.error()](Engine& engine) { emit engine.studyWarned({problem}); });
            if (*read && !cancelled())
                outbox.post([path, study = std::make_shared<const RecordedStudy>(**read)](Engine& engine) {
                    emit engine.studyRead(path, study->head, study->update, study->end);
                    if (!study->problems.empty())
                        emit engine.studyWarned(study->problems);
                });
        });
}

} // namespace lathe::app
