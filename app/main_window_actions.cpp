// SPDX-License-Identifier: GPL-3.0-or-later
//
// The parts of MainWindow that make it: actions, menus, docks, recent files.
#include "app/flow_bar.h"
#include "app/main_window.h"
#include "app/model_dialog.h"
#include "app/preferences.h"
#include "app/recent_files.h"
#include "app/shared_folder.h"
#include "app/shortcuts_dialog.h"
#include "base/version.h"
#include "codegen/build_id.h"
#include "views/graph/model_page.h"
#include "views/help/guide_window.h"
#include "views/log/log_panel.h"
#include "views/models/text/one_line.h"
#include "views/page/file_dialog.h"
#include "views/palette/command_palette.h"
#include "views/problems/problems_panel.h"
#include "views/profile/profile_page.h"
#include "views/start/start_page.h"
#include "views/tensor/tensor_panel.h"

#include <QActionGroup>
#include <QApplication>
#include <QDir>
#include <QDockWidget>
#include <QFileInfo>
#include <QLabel>
#include <QMenuBar>
#include <QMessageBox>
#include <QPushButton>
#include <QScreen>
#include <QSettings>
#include <QTabWidget>
#include <QUndoStack>
#include <QVBoxLayout>

namespace lathe::app {

namespace {

constexpr qsizetype longestEntry = 60;
/// By Theme::Choice.
constexpr const char* themeActions[] = {"view.theme.system", "view.theme.light", "view.theme.dark"};
/// How pages show what they do: it stays so from one start to the next.
constexpr const char* keptChoices[] = {"passes.picture", "fusion.picture"};

QList<QKeySequence> keys(auto... each) {
    return {QKeySequence(each)...};
}

} // namespace

void MainWindow::makeDocks() {
    problems_ = new views::problems::ProblemsPanel;
    log_ = new views::log::LogPanel;
    auto dock = [this](const QString& title, const QString& name, QWidget* widget) {
        auto result = new QDockWidget(title, this);
        result->setObjectName(name);
        result->setWidget(widget);
        addDockWidget(Qt::BottomDockWidgetArea, result);
        return result;
    };
    problemsDock_ = dock(tr("Problems"), "problems", problems_);
    logDock_ = dock(tr("Log"), "log", log_);
    tensor_ = new views::tensor::TensorPanel;
    tensorDock_ = dock(tr("Values"), "values", tensor_);
    setTabPosition(Qt::BottomDockWidgetArea, QTabWidget::North);
    setDocumentMode(true);
    tabifyDockWidget(problemsDock_, logDock_);
    tabifyDockWidget(logDock_, tensorDock_);
    resizeDocks({problemsDock_, logDock_}, {120, 120}, Qt::Vertical);
    problemsDock_->hide();
    logDock_->hide();
    tensorDock_->hide();
}

void MainWindow::makeActions() {
    const QString file = tr("File"), edit = tr("Edit");
    const auto hasGraph = [this] { return modelGraph() != nullptr; };
    actions_.add("file.open", file, tr("&Open…"), keys(QKeySequence::Open), [this] { askForFile(); });
    actions_.add("file.open_folder", file, tr("Open a fol&der…"), keys(Qt::CTRL | Qt::SHIFT | Qt::Key_O),
                 [this] { askForFolder(); });
    actions_.add(
        "file.save", file, tr("&Save project"), keys(QKeySequence::Save), [this] { project_.save(); }, hasGraph);
    actions_.add(
        "file.save_as", file, tr("Save project &as…"), keys(Qt::CTRL | Qt::SHIFT | Qt::Key_S),
        [this] { project_.saveAs(); }, hasGraph);
    actions_.add(
        "file.report", file, tr("Write a re&port…"), {}, [this] { askForReport(); },
        [this] { return !work_.busy && work_.trace; });
    actions_.add(
        "file.export", file, tr("&Export…"), keys(Qt::CTRL | Qt::Key_E), [this] { exports_->ask(); },
        [this] { return !work_.busy && modelGraph(); });
    actions_.add(
        "file.exports", file, tr("Expor&ts…"), keys(Qt::CTRL | Qt::SHIFT | Qt::Key_E),
        [this] { exports_->showList(false); }, hasGraph);
    actions_.add(
        "file.close", file, tr("&Close model"), keys(Qt::CTRL | Qt::Key_W), [this] { closeModel(); },
        [this] { return work_.trace != nullptr; });
    actions_.add("file.preferences", file, tr("Pre&ferences…"), {}, [this] { askForPreferences(); });
    actions_.add("file.quit", file, tr("&Quit"), keys(Qt::CTRL | Qt::Key_Q), [] { QApplication::closeAllWindows(); });
    actions_.adopt("edit.undo", edit, whatIfs_->stack()->createUndoAction(this, tr("&Undo")), keys(QKeySequence::Undo));
    actions_.adopt("edit.redo", edit, whatIfs_->stack()->createRedoAction(this, tr("&Redo")), keys(QKeySequence::Redo));
    actions_.add("edit.find", edit, tr("&Find…"), keys(QKeySequence::Find), [this] { find(); });
    actions_.add("edit.find_next", edit, tr("Find &next"), keys(Qt::Key_F3), [this] { findNext(true); });
    actions_.add("edit.find_previous", edit, tr("Find &previous"), keys(Qt::SHIFT | Qt::Key_F3),
                 [this] { findNext(false); });
    makeModelActions();
    makeViewActions();
    makeHelpActions();
}

void MainWindow::makeHelpActions() {
    const QString help = tr("Help");
    const auto openGuide = [this](const QString& page) {
        if (!guide_)
            guide_ = new views::help::GuideWindow(sharedFolder() + QStringLiteral("/guide"), this);
        guide_->open(page);
    };
    actions_.add("help.guide", help, tr("&Guide"), keys(Qt::Key_F1),
                 [openGuide] { openGuide(QStringLiteral("user_guide.md")); });
    actions_.add("help.glossary", help, tr("G&lossary"), {}, [openGuide] { openGuide(QStringLiteral("glossary.md")); });
    actions_.add("help.about", help, tr("&About Lathe"), {}, [this] {
        const auto version = base::version();
        QMessageBox::about(this, tr("About Lathe"),
                           tr("<b>Lathe %1</b><p>A workbench for making trained models fast.</p>"
                              "<p>Workbench: GPL-3.0-or-later. Compiler, runtime and what they export: Apache-2.0.</p>"
                              "<p>Qt %2, LLVM %3.</p>")
                               .arg(QString::fromUtf8(version.data(), qsizetype(version.size())),
                                    QString::fromLatin1(qVersion()), QString::fromStdString(codegen::llvmVersion())));
    });
    actions_.add("help.about_qt", help, tr("About &Qt"), {}, [this] { QMessageBox::aboutQt(this); });
}

void MainWindow::makeModelActions() {
    const QString model = tr("Model");
    const auto hasGraph = [this] { return modelGraph() != nullptr; };
    const auto canWork = [this] { return !work_.busy && modelGraph(); };
    actions_.add("model.compile", model, tr("&Compile"), keys(Qt::Key_F5), [this] { compile(); }, canWork);
    actions_.add("model.run", model, tr("&Run and profile"), keys(Qt::Key_F6), [this] { run(); }, canWork);
    actions_.add(
        "model.compare", model, tr("Run and co&mpare"), keys(Qt::SHIFT | Qt::Key_F6), [this] { runAndCompare(); },
        [this] { return !work_.busy && baseline_; });
    actions_.add(
        "model.baseline", model, tr("Take as &baseline"), {},
        [this] {
            baseline_ = work_.compilation;
            baselineTaken_ = true;
            log(tr("What is compiled now is what runs are compared with."));
            setBusy(work_.busy);
        },
        [this] { return !work_.busy && isCompiled(); });
    actions_.add(
        "model.sweep", model, tr("Run o&ver a size…"), {},
        [this] {
            showPage("profile");
            profile_->askForSweep();
        },
        canWork);
    actions_.add("model.bisect", model, tr("B&isect…"), {}, [this] { askForBisect(); }, hasGraph);
    actions_.add(
        "model.compare_with", model, tr("Compare &with model…"), {}, [this] { askForComparison(false); }, canWork);
    actions_.add(
        "model.compare_with_folder", model, tr("Compare with a &folder…"), {}, [this] { askForComparison(true); },
        canWork);
    actions_.add(
        "model.drop_decisions", model, tr("&Drop all decisions"), {},
        [this] {
            whatIfs_->tryOut({tr("dropping all decisions"), [](driver::Decisions& decisions) { decisions = {}; }});
        },
        hasGraph);
    actions_.add(
        "model.cancel", model, tr("C&ancel"), keys(Qt::Key_Escape), [this] { cancel(); },
        [this] { return work_.busy; });
    actions_.add("model.settings", model, tr("&Settings…"), keys(Qt::CTRL | Qt::Key_Comma),
                 [this] { askForSettings(); });
}

void MainWindow::makeViewActions() {
    const QString edit = tr("Edit"), view = tr("View");
    actions_.add(
        "view.places", view, tr("&Go to…"), keys(Qt::CTRL | Qt::Key_P), [this] { openPalette(true); },
        [this] { return modelGraph() != nullptr; });
    actions_.add("view.commands", view, tr("Co&mmands…"), keys(Qt::CTRL | Qt::SHIFT | Qt::Key_P),
                 [this] { openPalette(false); });
    for (size_t i = 0; i < pageTable_.size(); ++i) {
        const views::Page* page = pageTable_[i];
        actions_.add("view." + page->id(), view, page->title(), keys(Qt::CTRL | Qt::Key(Qt::Key_1 + int(i))),
                     [this, page] { showPage(page->id()); });
        for (const views::PageAction& own : page->pageActions())
            actions_.adopt(page->id() + "." + own.id, page->title(), own.action, own.keys);
    }
    actions_.enableWhen("check.values", [this] { return !work_.busy && modelGraph(); });
    actions_.add(
        "view.back", view, tr("&Back"), keys(Qt::ALT | Qt::Key_Left), [this] { selection_.goBack(); },
        [this] { return selection_.canGoBack(); });
    actions_.add(
        "view.forward", view, tr("F&orward"), keys(Qt::ALT | Qt::Key_Right), [this] { selection_.goForward(); },
        [this] { return selection_.canGoForward(); });
    actions_.adopt("view.problems", view, problemsDock_->toggleViewAction());
    actions_.adopt("view.log", view, logDock_->toggleViewAction());
    actions_.adopt("log.copy", edit, log_->copyAction());
    actions_.adopt("log.clear", edit, log_->clearAction());
    actions_.adopt("view.values", view, tensorDock_->toggleViewAction());
    auto themes = new QActionGroup(this);
    const QString texts[] = {tr("Theme of the &system"), tr("&Light theme"), tr("&Dark theme")};
    for (int i = 0; i < 3; ++i) {
        QAction* action = actions_.add(themeActions[i], view, texts[i], {}, [this, i] {
            Preferences preferences = Preferences::kept();
            preferences.theme = Theme::Choice(i);
            setPreferences(preferences);
        });
        action->setCheckable(true);
        themes->addAction(action);
    }
    actions_.add("view.shortcuts", view, tr("S&hortcuts…"), {}, [this] { ShortcutsDialog(actions_, this).exec(); });
}

void MainWindow::makeMenus() {
    // Ids of actions; an empty one is a line between, "recent" the menu of recent files.
    struct Menu {
        QString title;
        QStringList ids;
    };
    QStringList pages, ofPages;
    for (const views::Page* page : pageTable_) {
        pages << "view." + page->id();
        if (const auto own = page->pageActions(); !own.empty()) {
            ofPages << (ofPages.isEmpty() ? QStringList() : QStringList{""});
            for (const views::PageAction& each : own)
                ofPages << page->id() + "." + each.id;
        }
    }
    const Menu menus[] = {
        {tr("&File"),
         {"file.open", "file.open_folder", "recent", "", "file.save", "file.save_as", "file.report", "file.export",
          "file.exports", "", "file.close", "", "file.preferences", "", "file.quit"}},
        {tr("&Edit"),
         {"edit.undo", "edit.redo", "", "edit.find", "edit.find_next", "edit.find_previous", "", "log.copy",
          "log.clear"}},
        {tr("&Model"),
         {"model.compile", "model.run", "model.compare", "model.baseline", "model.sweep", "model.compare_with",
          "model.compare_with_folder", "model.bisect", "model.drop_decisions", "model.cancel", "", "model.settings"}},
        {tr("&View"),
         pages + QStringList{"", "view.back", "view.forward", "view.places", "view.commands", "", "view.problems",
                             "view.log", "view.values", "", themeActions[0], themeActions[1], themeActions[2]}},
        {tr("&Page"), ofPages},
        {tr("&Help"), {"help.guide", "help.glossary", "view.shortcuts", "", "help.about", "help.about_qt"}},
    };
    recent_ = new QMenu(tr("Open &recent"), this);
    for (const Menu& each : menus) {
        QMenu* menu = menuBar()->addMenu(each.title);
        for (const QString& id : each.ids) {
            if (id.isEmpty())
                menu->addSeparator();
            else if (id == "recent")
                menu->addMenu(recent_);
            else
                menu->addAction(actions_[id]);
        }
    }
    flow_ = new FlowBar(actions_);
    addToolBar(flow_);
}

void MainWindow::restoreWindow() {
    const QSettings settings;
    if (!restoreGeometry(settings.value("window/geometry").toByteArray()))
        resize(QSize(1440, 900).boundedTo(screen()->availableSize() * 9 / 10));
    restoreState(settings.value("window/state").toByteArray());
    for (const char* id : keptChoices) {
        actions_[id]->setChecked(settings.value(QStringLiteral("choices/") + id).toBool());
        connect(actions_[id], &QAction::toggled, this,
                [id](bool on) { QSettings().setValue(QStringLiteral("choices/") + id, on); });
    }
    setPreferences(Preferences::kept());
}

void MainWindow::setPreferences(const Preferences& preferences) {
    preferences.keep();
    preferences.apply(theme_);
    actions_[themeActions[int(preferences.theme)]]->setChecked(true);
}

void MainWindow::askForPreferences() {
    PreferencesDialog dialog(Preferences::kept(), this);
    if (dialog.exec() == QDialog::Accepted)
        setPreferences(dialog.preferences());
}

void MainWindow::openPalette(bool places) {
    using views::models::PaletteEntry;
    std::vector<PaletteEntry> entries;
    if (places) {
        entries = views::models::placesOf(work_.trace.get());
    } else {
        const auto& all = actions_.entries();
        for (size_t i = 0; i < all.size(); ++i)
            if (all[i].action->isEnabled())
                entries.push_back({PaletteEntry::Kind::Action, all[i].section + ": " + all[i].title,
                                   textOf(all[i].action->shortcuts()), int(i)});
    }
    palette_->open(std::move(entries), places ? tr("A node, fused function or pass") : tr("A command"));
}

void MainWindow::askForFile() {
    const QString path =
        chooseModel(this, tr("Open a model or project"), folderOf(work_.path), AskedFor::ModelOrProject);
    if (!path.isEmpty())
        open(path);
}

void MainWindow::askForFolder() {
    const QString path = chooseModelFolder(this, folderOf(work_.path));
    if (!path.isEmpty())
        open(path);
}

void MainWindow::askForComparison(bool withFolder) {
    if (!modelGraph())
        return;
    const QString path = withFolder ? chooseModelFolder(this, folderOf(work_.path))
                                    : chooseModel(this, tr("Compare with a model"), folderOf(work_.path));
    if (!path.isEmpty())
        compareWith(path);
}

void MainWindow::askForReport() {
    const QString path = views::askForNewFile(this, tr("Write a report"), work_.besideModel(".html"),
                                              tr("Pages (*.html);;All files (*)"));
    if (!path.isEmpty())
        writeReport(path);
}

void MainWindow::remember(const QString& path) {
    const bool isModel = (path == work_.path || path == projectPath()) && modelGraph();
    rememberRecent(path, isModel ? int(model::countNodes(*modelGraph())) : 0);
    fillRecent();
}

void MainWindow::fillRecent() {
    const QList<views::models::RecentFile> files = recentFiles();
    recent_->clear();
    for (const views::models::RecentFile& file : files)
        recent_->addAction(views::models::oneLine(file.path, longestEntry).replace("&", "&&"), this,
                           [this, path = file.path] { open(path); });
    recent_->setEnabled(!files.isEmpty());
    start_->setRecent(files);
}

} // namespace lathe::app
