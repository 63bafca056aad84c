// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/project_desk.h"

#include "app/model_dialog.h"
#include "app/preferences.h"
#include "app/unsaved_work.h"
#include "views/page/file_dialog.h"

#include <QFileInfo>
#include <QMessageBox>
#include <QPushButton>
#include <utility>

namespace lathe::app {

using views::models::LogLevel;

std::string keptIn(const project::Project& project, const char* name) {
    const auto found = project.kept.find(name);
    return found == project.kept.end() ? std::string() : found->second;
}

ProjectDesk::ProjectDesk(const OpenWork& work, ProjectKeeper::State state, QWidget* window)
    : work_(work), state_(std::move(state)), window_(window) {
    connectKeeper();
}

void ProjectDesk::connectKeeper() {
    connect(&keeper_, &ProjectKeeper::created, this, &ProjectDesk::showCreated);
    connect(&keeper_, &ProjectKeeper::opened, this, &ProjectDesk::show);
    connect(&keeper_, &ProjectKeeper::failed, this, &ProjectDesk::showFailure);
}

project::Project ProjectDesk::state() const {
    project::Project project = state_();
    if (!unreadDecisions_.empty())
        project.kept[project::unreadDecisions] = unreadDecisions_;
    if (!unreadSettings_.empty())
        project.kept[project::unreadSettings] = unreadSettings_;
    return project;
}

void ProjectDesk::showCreated(const QString& path) {
    setLastProject(path);
    if (isUnsavedProject(path))
        return;
    emit said(tr("The work is kept in %1 from now on.").arg(path));
    emit named(path);
    emit pathChanged();
}

void ProjectDesk::showFailure(const QString& path, const Diagnostic& problem, bool opening) {
    if (opening)
        endOpeningLast();
    if (isUnsavedProject(path)) // nobody asked for it, or knows where it is
        return emit said(tr("What you do is not kept: %1 (%2). Save it as a project elsewhere (Ctrl+S), or see to it "
                            "that there is room.")
                             .arg(QString::fromStdString(problem.what), path),
                         LogLevel::Error);
    emit failed(problem);
    if (opening && path != keeper_.path() && project::File::isOpen(path.toStdString()))
        askForCopy(path);
}

void ProjectDesk::askForCopy(const QString& path) {
    QMessageBox box(QMessageBox::Question, tr("Open a copy?"),
                    tr("%1 is open in another window.").arg(QFileInfo(path).fileName()), QMessageBox::Cancel, window_);
    QPushButton* copy = box.addButton(tr("Open a &copy"), QMessageBox::AcceptRole);
    box.exec();
    if (box.clickedButton() == copy)
        keeper_.open(path, true);
}

QString ProjectDesk::path() const {
    const QString path = keeper_.path();
    return isUnsavedProject(path) ? QString() : path;
}

void ProjectDesk::save() {
    if (path().isEmpty() || keeper_.isReadOnly() || keeper_.isFailing())
        return saveAs();
    emit said(tr("%1 is kept as you go: there is nothing to save.").arg(QFileInfo(keeper_.path()).fileName()));
}

void ProjectDesk::saveAs() {
    const QString path = views::askForNewFile(window_, tr("Save the work as a project"),
                                              this->path().isEmpty() ? work_.besideModel(".lathe") : this->path(),
                                              tr("Projects (*.lathe)"), QStringLiteral("lathe"));
    if (path.isEmpty())
        return;
    if (path == keeper_.path() && !keeper_.isReadOnly() && !keeper_.isFailing())
        return emit said(tr("%1 is kept as you go: there is nothing to save.").arg(QFileInfo(path).fileName()));
    if (const auto other = driver::keepsModel(path.toStdString(), work_.path.toStdString(), *work_.trace); !other)
        return emit refused(other.error());
    create(path);
}

void ProjectDesk::keepUnsaved() {
    if (const QString path = newUnsavedProject(work_.path); !path.isEmpty())
        keeper_.create(path);
    else
        emit said(tr("What you do is not kept: its folder cannot be made. Save it as a project (Ctrl+S)."),
                  LogLevel::Error);
}

void ProjectDesk::openLast() {
    const QString path = Preferences::kept().beginsWithLast ? lastProject() : QString();
    if (path.isEmpty())
        return;
    if (!beginWithLast()) {
        emit named(path);
        return emit said(tr("The program ended while it opened what was open last. File › Open recent has it."));
    }
    emit openWanted(path);
    openingLast_ = true;
}

void ProjectDesk::endOpeningLast() {
    if (std::exchange(openingLast_, false))
        endWithLast();
}

void ProjectDesk::forget() {
    dropModel();
    keeper_.forget();
    endOpeningLast();
}

void ProjectDesk::giveUp() {
    dropModel();
    endOpeningLast();
}

void ProjectDesk::close() {
    keeper_.close();
    unreadDecisions_.clear();
    unreadSettings_.clear();
}

void ProjectDesk::show(OpenedProject opened) {
    if (opened.model != ModelState::Same) {
        const QString model = QString::fromStdString(opened.project.model.path.string());
        if (!isUnsavedProject(opened.path)) {
            if (!askForModel(opened))
                return endOpeningLast();
        } else if (opened.model == ModelState::Missing) {
            emit said(tr("%1, which was open last, is not there any more.").arg(model), LogLevel::Warning);
            return endOpeningLast();
        } else {
            emit said(tr("%1 has changed since it was open: the work on it goes on with the file of now.").arg(model),
                      LogLevel::Warning);
            opened.project.model = opened.now;
        }
    }
    const QString model = QString::fromStdString(opened.project.model.path.string());
    restoring_ = std::move(opened);
    emit modelWanted(model);
}

bool ProjectDesk::askForModel(OpenedProject& opened) {
    QString model = QString::fromStdString(opened.project.model.path.string());
    const bool missing = opened.model == ModelState::Missing;
    QMessageBox box(QMessageBox::Question, tr("The model of the project"),
                    missing ? tr("%1 is not there any more.").arg(model)
                            : tr("%1 has changed since the project was saved.").arg(model),
                    QMessageBox::Cancel, window_);
    QPushButton* as = missing ? nullptr : box.addButton(tr("Use it as it is &now"), QMessageBox::AcceptRole);
    QPushButton* other = box.addButton(tr("&Choose the model…"), QMessageBox::ActionRole);
    QPushButton* folder = box.addButton(tr("Choose a &folder…"), QMessageBox::ActionRole);
    box.exec();
    if (box.clickedButton() == other)
        model = chooseModel(window_, tr("The model of the project"), folderOf(opened.path));
    else if (box.clickedButton() == folder)
        model = chooseModelFolder(window_, folderOf(opened.path));
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

OpenedProject ProjectDesk::takeRestored() {
    return *std::exchange(restoring_, std::nullopt);
}

void ProjectDesk::hold(const OpenedProject& project, bool unreadSettings) {
    unreadSettings_ = keptIn(project.project, unreadSettings ? project::settingsKey : project::unreadSettings);
    unreadDecisions_ = keptIn(project.project, project::unreadDecisions);
    keeper_.hold(project);
    if (keeper_.isReadOnly())
        emit said(tr("%1 may not be written: what changes is not kept until it is saved under another name.")
                      .arg(project.path),
                  LogLevel::Warning);
    if (!project.file) {
        emit said(tr("This is a copy of %1: Ctrl+S saves it under a name of its own.").arg(project.path));
        keepUnsaved();
    } else if (!isUnsavedProject(project.path)) {
        emit named(project.path);
    }
    emit pathChanged();
}

void ProjectDesk::becomeLast() {
    endOpeningLast();
    if (!keeper_.path().isEmpty()) // a copy has none yet
        setLastProject(keeper_.path());
}

void ProjectDesk::leave() {
    close();
    setLastProject({});
}

} // namespace lathe::app
