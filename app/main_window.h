// SPDX-License-Identifier: GPL-3.0-or-later
//
// The workbench's window: menus, pages and docks, and the wiring between pages and engine. Pages emit wishes and get values;
// they know neither the engine nor each other.
#pragma once

#include "app/actions.h"
#include "app/engine.h"
#include "app/export_desk.h"
#include "app/open_work.h"
#include "app/project_desk.h"
#include "app/theme.h"
#include "app/tuning_desk.h"
#include "app/what_ifs.h"
#include "diagnose/check.h"
#include "inspect/machine_peaks.h"
#include "inspect/sweep.h"
#include "views/models/graph/tensor_values.h"
#include "views/models/window/log_model.h"
#include "views/models/window/palette_model.h"
#include "views/models/window/selection.h"

#include <QMainWindow>

class QDockWidget;
class QLabel;
class QMenu;
class QStackedWidget;
class QTabWidget;
class QToolButton;

namespace lathe::advise {
struct Advice;
}
namespace lathe::views {
class Page;
}
namespace lathe::views::check {
class CheckPage;
}
namespace lathe::views::find {
class FindBar;
}
namespace lathe::views::fusion {
class FusionPage;
}
namespace lathe::views::graph {
class ComparePage;
class ModelPage;
} // namespace lathe::views::graph
namespace lathe::views::help {
class GuideWindow;
}
namespace lathe::views::log {
class LogPanel;
}
namespace lathe::views::loops {
class LoopsPage;
}
namespace lathe::views::overview {
class OverviewPage;
}
namespace lathe::views::palette {
class CommandPalette;
}
namespace lathe::views::passes {
class BisectDialog;
class PassesPage;
} // namespace lathe::views::passes
namespace lathe::views::problems {
class ProblemsPanel;
}
namespace lathe::views::profile {
class ProfilePage;
}
namespace lathe::views::start {
class StartPage;
}
namespace lathe::views::tensor {
class TensorPanel;
}
namespace lathe::views::tuning {
class TuningPage;
}

namespace lathe::app {

class FlowBar;
class Graphviz;
class ProgressPane;
struct Preferences;

class MainWindow : public QMainWindow {
    Q_OBJECT

public:
    MainWindow();

    /// A model, or a project (*.lathe).
    void open(const QString& path);
    /// From now on the work is kept in this file.
    void saveProject(const QString& path) { project_.create(path); }
    const ProjectKeeper& project() const { return project_.keeper(); }
    /// Of the project that the user saved or opened; empty: the work has no name yet.
    QString projectPath() const { return project_.path(); }
    /// Opens what was open last, unless the user does not want that, or the program ended while it did so.
    void openLast() { project_.openLast(); }
    /// Opens it anew before, if its file has changed.
    void compile();
    /// Compiles before, where that was not done, or for other settings.
    void run();
    /// The baseline and the compilation of now by turns.
    void runAndCompare();
    /// Compares the values that the model computes on the way; compiles for it what it needs.
    void check(diagnose::CheckAgainst against);
    /// Shows what is different in the open model and this one.
    void compareWith(const QString& path);
    /// What is known of the model, its compilation and its run, as one page in a file.
    void writeReport(const QString& path);
    /// Ends the import, compilation, run, check or report that goes on, and what is queued.
    void cancel();
    /// What is decided otherwise than by default; each change can be undone.
    const driver::Decisions& decisions() const { return whatIfs_->decisions(); }
    const RunSettings& runSettings() const { return work_.settings; }
    /// For the next compilation and run; kept, but for the sizes.
    void setRunSettings(const RunSettings& settings);
    void showPage(
        const QString&
            id); // "overview", "model", "passes", "fusion", "loops", "profile", "check", "compare", "tuning"; another: the first
    Actions& actions() { return actions_; }
    Theme& theme() { return theme_; }

