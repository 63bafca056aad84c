// SPDX-License-Identifier: GPL-3.0-or-later
//
// The compiler as the window sees it: wishes go in, values come back as signals. Opening, compiling, running and reports
// take turns on one thread, since each needs what the one before made; looking at texts has a thread of its own and never
// waits for a compilation, nor for the machine code of a kernel or the figures of passes, which have theirs. Tuning has one
// too, so that a model can be compiled and run while a study goes on: such work holds the study between two batches, and the
// study goes on after it, so neither is measured beside the other. The window never waits; when it closes, half a second at
// most.
#pragma once

#include "app/lane.h"
#include "app/outbox.h"
#include "base/memory_file.h"
#include "deploy/bundle_diff.h"
#include "deploy/bundle_model.h"
#include "deploy/check_bundle.h"
#include "diagnose/bisect.h"
#include "diagnose/check.h"
#include "driver/compile.h"
#include "inspect/flame.h"
#include "inspect/input_choice.h"
#include "inspect/loop_costs.h"
#include "inspect/pass_figures.h"
#include "inspect/profile.h"
#include "inspect/provenance.h"
#include "inspect/states.h"
#include "inspect/sweep.h"
#include "report/report.h"
#include "tuning/tune_model.h"
#include "views/models/graph/model_comparison.h"
#include "views/models/graph/tensor_values.h"
#include "views/models/loops/kernel_texts.h"
#include "views/models/loops/schedule_steps.h"
#include "views/models/passes/comparison.h"
#include "views/models/passes/fusion_model.h"
#include "views/models/passes/fusion_picture.h"
#include "views/models/passes/pass_picture.h"
#include "views/models/tuning/study_end.h"
#include "views/models/tuning/study_log.h"

#include <QObject>

namespace lathe::app {

using TracePtr = std::shared_ptr<const driver::Trace>;
using ProvenancePtr = std::shared_ptr<const inspect::Provenance>;

/// A compilation as it came out: a value that stays good whatever is compiled after it.
struct Compilation {
    ProvenancePtr provenance; // with its Trace, complete up to the failing pass
    driver::Options options;
    driver::Decisions decisions;
    std::shared_ptr<const views::models::FusionRows> fusion; // what the page Fusion lists
    std::shared_ptr<const MemoryFile> artifact;              // null: there is none, the Trace says why
    double seconds = 0;

    const driver::Trace& trace() const { return provenance->trace(); }
};
using CompilationPtr = std::shared_ptr<const Compilation>;

using PlannedBundlePtr = std::shared_ptr<const deploy::PlannedBundle>;

/// What a run begins with.
struct RunWish {
    driver::Shapes shapes; // of the inputs, as far as no file says them (inspect::inputShapes)
    inspect::InputChoice inputs;
    inspect::StateBeginnings states;                   // how they begin,
    std::shared_ptr<const inspect::Tensors> left = {}; // else with these, else as the model says
};

/// What became of a bundle.
struct ExportedBundle {
    QString out, id;
    uint64_t bytes = 0;
    std::optional<deploy::BundleCheck> check; // none: it was not wished
};

/// What two bundles on the disk are, and how they differ.
struct ComparedBundles {
    std::string beforeId, afterId;
    std::vector<deploy::BundleChange> changes;
};

/// A study of the open model.
struct TuneWish {
    tuning::TuneOptions options; // without what is called
    QString name;                // of the study; empty: the model's
    bool records = true;         // it is recorded
    bool resume = false;         // one of the model goes on
    QString study;               // the id of that one; empty: the last
};

class Engine : public QObject {
    Q_OBJECT

public:
    explicit Engine(QObject* parent = nullptr);
    ~Engine() override;

