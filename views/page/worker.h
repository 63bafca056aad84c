// SPDX-License-Identifier: GPL-3.0-or-later
//
// Work of a page that takes a moment and needs nothing of the Engine: it is done on a thread of Qt's pool, and its result
// comes on the page's own thread.
#pragma once

#include "views/page/mailbox.h"

#include <QRunnable>
#include <QThreadPool>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace lathe::views {

/// A member of the page. Once it is gone, what is under way is told to end and nothing more is heard of it.
template <typename T>
class Worker {
public:
    /// Asked by the work: is its result no longer wanted?
    using Cancelled = std::function<bool()>;
    using Work = std::function<T(const Cancelled&)>; // must not throw
    /// With nothing, if the work was cancelled.
    using Done = std::function<void(std::optional<T>)>;

    ~Worker() { cancel(); }

    /// What is still under way is told to end, and its `done` is not called.
    void start(Work work, Done done);
    /// What is under way is told to end; its `done` is called once it has.
    void cancel() {
        if (running_)
            *running_ = true;
    }
    bool isRunning() const { return running_ != nullptr; }
    bool isCancelled() const { return running_ && *running_; }

private:
    using Flag = std::shared_ptr<std::atomic<bool>>;

    class Job final : public QRunnable {
    public:
        explicit Job(std::function<void()> work) : work_(std::move(work)) { handed_ = true; }
        void run() override {
            if (handed_)
                work_();
        }

    private:
        std::function<void()> work_;
        std::atomic<bool> handed_{false}; // ThreadSanitizer sees this; not what Qt's pool does
    };

    Mailbox mailbox_;
    Flag running_; // whether what is under way is cancelled; null: nothing is
};

template <typename T>
void Worker<T>::start(Work work, Done done) {
    cancel();
    running_ = std::make_shared<std::atomic<bool>>(false);
    QThreadPool::globalInstance()->start(new Job([this, address = mailbox_.address(), cancelled = running_,
                                                  work = std::move(work), done = std::move(done)]() mutable {
        auto result = std::make_shared<T>(work([cancelled] { return cancelled->load(); }));
        // Read only as long as there is the mailbox, and with it this worker.
        address.post([this, cancelled, result = std::move(result), done = std::move(done)] {
            if (running_ != cancelled)
                return; // something else was started
            running_.reset();
            done(*cancelled ? std::nullopt : std::optional<T>(std::move(*result)));
        });
    }));
}

} // namespace lathe::views
