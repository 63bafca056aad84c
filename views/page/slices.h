// SPDX-License-Identifier: GPL-3.0-or-later
//
// Work of a page on the window's own thread that would take longer than a picture may: a little of it at a time, whenever the
// event loop has nothing else to do. For what draws, or looks at values that only this thread may touch; other work goes to a
// Worker.
#pragma once

#include <QElapsedTimer>
#include <QTimer>
#include <functional>
#include <utility>

namespace lathe::views {

/// A member of the page. What is still to be done is known to the page: a change of it needs no word here.
class Slices {
public:
    /// Does a little; false: nothing was left to do.
    using Step = std::function<bool()>;

    explicit Slices(Step step) : step_(std::move(step)) {
        QObject::connect(&timer_, &QTimer::timeout, &timer_, [this] { work(); });
    }

    /// There is something to do.
    void start() { timer_.start(0); }
    bool isRunning() const { return timer_.isActive(); }

private:
    void work() {
        constexpr qint64 slice = 4; // ms: of the 16 of a picture, as much again is painting and as much the user's
        QElapsedTimer clock;
        clock.start();
        while (step_())
            if (clock.elapsed() >= slice)
                return;
        timer_.stop();
    }

    Step step_;
    QTimer timer_;
};

} // namespace lathe::views
