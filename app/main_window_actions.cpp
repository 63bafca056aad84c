// SPDX-License-Identifier: GPL-3.0-or-later
//
// The parts of MainWindow that make it: menus, docks, the page shown before a model is open, recent files.
#include "app/main_window.h"
#include "app/style.h"
#include "base/version.h"
#include "views/graph/model_page.h"
#include "views/problems/problems_panel.h"

#include <QActionGroup>
#include <QApplication>
#include <QDockWidget>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QMenuBar>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSettings>
#include <QTabWidget>
#include <QToolBar>
#include <QVBoxLayout>

namespace lathe::app {

namespace {

constexpr auto recentKey = "recentFiles";
constexpr int recentFiles = 10;

} // namespace

void MainWindow::makeDocks() {
    problems_ = new views::problems::ProblemsPanel;
    log_ = new QPlainTextEdit;
    log_->setReadOnly(true);
    log_->setMaximumBlockCount(5000);
    log_->setTabChangesFocus(true);
    log_->setAccessibleName(tr("Log"));
    auto dock = [this](const QString& title, const QString& name, QWidget* widget) {
        auto result = new QDockWidget(title, this);
        result->setObjectName(name);
        result->setWidget(widget);
        // The tab says what it is, the menu View shows and hides it: a bar with the name once more only takes room.
        result->setTitleBarWidget(new QWidget);
        addDockWidget(Qt::BottomDockWidgetArea, result);
        return result;
    };
    problemsDock_ = dock(tr("Problems"), "problems", problems_);
    logDock_ = dock(tr("Log"), "log", log_);
    setTabPosition(Qt::BottomDockWidgetArea, QTabWidget::North);
    setDocumentMode(true);
    tabifyDockWidget(problemsDock_, logDock_);
    resizeDocks({problemsDock_, logDock_}, {120, 120}, Qt::Vertical);
    problemsDock_->hide();
    logDock_->hide();
}

void MainWindow::makeMenus() {
    auto add = [this](QMenu* menu, const QString& text, const QKeySequence& keys, auto slot) {
        QAction* action = menu->addAction(text);
        action->setShortcut(keys);
        connect(action, &QAction::triggered, this, slot);
        return action;
    };
    QMenu* file = menuBar()->addMenu(tr("&File"));
    openAction_ = add(file, tr("&Open model…"), QKeySequence::Open, [this] { askForFile(); });
    recent_ = file->addMenu(tr("Open &recent"));
    file->addSeparator();
    add(file, tr("&Quit"), QKeySequence::Quit, [this] { close(); });

    QMenu* model = menuBar()->addMenu(tr("&Model"));
    compileAction_ = add(model, tr("&Compile"), Qt::Key_F5, [this] { compile(); });
    runAction_ = add(model, tr("&Run and profile"), Qt::Key_F6, [this] { run(); });
    cancelAction_ = add(model, tr("C&ancel"), Qt::Key_Escape, [this] { cancel(); });
    model->addSeparator();
    add(model, tr("&Find in the graph"), QKeySequence::Find, [this] {
        pages_->setCurrentIndex(0);
        model_->focusSearch();
    });

    QMenu* view = menuBar()->addMenu(tr("&View"));
    for (int i = 0; i < pages_->count(); ++i)
        add(view, pages_->tabText(i), QKeySequence(Qt::CTRL | Qt::Key(Qt::Key_1 + i)),
            [this, i] { pages_->setCurrentIndex(i); });
    view->addSeparator();
    view->addAction(problemsDock_->toggleViewAction());
    view->addAction(logDock_->toggleViewAction());
    QMenu* themes = view->addMenu(tr("&Theme"));
    auto group = new QActionGroup(this);
    const QString names[] = {tr("&System"), tr("&Light"), tr("&Dark")};
    for (int i = 0; i < 3; ++i) {
        QAction* action = themes->addAction(names[i], [this, i] { theme_.choose(Theme::Choice(i)); });
        action->setCheckable(true);
        group->addAction(action);
    }
    connect(themes, &QMenu::aboutToShow, this,
            [this, group] { group->actions()[int(theme_.choice())]->setChecked(true); });

    QMenu* help = menuBar()->addMenu(tr("&Help"));
    help->addAction(tr("&About Lathe"), this, [this] {
        const auto version = base::version();
        QMessageBox::about(this, tr("About Lathe"),
                           tr("<b>Lathe %1</b><p>A workbench for making trained models fast.</p>")
                               .arg(QString::fromUtf8(version.data(), qsizetype(version.size()))));
    });

    QToolBar* bar = addToolBar(tr("Main"));
    bar->setObjectName("main");
    bar->setMovable(false);
    bar->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    bar->addAction(openAction_);
    bar->addSeparator();
    bar->addActions({compileAction_, runAction_, cancelAction_});
    colourIcons();
}

void MainWindow::colourIcons() {
    openAction_->setIcon(glyphIcon(Glyph::Open, palette()));
    compileAction_->setIcon(glyphIcon(Glyph::Compile, palette()));
    runAction_->setIcon(glyphIcon(Glyph::Run, palette()));
    cancelAction_->setIcon(glyphIcon(Glyph::Cancel, palette()));
}

QWidget* MainWindow::makeWelcome() {
    auto page = new QWidget;
    auto title = new QLabel(tr("Lathe"));
    QFont font = title->font();
    font.setPointSizeF(font.pointSizeF() * 2.4);
    font.setBold(true);
    title->setFont(font);
    title->setAlignment(Qt::AlignCenter);
    auto hint = new QLabel(tr("Drop a model here, or open one."));
    hint->setAlignment(Qt::AlignCenter);
    auto button = new QPushButton(tr("&Open model…"));
    button->setMinimumSize(160, 36);
    connect(button, &QPushButton::clicked, this, [this] { askForFile(); });
    welcomeRecent_ = new QLabel;
    welcomeRecent_->setAlignment(Qt::AlignCenter);
    welcomeRecent_->setTextInteractionFlags(Qt::LinksAccessibleByKeyboard | Qt::LinksAccessibleByMouse);
    connect(welcomeRecent_, &QLabel::linkActivated, this, [this](const QString& link) { open(link); });
    auto layout = new QVBoxLayout(page);
    layout->addStretch(2);
    layout->addWidget(title);
    layout->addWidget(hint);
    layout->addSpacing(12);
    layout->addWidget(button, 0, Qt::AlignCenter);
    layout->addSpacing(12);
    layout->addWidget(welcomeRecent_);
    layout->addStretch(3);
    return page;
}

void MainWindow::askForFile() {
    const QString folder = path_.isEmpty() ? QString() : QFileInfo(path_).absolutePath();
    const QString path =
        QFileDialog::getOpenFileName(this, tr("Open a model"), folder, tr("Models (*.onnx);;All files (*)"));
    if (!path.isEmpty())
        open(path);
}

void MainWindow::remember(const QString& path) {
    QSettings settings;
    QStringList files = settings.value(recentKey).toStringList();
    files.removeAll(path);
    files.prepend(path);
    settings.setValue(recentKey, QStringList(files.mid(0, recentFiles)));
    fillRecent();
}

void MainWindow::fillRecent() {
    const QStringList files = QSettings().value(recentKey).toStringList();
    recent_->clear();
    QStringList links;
    for (const QString& file : files) {
        recent_->addAction(QString(file).replace("&", "&&"), this, [this, file] { open(file); });
        links << QStringLiteral("<a href=\"%1\">%2</a>")
                     .arg(file.toHtmlEscaped(), QFileInfo(file).dir().dirName().toHtmlEscaped() + "/" +
                                                    QFileInfo(file).fileName().toHtmlEscaped());
    }
    recent_->setEnabled(!files.isEmpty());
    welcomeRecent_->setText(links.join("<br>"));
}

} // namespace lathe::app
