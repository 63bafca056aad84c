// SPDX-License-Identifier: GPL-3.0-or-later
//
// Work of a page that takes a moment and needs nothing of the Engine, on a thread of Qt's pool: its result comes to a
// QFutureWatcher, which says on the page's own thread that it is there.
#pragma once

#include <QFutureWatcher>
#include <QPromise>
#include <QThreadPool>
#include <functional>
#include <memory>

namespace lathe::views {

/// Does `work`, a `T(const std::function<bool()>& cancelled)` that must not throw, for this watcher, which hears no more of what
/// it watched before: that is cancelled. `cancelled` says whether the watcher was told `cancel`; there is no result then.
template <typename T, typename Work>
void onWorker(QFutureWatcher<T>& watcher, Work work) {
    watcher.cancel();
    auto promise = std::make_shared<QPromise<T>>();
    promise->start();
    watcher.setFuture(promise->future());
    QThreadPool::globalInstance()->start([promise, work = std::move(work)]() mutable {
        promise->addResult(work(std::function<bool()>([&] { return promise->isCanceled(); })));
        promise->finish();
    });
}

} // namespace lathe::views
