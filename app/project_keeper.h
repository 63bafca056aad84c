// SPDX-License-Identifier: GPL-3.0-or-later
//
// Keeps the file of a window's project: what changes is written within a moment, on a thread of its own, so that whoever is
// killed loses no more than that. Reading a project, and the hash of its model, happens there as well; while a model of many
// gigabytes is hashed, writing waits.
#pragma once

#include "app/lane.h"
#include "app/outbox.h"
#include "project/file.h"

#include <QObject>
#include <QTimer>
#include <functional>

namespace lathe::app {

/// How the model of a project is found.
enum class ModelState { Same, Changed, Missing };

struct OpenedProject {
    QString path;                        // as it was asked for
    std::shared_ptr<project::File> file; // null: it is a copy, without a file
    project::Project project;
    project::ModelReference now; // of its model, as it is now; empty: it is not there
    ModelState model = ModelState::Same;
};

class ProjectKeeper : public QObject {
    Q_OBJECT

public:
    using State = std::function<project::Project()>;

    /// state: what is to be kept, but for the model's size and hash; asked on the thread of this object.
    explicit ProjectKeeper(State state, QObject* parent = nullptr);
    /// Closes, and waits for two seconds at most.
    ~ProjectKeeper() override;

    /// A new file with the state of now takes the place of the one that is open; where that was work without a name, which has
    /// one now, its file goes. Answers `created` or `failed`.
    void create(const QString& path);
    /// Reads a project; what is open stays open. Answers `opened` or `failed`. copy: of what is open elsewhere.
    void open(const QString& path, bool copy = false);
    /// From now on this project is kept. A model without a hash gets one.
    void hold(const OpenedProject& project);
    /// What `create` and `open` are still to answer is not wanted any more.
    void forget();
    /// The state has changed.
    void touch();
    /// Writes what is still to be written, and lets go of the file, soon.
    void close();
    /// Waits until that is done, for so long at most.
    void finish(std::chrono::milliseconds patience);

    /// Of the open file; empty: there is none.
    QString path() const;
    bool isReadOnly() const { return file_ && file_->isReadOnly(); }
    /// Whether what was to be written last could not be.
    bool isFailing() const { return failing_; }

signals:
    void created(QString path);
    void opened(lathe::app::OpenedProject project);
    /// opening: it was to be opened, not written.
    void failed(QString path, lathe::Diagnostic problem, bool opening);

private:
    project::Project state() const;
    int kindOf(int what) const;
    void write();

    State state_;
    project::ModelReference model_; // of the project
    std::shared_ptr<project::File> file_;
    views::Mailbox mailbox_;
    Outbox<ProjectKeeper> outbox_;
    QTimer soon_;
    int held_ = 0;         // files that were held so far
    int wish_ = 0;         // the number of the last one: answers to others are not told
    bool failing_ = false; // the last write failed
    Lane lane_;
};

} // namespace lathe::app
