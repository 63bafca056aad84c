// SPDX-License-Identifier: GPL-3.0-or-later
//
// The compiler as the window sees it: wishes go in, values come back as signals. Work runs on one thread behind one queue; a
// newer wish of the same kind takes the place of a queued one. The window never waits.
#pragma once

#include "base/memory_file.h"
#include "driver/compile.h"
#include "driver/profile.h"
#include "views/models/comparison.h"

#include <QObject>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

namespace lathe::app {

using TracePtr = std::shared_ptr<const driver::Trace>;

class Engine : public QObject {
    Q_OBJECT

public:
    explicit Engine(QObject* parent = nullptr);
    ~Engine() override;

    /// Import alone; answers `opened`, with the graph also where import refuses.
    void open(const QString& path);
    /// Answers `compiled`, good or not: the Trace is complete up to the failing pass.
    void compile(const QString& path, driver::Options options = {});
    /// Runs the last artifact, on random inputs, in a child process; answers `ran`.
    void run(TracePtr trace, int threads);
    /// Answers `compared`.
    void compare(TracePtr trace, int pass, const QString& function);
    /// Ends what runs now, as soon as it notices, and what is queued.
    void cancel();

signals:
    void opened(QString path, lathe::app::TracePtr trace);
    void compiled(QString path, lathe::app::TracePtr trace, bool good, double seconds);
    /// Instead of `opened`, `compiled` or `ran`, where the wish was cancelled.
    void cancelled();
    void ran(lathe::driver::Profile profile, std::vector<lathe::Diagnostic> problems);
    void compared(int pass, QString function, lathe::views::models::Comparison comparison);
    void progress(QString what, double fraction); // 0 … 1
    void idle();

private:
    enum class Kind { Open, Compile, Run, Compare };
    struct Job {
        Kind kind;
        std::function<void()> work;
    };
    void enqueue(Kind kind, std::function<void()> work);
    void loop();
    driver::Progress progressOf(const QString& what);

    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<Job> queue_;
    bool ending_ = false;
    std::atomic<bool> cancelled_ = false;
    std::optional<MemoryFile> artifact_; // of the last good compilation
    std::thread thread_;
};

} // namespace lathe::app
