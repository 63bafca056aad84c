// SPDX-License-Identifier: GPL-3.0-or-later
//
// The part of MainWindow that a project is about: what is kept of the window, and how it comes back.
#include "app/main_window.h"
#include "views/models/text/one_line.h"
#include "views/page/page.h"

#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QLabel>
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
    connect(&project_, &ProjectDesk::openWanted, this, &MainWindow::open);
    connect(&project_, &ProjectDesk::modelWanted, this, &MainWindow::load);
    connect(&project_, &ProjectDesk::named, this, &MainWindow::remember);
    connect(&project_, &ProjectDesk::pathChanged, this, &MainWindow::showTitle);
    connect(&project_, &ProjectDesk::said, this, &MainWindow::log);
    connect(&project_, &ProjectDesk::failed, this, [this](const Diagnostic& problem) {
        status_->setText(QString::fromStdString(toString(problem)));
        std::vector<Diagnostic> all = work_.trace ? work_.trace->diagnostics : std::vector<Diagnostic>();
        all.push_back(problem);
        showProblems(std::move(all));
    });
    connect(&project_, &ProjectDesk::refused, this, [this](const Diagnostic& problem) { showProblems({problem}); });
    connect(&selection_, &views::models::Selection::changed, &project_, &ProjectDesk::touch);
    connect(pages_, &QTabWidget::currentChanged, &project_, &ProjectDesk::touch);
    connect(whatIfs_, &WhatIfs::changed, &project_, &ProjectDesk::touch);
    connect(exports_, &ExportDesk::listChanged, &project_, &ProjectDesk::touch);
    connect(studies_, &TuningDesk::changed, &project_, &ProjectDesk::touch);
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
    return project;
}

void MainWindow::restoreProject() {
    const OpenedProject opened = project_.takeRestored();
    const auto kept = [&](const char* name) { return keptIn(opened.project, name); };
    std::vector<Diagnostic> warnings = opened.project.warnings;
    std::vector<Diagnostic> unread;
    work_.settings = RunSettings::fromJson(kept(project::settingsKey), &unread);
    const bool unreadSettings = !unread.empty();
    std::ranges::move(unread, std::back_inserter(warnings));
    showSettings();
    exports_->show(kept(exportsKey), kept(unreadExportsKey));
    whatIfs_->reset(opened.project.decisions);
    for (const Diagnostic& warning : warnings)
        log(QString::fromStdString(toString(warning)), views::models::LogLevel::Warning);
    project_.hold(opened, unreadSettings);
    studies_->restore(kept(tuningKey));
    showPage(QString::fromStdString(kept(pageKey)));
    passesSeen_ = profileSeen_ = true; // the page is the one that was left
    selection_.set(nodesOf(kept(nodesKey), *work_.trace->graph));
    connect(this, &MainWindow::settled, &project_, &ProjectDesk::becomeLast,
            static_cast<Qt::ConnectionType>(Qt::AutoConnection | Qt::SingleShotConnection));
    showOverview(); // with what is decided
    if (kept(compiledKey) == "yes")
        compile();
}

void MainWindow::showTitle() {
    if (work_.path.isEmpty())
        return setWindowTitle(tr("Lathe"));
    // Many models are called model.onnx, each in a folder of its own.
    const QFileInfo model(work_.path);
    const QString name = QStringLiteral("%1/%2").arg(model.dir().dirName(), model.fileName());
    setWindowTitle(views::models::oneLine(projectPath().isEmpty()
                                              ? tr("%1 – Lathe").arg(name)
                                              : tr("%1 (%2) – Lathe").arg(QFileInfo(projectPath()).fileName(), name)));
}

} // namespace lathe::app
