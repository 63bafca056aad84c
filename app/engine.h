// SPDX-License-Identifier: GPL-3.0-or-later
//
// The compiler as the window sees it: wishes go in, values come back as signals. Opening, compiling and running take turns
// on one thread, since each needs what the one before made; looking at texts has a thread of its own and never waits for
// a compilation. The window never waits; when it closes, half a second at most.
#pragma once

#include "app/lane.h"
#include "driver/compile.h"
#include "driver/profile.h"
#include "views/models/comparison.h"

#include <QObject>

namespace lathe::app {

using TracePtr = std::shared_ptr<const driver::Trace>;

class Engine : public QObject {
    Q_OBJECT

public:
    explicit Engine(QObject* parent = nullptr);
    ~Engine() override;

    /// Import alone; answers `opened`, with the graph also where import refuses. From then on this is the open model.
    void open(const QString& path);
    /// Compiles the model that was opened last, which is imported again only if its file or the sizes asked for have
    /// changed. Answers `compiled`, good or not: the Trace is complete up to the failing pass.
    void compile(driver::Options options = {}, driver::Decisions decisions = {});
    /// Runs what was compiled last, on random inputs, in a child process; answers `ran`.
    void run(TracePtr trace, int threads);
    /// Answers `compared`.
    void compare(TracePtr trace, int pass, const QString& function);
    /// Ends what runs now, as soon as it notices, and what is queued. Looking at texts goes on.
    void cancel();
    /// Whether `idle` is still to come.
    bool isBusy() const;
    /// Ends all work, and waits for it, at most so long. False: some is still busy; it will be heard of no more.
    bool finish(std::chrono::milliseconds patience);

signals:
    void opened(QString path, lathe::app::TracePtr trace);
    void compiled(QString path, lathe::app::TracePtr trace, bool good, double seconds);
    /// Instead of `opened`, `compiled` or `ran`, where the wish was cancelled.
    void cancelled();
    void ran(lathe::driver::Profile profile, std::vector<lathe::Diagnostic> problems);
    void compared(int pass, QString function, lathe::views::models::Comparison comparison);
    void progress(QString what, double fraction); // 0 … 1
    /// Nothing is opened, compiled or run any more.
    void idle();

private:
    struct Outbox;
    struct Model;
    std::shared_ptr<Outbox> outbox_;
    std::shared_ptr<Model> model_; // the one opened last
    Lane work_, looks_;
};

} // namespace lathe::app
