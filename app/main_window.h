// SPDX-License-Identifier: GPL-3.0-or-later
//
// The workbench's window: menus, pages and docks, and the wiring between pages and engine. Pages emit wishes and get values;
// they know neither the engine nor each other.
#pragma once

#include "app/engine.h"
#include "app/theme.h"
#include "views/models/selection.h"

#include <QMainWindow>

class QAction;
class QDockWidget;
class QLabel;
class QMenu;
class QPlainTextEdit;
class QProgressBar;
class QStackedWidget;
class QTabWidget;

namespace lathe::views::graph {
class ModelPage;
}
namespace lathe::views::passes {
class PassesPage;
}
namespace lathe::views::problems {
class ProblemsPanel;
}
namespace lathe::views::profile {
class ProfilePage;
}

namespace lathe::app {

class Graphviz;

class MainWindow : public QMainWindow {
    Q_OBJECT

public:
    MainWindow();

    void open(const QString& path);
    void compile();
    void run();
    /// Ends the import, compilation or run that goes on, and what is queued.
    void cancel();
    void showPage(const QString& name); // "model", "passes", "profile"
    Theme& theme() { return theme_; }

    views::graph::ModelPage* modelPage() const { return model_; }
    views::passes::PassesPage* passesPage() const { return passes_; }
    views::profile::ProfilePage* profilePage() const { return profile_; }
    views::problems::ProblemsPanel* problems() const { return problems_; }
    /// Ends all work, and waits for it, at most so long; false if some is still busy. The last thing before the program ends.
    bool finish(std::chrono::milliseconds patience) { return engine_.finish(patience); }
    bool isBusy() const { return busy_; }
    bool isCompiled() const { return compiled_; }

signals:
    /// Nothing is queued, the graph has its final places and the page Passes its text.
    void settled();

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void makeMenus();
    void makeDocks();
    void colourIcons();
    QWidget* makeWelcome();
    void askForFile();
    void fillRecent();
    void remember(const QString& path);
    void connectEngine();
    void showOpened(const QString& path, const TracePtr& trace);
    void showCompiled(const QString& path, const TracePtr& trace, bool good, double seconds);
    void showProblems(std::vector<Diagnostic> diagnostics);
    void log(const QString& text);
    void setBusy(bool busy);
    void checkSettled();

    Theme theme_;
    Engine engine_;
    Graphviz* graphviz_;
    views::models::Selection selection_;
    QString path_, opening_; // of the model that is open; of the one that was asked for last
    TracePtr trace_;         // of the last compilation; before: of the import
    bool busy_ = false, compiled_ = false, layingOut_ = false, comparing_ = false;

    QStackedWidget* stack_;
    QTabWidget* pages_;
    views::graph::ModelPage* model_;
    views::passes::PassesPage* passes_;
    views::profile::ProfilePage* profile_;
    views::problems::ProblemsPanel* problems_;
    QDockWidget* problemsDock_;
    QDockWidget* logDock_;
    QPlainTextEdit* log_;
    QMenu* recent_;
    QAction *openAction_ = nullptr, *compileAction_, *runAction_, *cancelAction_;
    QProgressBar* progress_;
    QLabel* status_;
    QLabel* facts_; // of the model, at the right of the status bar
    QLabel* welcomeRecent_;
};

} // namespace lathe::app
