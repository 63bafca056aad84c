// SPDX-License-Identifier: GPL-3.0-or-later
//
// The part of MainWindow that keeps its work in a project: what is kept, and how it comes back.
#include "app/main_window.h"
#include "app/preferences.h"
#include "app/unsaved_work.h"
#include "views/graph/model_page.h"
#include "views/models/text/one_line.h"
#include "views/page/file_dialog.h"

#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QLabel>
#include <QMessageBox>
#include <QPushButton>
#include <QTabWidget>
#include <algorithm>

namespace lathe::app {

namespace {

// What is kept, by name.
constexpr auto pageKey = "page", nodesKey = "nodes", compiledKey = "compiled", tuningKey = "tuning",
               exportsKey = "exports", unreadExportsKey = "unread exports";

std::string textOf(const std::vector<int>& nodes) {
    QJsonArray array;
    for (const int node : nodes)
        array.append(node);
    return QJsonDocument(array).toJson(QJsonDocument::Compact).toStdString();
}

/// Those that are nodes of the graph.
std::vector<int> nodesOf(const std::string& text, const model::ModelGraph& graph) {
    std::vector<int> nodes;
    for (const QJsonValue& each : QJsonDocument::fromJson(QByteArray::fromStdString(text)).array())
        if (const int node = each.toInt(-1); node >= 0 && node < graph.nodeCount)
            nodes.push_back(node);
    return nodes;
}

} // namespace

void MainWindow::connectProject() {
    connect(&keeper_, &ProjectKeeper::created, this, [this](const QString& path) {
        setLastProject(path);
        if (isUnsavedProject(path))
            return;
        log(tr("The work is kept in %1 from now on.").arg(path));
        remember(path);
        showTitle();
    });
    connect(&keeper_, &ProjectKeeper::opened, this, &MainWindow::showProject);
    connect(
        &keeper_, &ProjectKeeper::failed, this, [this](const QString& path, const Diagnostic& problem, bool opening) {
            if (opening)
                endOpeningLast();
            if (isUnsavedProject(path)) // nobody asked for it, or knows where it is
                return log(tr("What you do is not kept: %1 (%2). Save it as a project elsewhere (Ctrl+S), or see to it "
                              "that there is room.")
                               .arg(QString::fromStdString(problem.what), path),
                           views::models::LogLevel::Error);
            status_->setText(QString::fromStdString(toString(problem)));
            std::vector<Diagnostic> all = work_.trace ? work_.trace->diagnostics : std::vector<Diagnostic>();
            all.push_back(problem);
            showProblems(std::move(all));
            if (!opening || path == keeper_.path() || !project::File::isOpen(path.toStdString()))
                return;
            QMessageBox box(QMessageBox::Question, tr("Open a copy?"),
                            tr("%1 is open in another window.").arg(QFileInfo(path).fileName()), QMessageBox::Cancel,
                            this);
            QPushButton* copy = box.addButton(tr("Open a &copy"), QMessageBox::AcceptRole);
            box.exec();
            if (box.clickedButton() == copy)
                keeper_.open(path, true);
        });
    const auto touch = [this] { keeper_.touch(); };
    connect(&selection_, &views::models::Selection::changed, this, touch);
    connect(pages_, &QTabWidget::currentChanged, this, touch);
    connect(whatIfs_, &WhatIfs::changed, this, touch);
}

project::Project MainWindow::projectState() const {
    project::Project project;
    project.model.path = work_.path.toStdString();
    project.decisions = whatIfs_->decisions();
    project.kept[project::settingsKey] = work_.settings.toJson();
    project.kept[pageKey] = pageTable_[size_t(pages_->currentIndex())]->id().toStdString();
    project.kept[nodesKey] = textOf(selection_.nodes());
    project.kept[compiledKey] = isCompiled() ? "yes" : "no";
    project.kept[tuningKey] = studies_->kept();
    project.kept[exportsKey] = exports_->kept();
    if (!exports_->unread().empty())
        project.kept[unreadExportsKey] = exports_->unread();
    if (!unreadDecisions_.empty())
        project.kept[project::unreadDecisions] = unreadDecisions_;
    if (!unreadSettings_.empty())
        project.kept[project::unreadSettings] = unreadSettings_;
    return project;
}

void MainWindow::askForProject() {
    const QString path = views::askForNewFile(this, tr("Save the work as a project"),
                                              projectPath().isEmpty() ? work_.besideModel(".lathe") : projectPath(),
                                              tr("Projects (*.lathe)"), QStringLiteral("lathe"));
    if (path.isEmpty())
        return;
    if (path == keeper_.path() && !keeper_.isReadOnly() && !keeper_.isFailing())
        return log(tr("%1 is kept as you go: there is nothing to save.").arg(QFileInfo(path).fileName()));
    if (const auto other = driver::keepsModel(path.toStdString(), work_.path.toStdString(), *work_.trace); !other)
        return showProblems({other.error()});
    saveProject(path);
}

void MainWindow::keepUnsaved() {
    if (const QString path = newUnsavedProject(work_.path); !path.isEmpty())
        keeper_.create(path);
    else
        log(tr("What you do is not kept: its folder cannot be made. Save it as a project (Ctrl+S)."),
            views::models::LogLevel::Error);
}

QString MainWindow::projectPath() const {
    const QString path = keeper_.path();
    return isUnsavedProject(path) ? QString() : path;
}

void MainWindow::openLast() {
    const QString path = Preferences::kept().beginsWithLast ? lastProject() : QString();
    if (path.isEmpty())
        return;
    if (!beginWithLast()) {
        remember(path);
        return log(tr("The program ended while it opened what was open last. File › Open recent has it."));
    }
    open(path);
    openingLast_ = true;
}

void MainWindow::endOpeningLast() {
    if (std::exchange(openingLast_, false))
        endWithLast();
}

void MainWindow::showProject(OpenedProject opened) {
    if (opened.model != ModelState::Same) {
        const QString model = QString::fromStdString(opened.project.model.path.string());
        if (!isUnsavedProject(opened.path)) {
            if (!askForModel(opened))
                return endOpeningLast();
        } else if (opened.model == ModelState::Missing) {
            log(tr("%1, which was open last, is not there any more.").arg(model), views::models::LogLevel::Warning);
            return endOpeningLast();
        } else {
            log(tr("%1 has changed since it was open: the work on it goes on with the file of now.").arg(model),
                views::models::LogLevel::Warning);
            opened.project.model = opened.now;
        }
    }
    const QString model = QString::fromStdString(opened.project.model.path.string());
    restoring_ = std::move(opened);
    load(model);
}

bool MainWindow::askForModel(OpenedProject& opened) {
    QString model = QString::fromStdString(opened.project.model.path.string());
    const bool missing = opened.model == ModelState::Missing;
    QMessageBox box(QMessageBox::Question, tr("The model of the project"),
                    missing ? tr("%1 is not there any more.").arg(model)
                            : tr("%1 has changed since the project was saved.").arg(model),
                    QMessageBox::Cancel, this);
    QPushButton* as = missing ? nullptr : box.addButton(tr("Use it as it is &now"), QMessageBox::AcceptRole);
    QPushButton* other = box.addButton(tr("&Choose the model…"), QMessageBox::ActionRole);
    box.exec();
    if (box.clickedButton() == other)
        model = views::askForFile(this, tr("The model of the project"), QFileInfo(opened.path).absolutePath(),
                                  tr("Models (*.onnx);;All files (*)"));
    else if (!as || box.clickedButton() != as)
        return false;
    if (model.isEmpty())
        return false;
    // What it is now is what is kept from now on.
    if (model == QString::fromStdString(opened.now.path.string()))
        opened.project.model = opened.now;
    else
        opened.project.model = {.path = QFileInfo(model).absoluteFilePath().toStdString(), .bytes = 0, .hash = {}};
    return true;
}

void MainWindow::restoreProject() {
    const OpenedProject opened = *std::exchange(restoring_, std::nullopt);
    const auto kept = [&](const char* name) {
        const auto found = opened.project.kept.find(name);
        return found == opened.project.kept.end() ? std::string() : found->second;
    };
    std::vector<Diagnostic> warnings = opened.project.warnings;
    std::vector<Diagnostic> unread;
    work_.settings = RunSettings::fromJson(kept(project::settingsKey), &unread);
    unreadSettings_ = kept(unread.empty() ? project::unreadSettings : project::settingsKey);
    std::ranges::move(unread, std::back_inserter(warnings));
    showSettings();
    exports_->show(kept(exportsKey), kept(unreadExportsKey));
    whatIfs_->reset(opened.project.decisions);
    unreadDecisions_ = kept(project::unreadDecisions);
    for (const Diagnostic& warning : warnings)
        log(QString::fromStdString(toString(warning)), views::models::LogLevel::Warning);
    keeper_.hold(opened);
    if (keeper_.isReadOnly())
        log(tr("%1 may not be written: what changes is not kept until it is saved under another name.")
                .arg(opened.path),
            views::models::LogLevel::Warning);
    if (!opened.file) {
        log(tr("This is a copy of %1: Ctrl+S saves it under a name of its own.").arg(opened.path));
        keepUnsaved();
    } else if (!isUnsavedProject(opened.path)) {
        remember(opened.path);
    }
    showTitle();
    studies_->restore(kept(tuningKey));
    showPage(QString::fromStdString(kept(pageKey)));
    passesSeen_ = profileSeen_ = true; // the page is the one that was left
    selection_.set(nodesOf(kept(nodesKey), *work_.trace->graph));
    connect(
        this, &MainWindow::settled, this,
        [this] {
            endOpeningLast();
            if (!keeper_.path().isEmpty()) // a copy has none yet
                setLastProject(keeper_.path());
        },
        static_cast<Qt::ConnectionType>(Qt::AutoConnection | Qt::SingleShotConnection));
    if (kept(compiledKey) == "yes")
        compile();
}

void MainWindow::showTitle() {
    // Many models are called model.onnx, each in a folder of its own.
    const QFileInfo model(work_.path);
    const QString name = QStringLiteral("%1/%2").arg(model.dir().dirName(), model.fileName());
    setWindowTitle(views::models::oneLine(projectPath().isEmpty()
                                              ? tr("%1 – Lathe").arg(name)
                                              : tr("%1 (%2) – Lathe").arg(QFileInfo(projectPath()).fileName(), name)));
}

} // namespace lathe::app