    /// Import alone, with the plugins of `options`; answers `opened`, with the graph also where import refuses. From then on this is
    /// the open model.
    void open(const QString& path, driver::Options options = {});
    /// Compiles the model that was opened last, which is imported again only if its file or the sizes asked for have
    /// changed. Answers `compiled`, good or not.
    void compile(driver::Options options = {}, driver::Decisions decisions = {});
    /// Runs artifacts, by turns if there are several, each in a child process. Answers `ran`, with a profile for each.
    void run(std::vector<CompilationPtr> compilations, int threads, RunWish wish);
    /// Runs an artifact at several sizes; answers `swept`.
    void sweep(CompilationPtr compilation, int threads, driver::Shapes shapes, inspect::InputChoice inputs,
               inspect::SweepQuestion question);
    /// Looks for the pass that is to blame; answers `bisectTried` for each compilation that was tried, then `bisected`. What
    /// was compiled stays.
    void bisect(diagnose::BisectQuestion question);
    /// Compares intermediate values of the model that was opened last, which is compiled for it, in child processes; answers
    /// `checked`. What was compiled stays.
    void check(diagnose::CheckQuestion question);
    /// Begins a study, or goes on with one: answers `studyBegun`, `studied` again and again, and `tuned`. One that goes on is not
    /// disturbed: there is one at a time.
    void tune(TuneWish wish);
    /// What is wished of the study that goes on.
    const std::shared_ptr<tune::Control>& tuneControl() const { return control_; }
    /// Ends it at once; answers `tuned`.
    void abortTuning();
    bool isTuning() const { return tunes_; }
    /// Whether `studyRead` may be still to come.
    bool isReadingStudy() const { return !tunes_ && tuning_.isBusy(); }
    /// Reads a study from the records: that with this id, else the last one of the model for these options. Answers `studyRead`
    /// if there is one.
    void readStudy(tuning::TuneOptions options, const QString& id);
    /// Computes a value again as the check did, or would: answers `valueFound`. A newer wish takes the place of an older one,
    /// also of one that has begun.
    void findValue(diagnose::CheckQuestion question, const QString& value);
    /// Writes a report into a file; answers `reported`. The machine's peaks are added where it has a profile.
    void report(report::Report report, const QString& path);
    /// Compiles a model for a bundle, in memory: answers `bundlePlanned`. A newer wish ends an older one.
    void planBundle(const QString& model, deploy::BundleOptions options);
    /// Writes what was planned, and checks it if that is wished: answers `bundleWritten`, `bundleStepped`, and
    /// `bundleExported`.
    void exportBundle(PlannedBundlePtr bundle, const QString& out, bool replace,
                      std::optional<deploy::CheckWish> check);
    /// Reads two bundles: answers `bundlesCompared`. A newer wish ends an older one.
    void compareBundles(const QString& before, const QString& after);
    /// Imports another model and pairs it with this one; answers `modelsCompared`.
    void compareModels(TracePtr open, const QString& path, driver::Options options = {});
    /// Answers `compared`.
    void compare(TracePtr trace, int pass, const QString& function);
    /// The same as graphs to draw; answers `pictured`.
    void picture(TracePtr trace, int pass, const QString& function);
    /// Its fused functions as boxes in the graph; answers `fusionPictured`.
    void pictureFusion(TracePtr trace);
    /// What its passes did in figures; answers `figured`. A newer wish ends an older one.
    void figure(TracePtr trace);
    /// Texts of one of the Trace's kernels: answer `loopsListed`, and `codeListed`, for which the kernel is compiled again. A
    /// newer wish takes the place of one that has not begun.
    void listLoops(TracePtr trace, int kernel);
    void listCode(TracePtr trace, int kernel);
    /// What the loops of a call cost at these dims of inputs: answers `loopsCounted`.
    void countLoops(TracePtr trace, int call, driver::Shapes shapes);
    /// A kernel after the first steps of its schedule: answers `stepListed`.
    void listStep(TracePtr trace, int kernel, int steps);
    /// Ends what runs now, as soon as it notices, and what is queued. Looking at texts goes on.
    void cancel();
    /// Whether `idle` is still to come.
    bool isBusy() const;
    /// Whether a text is still to come.
    bool isLooking() const;
    /// Ends all work, and waits for it, at most so long. False: some is still busy; it will be heard of no more.
    bool finish(std::chrono::milliseconds patience);

signals:
    void opened(QString path, lathe::app::TracePtr trace);
    void compiled(QString path, lathe::app::CompilationPtr compilation);
    /// Null with problems: it cannot be made. Warnings of a compilation are problems too.
    void bundlePlanned(lathe::app::PlannedBundlePtr bundle, std::vector<lathe::Diagnostic> problems);
    /// It is there, whole, whatever comes of its check.
    void bundleWritten(lathe::app::ExportedBundle exported);
    void bundleStepped(lathe::deploy::CheckStep step);
    /// With problems: it is not there.
    void bundleExported(lathe::app::ExportedBundle exported, std::vector<lathe::Diagnostic> problems);
    /// With a problem: one of them cannot be read.
    void bundlesCompared(lathe::app::ComparedBundles compared, std::vector<lathe::Diagnostic> problems);
    /// Instead of `opened`, `compiled`, `ran`, `swept`, `bisected`, `checked`, `reported`, `bundlePlanned`, `bundleExported` or
    /// `modelsCompared`, where the wish was cancelled after it began. One that was still queued has no answer.
    void cancelled();
    void ran(std::vector<lathe::app::CompilationPtr> compilations, std::vector<lathe::inspect::Profile> profiles,
             std::vector<lathe::Diagnostic> problems);
    /// Without points and with problems: it failed.
    void swept(lathe::app::CompilationPtr compilation, lathe::inspect::Sweep sweep,
               std::vector<lathe::Diagnostic> problems);
    void bisectTried(lathe::diagnose::BisectStep step);
    /// Null with problems: it failed.
    void bisected(std::shared_ptr<const lathe::diagnose::Bisection> found, std::vector<lathe::Diagnostic> problems);
    /// Likewise.
    void checked(QString path, std::shared_ptr<const lathe::diagnose::Check> check,
                 std::vector<lathe::Diagnostic> problems);
    /// Without problems and without tensors: it was cancelled.
    void valueFound(QString path, lathe::views::models::CheckedTensors value, std::vector<lathe::Diagnostic> problems);
    void studyBegun(QString path, lathe::views::models::StudyHead head);
    void studied(QString path, lathe::views::models::StudyUpdate update);
    /// What the study is doing beside its batches, 0 … 1.
    void tuneProgress(QString what, double fraction);
    /// Records that cannot be read or written; the study goes on.
    void studyWarned(std::vector<lathe::Diagnostic> warnings);
    void tuned(QString path, lathe::views::models::StudyEnd end, std::vector<lathe::Diagnostic> problems);
    void studyRead(QString path, lathe::views::models::StudyHead head, lathe::views::models::StudyUpdate update,
                   lathe::views::models::StudyEnd end);
    /// No study goes on any more.
    void tuningIdle();
    void reported(QString path, std::vector<lathe::Diagnostic> problems); // none: it is there
    /// Of the threads of a run, before it answers `ran`.
    void measured(lathe::inspect::MachinePeaks peaks);
    /// The states that the first run of the last of them left, likewise, if the model has states.
    void stated(lathe::app::CompilationPtr compilation, std::shared_ptr<const lathe::inspect::Tensors> states);
    /// The last of its profiles by the model's scopes, likewise; which compilation that is of.
    void flamed(lathe::app::CompilationPtr compilation, std::shared_ptr<const lathe::inspect::Flame> flame);
    /// With the one that was open. Null with problems: the other model could not be read.
    void modelsCompared(lathe::model::ModelGraphPtr open, lathe::views::models::ModelComparisonPtr comparison,
                        std::vector<lathe::Diagnostic> problems);
    void compared(lathe::app::TracePtr trace, int pass, QString function, lathe::views::models::Comparison comparison);
    void pictured(lathe::app::TracePtr trace, int pass, QString function, lathe::views::models::PassPicturePtr picture);
    void fusionPictured(lathe::app::TracePtr trace, std::shared_ptr<const lathe::views::models::FusionPicture> picture);
    void figured(lathe::app::TracePtr trace, std::vector<lathe::inspect::PassFigures> figures);
    void loopsListed(lathe::app::TracePtr trace, int kernel, lathe::views::models::LoopTexts texts);
    void loopsCounted(lathe::app::TracePtr trace, int call, std::shared_ptr<const lathe::lower::LoopCost> nest);
    void codeListed(lathe::app::TracePtr trace, int kernel, lathe::views::models::CodeTexts texts);
    void stepListed(lathe::app::TracePtr trace, int kernel, int steps, lathe::views::models::OriginText text);
    void progress(QString what, double fraction); // 0 … 1
    /// Nothing is opened, compiled, run or reported any more.
    void idle();
    /// All texts that were asked for are there.
    void looked();

private:
    struct Model;
    /// What the lanes do, but for that of tuning, which has kinds of its own: a newer wish takes the place of one of its kind.
    enum Kind {
        Open,
        Compile,
        Run,
        Sweep,
        Bisect,
        Check,
        FindValue,
        Report,
        CompareModels,
        Plan,
        Export,
        CompareBundles,
        Compare,
        Picture,
        PictureFusion,
        Figure,
        ListLoops,
        CountLoops,
        ListStep,
        ListCode
    };
    /// On the lane of the work, once no batch of a study is under way; none begins before it has ended. replaces: also what of
    /// its kind has begun.
    void enqueueAlone(Kind kind, Lane::Work work, bool replaces = false);

    views::Mailbox mailbox_;
    Outbox<Engine> outbox_;
    std::shared_ptr<Model> model_;     // the one opened last
    std::optional<QString> modelPath_; // its file
    bool tunes_ = false;
    std::shared_ptr<tune::Control> control_ = std::make_shared<tune::Control>();
    Lane work_, looks_, codes_, figures_, tuning_;
};

} // namespace lathe::app