    views::models::Selection& selection() { return selection_; }
    /// Of the open model; null: there is none.
    const model::ModelGraph* modelGraph() const { return work_.graph(); }
    /// Of the last compilation; null: there is none.
    ProvenancePtr provenance() const { return work_.compilation ? work_.compilation->provenance : nullptr; }
    /// The last one, good or not; null: there is none.
    const CompilationPtr& compilation() const { return work_.compilation; }
    /// What runs are compared with: the good compilation before, or what the user took; null: there is none.
    const CompilationPtr& baseline() const { return baseline_; }
    views::overview::OverviewPage* overviewPage() const { return overview_; }
    views::graph::ModelPage* modelPage() const { return model_; }
    views::passes::PassesPage* passesPage() const { return passes_; }
    views::fusion::FusionPage* fusionPage() const { return fusion_; }
    views::loops::LoopsPage* loopsPage() const { return loops_; }
    views::profile::ProfilePage* profilePage() const { return profile_; }
    views::check::CheckPage* checkPage() const { return check_; }
    views::graph::ComparePage* comparePage() const { return compare_; }
    views::tuning::TuningPage* tuningPage() const { return tuning_; }
    views::problems::ProblemsPanel* problems() const { return problems_; }
    views::log::LogPanel* logPanel() const { return log_; }
    views::tensor::TensorPanel* tensorPanel() const { return tensor_; }
    views::palette::CommandPalette* palettePopup() const { return palette_; }
    views::find::FindBar* findBar() const { return find_; }
    /// Null while none is open.
    views::exporting::ExportWizard* exportWizard() const { return exports_->wizard(); }
    /// Likewise.
    views::exporting::ExportsDialog* exportsDialog() const { return exports_->dialog(); }
    /// What was exported of the model; kept with the work on it.
    const views::models::ExportListModel& exportList() const { return exports_->list(); }
    /// Null until it was asked for.
    views::passes::BisectDialog* bisectDialog() const { return bisect_; }
    /// Ends all work, and waits for it, at most so long; false if some is still busy. The last thing before the program ends.
    bool finish(std::chrono::milliseconds patience) { return engine_.finish(patience); }
    bool isBusy() const { return work_.busy; }
    /// A study goes on, beside which the window has settled nevertheless.
    bool isTuning() const { return engine_.isTuning(); }
    /// Nothing is queued, the graph has its final places and the pages their texts.
    bool isSettled() const;
    bool isCompiled() const { return work_.isCompiled(); }

signals:
    /// It is, from now on.
    void settled();

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void closeEvent(QCloseEvent* event) override;

private:
    void makeActions();
    void makeModelActions();
    void makeViewActions();
    void makeMenus();
    void makeDocks();
    void restoreWindow();
    void setPreferences(const Preferences& preferences);
    void askForPreferences();
    void makeHelpActions();
    /// No model is open any more.
    void closeModel();
    /// What was chosen and decided for the open model, and where it is kept.
    void dropWork();
    /// Shows this model, or none (null), and nothing that was made of the one before.
    void take(const QString& path, const TracePtr& trace, bool otherGraph);
    void askForFile();
    void askForFolder();
    void askForReport();
    void connectExports();
    void askForComparison(bool withFolder);
    void load(const QString& path);
    /// What was to follow on what is being opened or compiled.
    void forgetPlans();
    void connectProject();
    /// Of what is to be kept of this window.
    project::Project projectState() const;
    /// A name that no file can be meant by is said to be one.
    bool refusesName(const QString& path);
    /// What a project says, once its model is there.
    void restoreProject();
    void showTitle();
    void fillRecent();
    void remember(const QString& path);
    void connectEngine();
    void connectWork();
    void connectRuns();
    void connectStates();
    void connectChecks();
    void connectComparison();
    void connectLooks();
    void connectPasses();
    void connectFusion();
    void connectLoops();
    void connectGraph();
    void connectPages();
    void showOpened(const QString& path, const TracePtr& trace);
    void showCompiled(const QString& path, const CompilationPtr& compilation);
    void showProfiles(const std::vector<CompilationPtr>& of, const std::vector<inspect::Profile>& profiles,
                      std::vector<Diagnostic> problems);
    void showCheck(const QString& path, const std::shared_ptr<const diagnose::Check>& check,
                   std::vector<Diagnostic> problems);
    void sweep(const inspect::SweepQuestion& question);
    void showSweep(const CompilationPtr& of, const inspect::Sweep& sweep, std::vector<Diagnostic> problems);
    /// Of all of them.
    void startRun(std::vector<CompilationPtr> compilations);
    /// Whether the settings of now would compile something else.
    bool isOutdated() const;
    void showProblems(std::vector<Diagnostic> diagnostics);
    void showValues(const views::models::NamedTensor& tensor);
    void showValueDock();
    /// By the settings and decisions of now.
    diagnose::CheckQuestion checkQuestion(diagnose::CheckAgainst against) const;
    void findValue(const QString& value);
    void showFound(const QString& path, const views::models::CheckedTensors& value, std::vector<Diagnostic> problems);
    /// Shows where something stands, in the page Model.
    void reveal(int node);
    /// It becomes the selection, in the page Loops.
    void showFunction(int call);
    void connectTuning();
    void connectOverview();
    /// All that is known of the open model by now.
    void showOverview();
    void showFlow();
    /// Of what is compiled now; null: it was not checked, or with other settings or decisions.
    const diagnose::Check* checkOfNow() const;
    void follow(const advise::Advice& advice);
    void askForSettings();
    void askForBisect();
    void showSettings();
    void find();
    /// The page at hand; null: the focus is beside it, in a dock or in the find bar.
    views::Page* pageOfFocus() const;
    void findNext(bool forward);
    void openPalette(bool places);
    void follow(const views::models::PaletteEntry& entry);
    /// After work that was asked for: its result has a page of its own. Whoever has turned to another page meanwhile, or has
    /// seen a result of this kind and model before, stays where they are.
    void turnTo(const QString& id, bool seen);
    /// In the dock Log and in the status bar.
    void log(const QString& text, views::models::LogLevel level = views::models::LogLevel::Note);
    /// In the dock alone: which part of the work goes on.
    void logStage(const QString& what);
    void setBusy(bool busy);
    void checkSettled();

