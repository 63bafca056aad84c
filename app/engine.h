// SPDX-License-Identifier: GPL-3.0-or-later
//
// The compiler as the window sees it: wishes go in, values come back as signals. Opening, compiling, running and reports
// take turns on one thread, since each needs what the one before made; looking at texts has a thread of its own and never
// waits for a compilation, nor for the machine code of a kernel or the figures of passes, which have theirs. Tuning has one
// too, so that a model can be compiled and run while a study goes on: such work holds the study between two batches, and the
// study goes on after it, so neither is measured beside the other. The window never waits; when it closes, half a second at
// most.
#pragma once

#include "app/compilation.h"
#include "app/lane.h"
#include "app/outbox.h"
#include "inspect/inputs.h"

#include <QObject>
#include <chrono>
#include <optional>
#include <set>

// What wishes and answers are made of: who makes or takes one includes it. Only the signals' own code needs all of them.
Q_MOC_INCLUDE("app/exported_bundle.h")
Q_MOC_INCLUDE("deploy/check_bundle.h")
Q_MOC_INCLUDE("diagnose/bisect.h")
Q_MOC_INCLUDE("diagnose/check.h")
Q_MOC_INCLUDE("inspect/flame.h")
Q_MOC_INCLUDE("inspect/machine_peaks.h")
Q_MOC_INCLUDE("inspect/pass_figures.h")
Q_MOC_INCLUDE("inspect/profile.h")
Q_MOC_INCLUDE("inspect/sweep.h")
Q_MOC_INCLUDE("lower/loop_nest.h")
Q_MOC_INCLUDE("views/models/graph/model_comparison.h")
Q_MOC_INCLUDE("views/models/graph/tensor_values.h")
Q_MOC_INCLUDE("views/models/loops/kernel_texts.h")
Q_MOC_INCLUDE("views/models/passes/comparison.h")
Q_MOC_INCLUDE("views/models/passes/fusion_picture.h")
Q_MOC_INCLUDE("views/models/passes/pass_picture.h")
Q_MOC_INCLUDE("views/models/tuning/study_end.h")
Q_MOC_INCLUDE("views/models/tuning/study_log.h")

namespace lathe::deploy {
struct BundleOptions;
struct CheckStep;
struct CheckWish;
struct PlannedBundle;
} // namespace lathe::deploy
namespace lathe::diagnose {
struct Bisection;
struct BisectQuestion;
struct BisectStep;
struct Check;
struct CheckQuestion;
} // namespace lathe::diagnose
namespace lathe::inspect {
struct Flame;
struct InputChoice;
struct MachinePeaks;
struct PassFigures;
struct Profile;
struct Sweep;
struct SweepQuestion;
} // namespace lathe::inspect
namespace lathe::lower {
struct LoopCost;
}
namespace lathe::report {
struct Report;
}
namespace lathe::tune {
class Control;
}
namespace lathe::tuning {
struct TuneOptions;
}
namespace lathe::views::models {
struct CheckedTensors;
struct CodeTexts;
struct Comparison;
struct FusionPicture;
struct LoopTexts;
struct ModelComparison;
struct OriginText;
struct PassPicture;
struct StudyEnd;
struct StudyHead;
struct StudyUpdate;
} // namespace lathe::views::models

namespace lathe::app {

struct ComparedBundles;
struct ExportedBundle;
struct RunWish;
struct TuneWish;
using PlannedBundlePtr = std::shared_ptr<const deploy::PlannedBundle>;

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
    /// Workloads that studies have looked at (records/tried.h), before `ran` and `tuned`.
    void triedRead(std::set<std::string> workloads);
    /// Of the threads of a run, before it answers `ran`.
    void measured(lathe::inspect::MachinePeaks peaks);
    /// The states that the first run of the last of them left, likewise, if the model has states.
    void stated(lathe::app::CompilationPtr compilation, std::shared_ptr<const lathe::inspect::Tensors> states);
    /// The last of its profiles by the model's scopes, likewise; which compilation that is of.
    void flamed(lathe::app::CompilationPtr compilation, std::shared_ptr<const lathe::inspect::Flame> flame);
    /// With the one that was open. Null with problems: the other model could not be read.
    void modelsCompared(lathe::model::ModelGraphPtr open,
                        std::shared_ptr<const lathe::views::models::ModelComparison> comparison,
                        std::vector<lathe::Diagnostic> problems);
    void compared(lathe::app::TracePtr trace, int pass, QString function, lathe::views::models::Comparison comparison);
    void pictured(lathe::app::TracePtr trace, int pass, QString function,
                  std::shared_ptr<const lathe::views::models::PassPicture> picture);
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
    std::shared_ptr<tune::Control> control_;
    Lane work_, looks_, codes_, figures_, tuning_;
};

} // namespace lathe::app
