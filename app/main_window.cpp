// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/main_window.h"

#include "app/graphviz.h"
#include "app/progress_pane.h"
#include "app/run_settings_dialog.h"
#include "app/shared_folder.h"
#include "base/version.h"
#include "views/check/check_page.h"
#include "views/find/find_bar.h"
#include "views/fusion/fusion_page.h"
#include "views/graph/compare_page.h"
#include "views/graph/model_page.h"
#include "views/log/log_panel.h"
#include "views/loops/loops_page.h"
#include "views/models/inputs/open_sizes.h"
#include "views/models/text/counted.h"
#include "views/models/text/plain_tip.h"
#include "views/models/text/shown_path.h"
#include "views/overview/overview_page.h"
#include "views/page/elided_label.h"
#include "views/palette/command_palette.h"
#include "views/passes/bisect_dialog.h"
#include "views/passes/passes_page.h"
#include "views/problems/problems_panel.h"
#include "views/profile/profile_page.h"
#include "views/start/start_page.h"
#include "views/tensor/tensor_panel.h"
#include "views/tuning/tuning_page.h"

#include <QCoreApplication>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QLabel>
#include <QMimeData>
#include <QProcess>
#include <QRegularExpression>
#include <QSettings>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTabWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

namespace lathe::app {

using views::models::LogLevel;

namespace {

/// In the status bar, in pixels: a model may leave many sizes open.
constexpr int widestSettings = 320;
/// Of the problems that are shown at once.
constexpr int mostLogged = 50;

} // namespace

MainWindow::MainWindow()
    : graphviz_(new Graphviz(this)), whatIfs_(new WhatIfs(this)),
      exports_(new ExportDesk(engine_, work_, *whatIfs_, this)), stack_(new QStackedWidget), pages_(new QTabWidget),
      find_(new views::find::FindBar), overview_(new views::overview::OverviewPage(&selection_)),
      model_(new views::graph::ModelPage(&selection_)), passes_(new views::passes::PassesPage(&selection_)),
      fusion_(new views::fusion::FusionPage(&selection_)), loops_(new views::loops::LoopsPage(&selection_)),
      profile_(new views::profile::ProfilePage(&selection_)), check_(new views::check::CheckPage(&selection_)),
      compare_(new views::graph::ComparePage(&selection_)), tuning_(new views::tuning::TuningPage(&selection_)),
      studies_(new TuningDesk(engine_, work_, *whatIfs_, tuning_, this)),
      pageTable_{overview_, model_, passes_, fusion_, loops_, profile_, check_, compare_, tuning_},
      palette_(new views::palette::CommandPalette(this)), progress_(new ProgressPane), status_(new views::ElidedLabel),
      settingsButton_(new QToolButton), facts_(new views::ElidedLabel) {
    setWindowTitle(tr("Lathe"));
    setAcceptDrops(true);
    pages_->setDocumentMode(true);
    for (views::Page* page : pageTable_)
        pages_->addTab(page, page->title());
    auto pagesAndBar = new QWidget;
    auto layout = new QVBoxLayout(pagesAndBar);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(stack_, 1);
    layout->addWidget(find_);
    setCentralWidget(pagesAndBar);
    status_->setContentsMargins(8, 0, 0, 0);
    facts_->setContentsMargins(8, 0, 8, 0);
    statusBar()->addWidget(status_, 1);
    statusBar()->addPermanentWidget(progress_);
    settingsButton_->setAutoRaise(true);
    statusBar()->addPermanentWidget(settingsButton_);
    statusBar()->addPermanentWidget(facts_);
    makeDocks();
    makeActions();
    start_ = new views::start::StartPage({actions_["file.open"], actions_["file.open_folder"]}, sharedFolder());
    stack_->addWidget(start_);
    stack_->addWidget(pages_);
    makeMenus();
    connect(settingsButton_, &QToolButton::clicked, actions_["model.settings"], &QAction::trigger);
    std::vector<Diagnostic> unread;
    work_.settings = RunSettings::kept(&unread);
    work_.plugins = installedPlugins(unread);
    studies_->offerChoices();
    for (const Diagnostic& warning : unread)
        log(QString::fromStdString(toString(warning)), views::models::LogLevel::Warning);
    showSettings();
    fillRecent();
    connectEngine();
    connectTuning();
    connectOverview();
    connectExports();
    connectProject();
    connect(palette_, &views::palette::CommandPalette::chosen, this,
            [this](const views::models::PaletteEntry& entry) { follow(entry); });
    connect(start_, &views::start::StartPage::fileWanted, this, &MainWindow::open);
    restoreWindow();
    setBusy(false);
}

void MainWindow::connectEngine() {
    connectWork();
    connectRuns();
    connectStates();
    connectChecks();
    connectComparison();
    connectLooks();
    connectGraph();
    connectPages();
}

void MainWindow::connectExports() {
    connect(exports_, &ExportDesk::workBegun, this, [this](const QString& what) {
        setBusy(true);
        log(what);
    });
    connect(exports_, &ExportDesk::cancelWanted, this, &MainWindow::cancel);
    connect(exports_, &ExportDesk::compileWanted, this, &MainWindow::compile);
    connect(exports_, &ExportDesk::said, this, &MainWindow::log);
}

void MainWindow::connectTuning() {
    connect(studies_, &TuningDesk::begun, this, [this] { showPage("tuning"); });
    connect(studies_, &TuningDesk::compileWanted, this, &MainWindow::compile);
    connect(studies_, &TuningDesk::said, this, &MainWindow::log);
    connect(studies_, &TuningDesk::failed, this, &MainWindow::showProblems);
    connect(tuning_, &views::tuning::TuningPage::compareWanted, this, &MainWindow::runAndCompare);
    connect(tuning_, &views::tuning::TuningPage::filled, this, &MainWindow::checkSettled);
    connect(&engine_, &Engine::studyBegun, this, &MainWindow::checkSettled);
    connect(&engine_, &Engine::tuningIdle, this, &MainWindow::checkSettled);
}

void MainWindow::connectGraph() {
    connect(model_, &views::graph::ModelPage::layoutWanted, this, [this](int picture, const QByteArray& dot) {
        layingOut_ = true;
        graphviz_->layout(picture, dot);
    });
    connect(graphviz_, &Graphviz::done, this, [this](int picture, const QByteArray& plain) {
        layingOut_ = false;
        if (auto layout = fromDotPlain(model_->picture(), plain))
            model_->setLayout(picture, std::move(*layout));
        checkSettled();
    });
    connect(graphviz_, &Graphviz::failed, this, [this](int, const QString& why) {
        layingOut_ = false;
        log(tr("The simple layout of the graph stays: %1.").arg(why), LogLevel::Warning);
        checkSettled();
    });
    connect(model_, &views::graph::ModelPage::arranged, this, &MainWindow::checkSettled);
    connect(model_, &views::graph::ModelPage::valuesWanted, this, &MainWindow::showValues);
    connect(model_, &views::graph::ModelPage::functionWanted, this, &MainWindow::showFunction);
}

void MainWindow::connectPages() {
    connect(&selection_, &views::models::Selection::changed, &actions_, &Actions::refresh);
    connect(tensor_, &views::tensor::TensorPanel::settled, this, &MainWindow::checkSettled);
    connect(find_, &views::find::FindBar::settled, this, &MainWindow::checkSettled);
    connect(problems_, &views::problems::ProblemsPanel::nodeWanted, this, &MainWindow::reveal);
    for (views::Page* page : pageTable_) {
        connect(page, &views::Page::nodeWanted, this, &MainWindow::reveal);
        connect(page, &views::Page::whatIfWanted, whatIfs_, &WhatIfs::tryOut);
        connect(page, &views::Page::valueWanted, this, &MainWindow::findValue);
    }
}

void MainWindow::reveal(int node) {
    showPage("model");
    model_->revealNode(node);
}

views::Page* MainWindow::pageOfFocus() const {
    views::Page* page = pageTable_[size_t(pages_->currentIndex())];
    const QWidget* focused = focusWidget();
    const bool beside =
        std::ranges::any_of(std::initializer_list<QWidget*>{find_, problemsDock_, logDock_, tensorDock_},
                            [&](const QWidget* each) { return each->isAncestorOf(focused); });
    return page->isVisible() && !beside ? page : nullptr;
}

void MainWindow::find() {
    views::Page* page = pageOfFocus();
    if (!(page && page->focusFind()) && !find_->open(pageTable_[size_t(pages_->currentIndex())]))
        log(tr("Nothing that can be searched is shown here."));
}

void MainWindow::findNext(bool forward) {
    if (views::Page* page = pageOfFocus(); page && page->stepFind(forward))
        return;
    if (find_->isHidden())
        find();
    find_->step(forward);
}

void MainWindow::showFunction(int call) {
    if (!work_.compilation || size_t(call) >= work_.trace->calls.size())
        return;
    selection_.set({work_.compilation->provenance->nodesOf(call, -1), call});
    showPage("loops");
}

void MainWindow::follow(const views::models::PaletteEntry& entry) {
    using Kind = views::models::PaletteEntry::Kind;
    switch (entry.kind) {
    case Kind::Action:
        return actions_.entries()[size_t(entry.id)].action->trigger();
    case Kind::Node:
        return reveal(entry.id);
    case Kind::Function:
        return showFunction(entry.id);
    case Kind::Pass:
        showPage("passes");
        return passes_->choosePass(entry.id);
    }
}

void MainWindow::turnTo(const QString& id, bool seen) {
    if (!seen && pages_->currentIndex() == askedOn_)
        showPage(id);
}

bool MainWindow::isSettled() const {
    return !work_.busy && !layingOut_ && !engine_.isLooking() && !model_->isArranging() && !compare_->isArranging() &&
           !passes_->isArranging() && !fusion_->isArranging() && !tensor_->isBusy() && !engine_.isReadingStudy() &&
           !tuning_->isFilling() && find_->isSettled();
}

void MainWindow::checkSettled() {
    if (isSettled())
        emit settled();
}

void MainWindow::setRunSettings(const RunSettings& settings) {
    const bool otherGraph = settings.graphChoice != work_.settings.graphChoice && !work_.path.isEmpty();
    work_.settings = settings;
    if (otherGraph) { // of whose nodes and inputs nothing was chosen
        work_.settings.fixSizes = false;
        work_.settings.inputs.files = {};
        work_.settings.states = {};
        whatIfs_->reset({});
        studies_->clear();
    }
    work_.settings.keep();
    project_.touch();
    showSettings();
    showOverview();
    if (otherGraph) {
        reloading_ = true;
        load(work_.path);
    }
}

void MainWindow::showSettings() {
    const QString text = work_.settings.text(modelGraph());
    settingsButton_->setText(fontMetrics().elidedText(text, Qt::ElideRight, widestSettings));
    settingsButton_->setToolTip(views::models::plainTip(tr("What models are compiled and run for: %1").arg(text)));
    const bool leavesOpen =
        modelGraph() && !work_.settings.fixSizes && !views::models::openSizesOf(*work_.trace->graph).empty();
    profile_->setStates(modelGraph() ? modelGraph()->states : std::vector<model::State>(), work_.settings.states,
                        work_.settings.goOn);
    tuning_->setSettings(text, leavesOpen ? work_.trace->graph : nullptr);
}

void MainWindow::askForSettings() {
    RunSettingsDialog dialog(work_.settings, modelGraph(), this);
    if (dialog.exec() == QDialog::Accepted)
        setRunSettings(dialog.settings());
}

void MainWindow::showPage(const QString& id) {
    const auto page = std::ranges::find(pageTable_, id, [](const views::Page* each) { return each->id(); });
    pages_->setCurrentWidget(page == pageTable_.end() ? pageTable_.front() : *page);
}

void MainWindow::showProblems(std::vector<Diagnostic> diagnostics) {
    problems_->setProblems(std::move(diagnostics));
    const int count = problems_->model()->rowCount();
    for (int row = 0; row < std::min(count, mostLogged); ++row) {
        const Diagnostic& problem = problems_->model()->at(row);
        log_->add(problem.severity == Severity::Error ? LogLevel::Error : LogLevel::Warning,
                  QString::fromStdString(toString(problem)));
    }
    problemsDock_->setWindowTitle(count ? tr("Problems (%1)").arg(count) : tr("Problems"));
    if (problems_->model()->errors() > 0) {
        problemsDock_->show();
        problemsDock_->raise();
    }
}

void MainWindow::showValues(const views::models::NamedTensor& tensor) {
    tensor_->setTensor(tensor);
    showValueDock();
}

void MainWindow::showValueDock() {
    tensorDock_->show();
    tensorDock_->raise();
    if (tensorDock_->height() < tensor_->sizeHint().height() && !tensorDock_->isFloating())
        resizeDocks({tensorDock_}, {std::min(tensor_->sizeHint().height(), height() / 3)}, Qt::Vertical);
}

void MainWindow::log(const QString& text, LogLevel level) {
    log_->add(level, text);
    status_->setText(text);
}

void MainWindow::logStage(const QString& what) {
    static const QRegularExpression numbers(QStringLiteral("[0-9]+"));
    QString stage = what;
    stage.remove(numbers); // "12 of 80 kernels" is one line
    if (std::exchange(stage_, stage) != stage)
        log_->add(LogLevel::Detail, what);
}

void MainWindow::setBusy(bool busy) {
    work_.busy = busy;
    if (busy)
        progress_->begin();
    else
        progress_->end();
    profile_->setBusy(busy);
    tuning_->setComparable(!busy && baseline_);
    actions_.refresh();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (event->mimeData()->hasUrls() && event->mimeData()->urls().first().isLocalFile())
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    event->acceptProposedAction();
    QList<QUrl> files = event->mimeData()->urls();
    open(files.takeFirst().toLocalFile());
    for (const QUrl& more : files) // each in a window of its own
        if (more.isLocalFile())
            QProcess::startDetached(QCoreApplication::applicationFilePath(), {more.toLocalFile()});
}

void MainWindow::closeEvent(QCloseEvent* event) {
    QSettings settings;
    settings.setValue("window/geometry", saveGeometry());
    settings.setValue("window/state", saveState());
    project_.becomeLast();
    engine_.cancel();
    QMainWindow::closeEvent(event);
}

} // namespace lathe::app