    Theme theme_;
    Actions actions_{this};
    Engine engine_;
    Graphviz* graphviz_;
    views::models::Selection selection_;
    WhatIfs* whatIfs_;
    OpenWork work_;
    ExportDesk* exports_;
    QString opening_; // the model that was asked for last
    CompilationPtr baseline_;
    std::shared_ptr<const inspect::Tensors> states_; // of the open model, as the last run left them; null: none did
    std::set<std::string> tried_;                    // workloads that studies have looked at
    std::optional<inspect::MachinePeaks> peaks_;     // of the last run's threads
    bool baselineTaken_ = false;                     // by the user: no compilation takes its place
    bool layingOut_ = false;
    bool reloading_ = false; // the model whose file has changed is being opened anew
    enum class Next { Nothing, Compile, Run, Sweep, Compare };
    Next next_ = Next::Nothing;                                         // after what is being opened or compiled
    bool passesSeen_ = false, profileSeen_ = false, checkSeen_ = false; // of this model
    inspect::SweepQuestion sweep_;                                      // that was asked for last
    QString stage_;                                                     // that was logged last, without its numbers
    int askedOn_ = 0; // the page that was shown when work was asked for

    QStackedWidget* stack_;
    QTabWidget* pages_;
    views::find::FindBar* find_;
    views::overview::OverviewPage* overview_;
    views::graph::ModelPage* model_;
    views::passes::PassesPage* passes_;
    views::fusion::FusionPage* fusion_;
    views::loops::LoopsPage* loops_;
    views::profile::ProfilePage* profile_;
    views::check::CheckPage* check_;
    views::graph::ComparePage* compare_;
    views::tuning::TuningPage* tuning_;
    TuningDesk* studies_;
    views::problems::ProblemsPanel* problems_;
    QDockWidget* problemsDock_;
    QDockWidget* logDock_;
    views::tensor::TensorPanel* tensor_;
    QDockWidget* tensorDock_;
    views::log::LogPanel* log_;
    std::vector<views::Page*> pageTable_; // in the order of the tabs
    views::palette::CommandPalette* palette_;
    views::passes::BisectDialog* bisect_ = nullptr;
    QMenu* recent_;
    FlowBar* flow_;
    ProgressPane* progress_;
    QLabel* status_;
    QToolButton* settingsButton_; // what is compiled and run for, in the status bar
    QLabel* facts_;               // of the model, at the right of the status bar
    views::start::StartPage* start_;
    views::help::GuideWindow* guide_ = nullptr;
    // The last: it writes what the others say when it ends.
    ProjectDesk project_{work_, [this] { return projectState(); }, this};
};

} // namespace lathe::app
