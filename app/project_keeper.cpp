// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/project_keeper.h"

#include "app/unsaved_work.h"
#include "base/guarded.h"

#include <future>

namespace lathe::app {

namespace {

enum ProjectWork { Create, OpenProject, Refer, Finish, OfFile };
/// What is done with a file that is held; that of another file takes nothing of its place in the queue.
enum FileKind { Write, Close, Remove, FileKinds };

/// After the first change; further ones go into the same write.
constexpr std::chrono::milliseconds delay{300};
/// After a write that failed: the disk may have room then.
constexpr std::chrono::seconds again{5};

ModelState stateOf(const project::ModelReference& model, project::ModelReference& now, const Cancelled& cancelled) {
    const auto read = project::referenceTo(model.path, cancelled);
    if (!read)
        return ModelState::Missing;
    now = *read;
    return now.bytes == model.bytes && now.hash == model.hash ? ModelState::Same : ModelState::Changed;
}

} // namespace

ProjectKeeper::ProjectKeeper(State state, QObject* parent)
    : QObject(parent), state_(std::move(state)), outbox_(*this, mailbox_) {
    soon_.setSingleShot(true);
    connect(&soon_, &QTimer::timeout, this, &ProjectKeeper::write);
}

ProjectKeeper::~ProjectKeeper() {
    close();
    finish(std::chrono::seconds(2));
}

int ProjectKeeper::kindOf(int what) const {
    return OfFile + FileKinds * held_ + what;
}

project::Project ProjectKeeper::state() const {
    project::Project project = state_();
    project.model = model_;
    return project;
}

QString ProjectKeeper::path() const {
    return file_ ? QString::fromStdString(file_->path().string()) : QString();
}

void ProjectKeeper::create(const QString& path) {
    const bool own = path == this->path(); // it is gone, or cannot be written any more
    if (own)
        close();
    lane_.enqueue(
        Create, [outbox = outbox_, path, own, wish = ++wish_, project = state_()](const Cancelled& cancelled) {
            OpenedProject made{.path = path, .file = nullptr, .project = project, .now = {}};
            const auto created = guarded([&]() -> Result<void> {
                LATHE_TRY(made.project.model, project::referenceTo(project.model.path, cancelled));
                if (cancelled())
                    return failure(ErrorKind::Cancelled, "cancelled");
                LATHE_TRY(project::File file, project::File::create(path.toStdString(), made.project));
                made.file = std::make_shared<project::File>(std::move(file));
                return {};
            });
            if (!created && own)
                if (auto file = guarded([&] { return project::File::open(path.toStdString()); }))
                    made.file = std::make_shared<project::File>(*std::move(file));
            outbox.post([path, made, created, wish](ProjectKeeper& keeper) {
                if (wish != keeper.wish_)
                    return; // the window has gone on to something else
                if (!created) {
                    if (made.file) {
                        keeper.hold(made);
                        keeper.failing_ = true;
                        keeper.soon_.start(again);
                    }
                    emit keeper.failed(path, created.error(), false);
                    return;
                }
                const QString before = keeper.path();
                keeper.hold(made);
                keeper.touch();                                          // of what changed meanwhile
                if (isUnsavedProject(before) && !isUnsavedProject(path)) // behind what `hold` still writes there
                    keeper.lane_.enqueue(keeper.kindOf(Remove), [before](const Cancelled&) { removeProject(before); });
                emit keeper.created(path);
            });
        });
}

void ProjectKeeper::open(const QString& path, bool copy) {
    lane_.enqueue(OpenProject, [outbox = outbox_, path, copy, wish = ++wish_](const Cancelled& cancelled) {
        const auto opened = guarded([&]() -> Result<OpenedProject> {
            OpenedProject result{.path = path, .file = nullptr, .project = {}, .now = {}};
            if (copy) {
                LATHE_TRY(result.project, project::File::peek(path.toStdString()));
            } else {
                LATHE_TRY(project::File file, project::File::open(path.toStdString()));
                LATHE_TRY(result.project, file.read());
                result.file = std::make_shared<project::File>(std::move(file));
            }
            result.model = stateOf(result.project.model, result.now, cancelled);
            return result;
        });
        outbox.post([path, opened, wish](ProjectKeeper& keeper) {
            if (wish != keeper.wish_)
                return;
            if (opened)
                emit keeper.opened(*opened);
            else
                emit keeper.failed(path, opened.error(), true);
        });
    });
}

void ProjectKeeper::hold(const OpenedProject& project) {
    close();
    ++held_;
    file_ = project.file;
    model_ = project.project.model;
    if (!file_ || !model_.hash.empty())
        return;
    lane_.enqueue(Refer, [outbox = outbox_, wish = wish_, path = model_.path](const Cancelled& cancelled) {
        if (const auto model = project::referenceTo(path, cancelled))
            outbox.post([wish, model = *model](ProjectKeeper& keeper) {
                if (wish != keeper.wish_)
                    return;
                keeper.model_ = model;
                keeper.touch();
            });
    });
}

void ProjectKeeper::forget() {
    ++wish_;
}

void ProjectKeeper::touch() {
    if (file_ && !file_->isReadOnly() && !soon_.isActive())
        soon_.start(delay);
}

void ProjectKeeper::write() {
    soon_.stop();
    lane_.enqueue(kindOf(Write), [outbox = outbox_, file = file_, project = state()](const Cancelled&) {
        const auto written = guarded([&] { return file->write(project); });
        outbox.post([held = std::weak_ptr(file), written](ProjectKeeper& keeper) { // no letter keeps a closed file open
            if (keeper.file_ != held.lock())
                return;
            const bool failedBefore = std::exchange(keeper.failing_, !written);
            if (written)
                return;
            keeper.soon_.start(again);
            if (!failedBefore) // it is said once
                emit keeper.failed(keeper.path(), written.error(), false);
        });
    });
}

void ProjectKeeper::close() {
    if (!file_)
        return;
    ++wish_;
    failing_ = false;
    if (soon_.isActive())
        write();
    lane_.enqueue(kindOf(Close), [file = std::exchange(file_, nullptr)](const Cancelled&) mutable { file.reset(); });
}

void ProjectKeeper::finish(std::chrono::milliseconds patience) {
    auto ended = std::make_shared<std::promise<void>>();
    std::future<void> done = ended->get_future();
    lane_.enqueue(Finish, [ended](const Cancelled&) { ended->set_value(); });
    done.wait_for(patience);
}

} // namespace lathe::app
