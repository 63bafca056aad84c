// SPDX-License-Identifier: GPL-3.0-or-later
//
// The project that the work is kept in: opens and names it, keeps work without a name, asks where a project's model is not what
// it was, and begins with what was open last. What is kept of the window, and how it comes back, is the window's.
#pragma once

#include "app/open_work.h"
#include "app/project_keeper.h"
#include "views/models/window/log_model.h"

namespace lathe::app {

class ProjectDesk : public QObject {
    Q_OBJECT

public:
    /// state: what is to be kept of the window, also when the desk ends. Dialogs stand before the window.
    ProjectDesk(const OpenWork& work, ProjectKeeper::State state, QWidget* window);

    const ProjectKeeper& keeper() const { return keeper_; }
    /// Of the project that the user saved or opened; empty: the work has no name yet.
    QString path() const;
    /// The work is kept in this file from now on.
    void create(const QString& path) { keeper_.create(path); }
    /// Reads a project: wishes for its model, or fails.
    void open(const QString& path) { keeper_.open(path); }
    /// Wishes for what was open last, unless the user does not want that, or the program ended while it did so.
    void openLast();
    /// Asks for a name, if the work has none or is not kept.
    void save();
    void saveAs();
    /// From now on in the program's own folder.
    void keepUnsaved();
    /// What is to be kept has changed.
    void touch() { keeper_.touch(); }
    /// Another model is open.
    void close();
    /// Something else is to be opened: what was asked for is not wanted any more.
    void forget();
    /// The model that was wished for is not wanted any more.
    void dropModel() { restoring_.reset(); }
    /// It cannot be opened.
    void giveUp();
    /// Whether the model that was wished for is that of a project.
    bool isRestoring() const { return restoring_.has_value(); }
    /// That project; null: it is none.
    const project::Project* restoring() const { return restoring_ ? &restoring_->project : nullptr; }
    /// The same, once.
    OpenedProject takeRestored();
    /// It is the one that is kept. unreadSettings: those in it cannot be read as they are.
    void hold(const OpenedProject& project, bool unreadSettings);
    /// The window stands: the next start begins with what is open now.
    void becomeLast();
    /// No model is open: the next start begins with none.
    void leave();

signals:
    void openWanted(QString path);
    void modelWanted(QString path);
    /// A project with this path came to be or was opened.
    void named(QString path);
    /// The work has a name, another one, or none.
    void pathChanged();
    void said(QString text, lathe::views::models::LogLevel level = lathe::views::models::LogLevel::Note);
    void failed(lathe::Diagnostic problem);
    /// The project that was to be saved is that of another model.
    void refused(lathe::Diagnostic problem);

private:
    void connectKeeper();
    void showCreated(const QString& path);
    void showFailure(const QString& path, const Diagnostic& problem, bool opening);
    void askForCopy(const QString& path);
    /// What it is about is open, if it can be: else what the user says.
    void show(OpenedProject opened);
    /// The model of a project that was saved with another, or with one that is not there: what the user says.
    bool askForModel(OpenedProject& opened);
    void endOpeningLast();
    project::Project state() const;

    const OpenWork& work_;
    ProjectKeeper::State state_;
    QWidget* window_;
    std::optional<OpenedProject> restoring_;           // whose model is being opened
    std::string unreadDecisions_, unreadSettings_;     // of the project, as its file has them
    bool openingLast_ = false;                         // what was open last, which asks nothing
    ProjectKeeper keeper_{[this] { return state(); }}; // the last: it writes what the others say when it ends
};

/// What a project keeps under a name; empty: nothing.
std::string keptIn(const project::Project& project, const char* name);

} // namespace lathe::app
