// SPDX-License-Identifier: GPL-3.0-or-later
//
// One thread that does one piece of work after the other. A newer wish of the same kind takes the place of a queued one;
// what runs can be told that its result is no longer wanted. Whoever ends a lane waits only so long for work that does not
// listen: what the thread needs it owns, so it may go on without its lane.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <thread>

namespace lathe::app {

/// Asked by a piece of work, on the lane's thread: is its result no longer wanted?
using Cancelled = std::function<bool()>;

class Lane {
public:
    using Work = std::function<void(const Cancelled&)>;
    static constexpr auto usualPatience = std::chrono::milliseconds(500);

    /// `idle` is called on the lane's thread once nothing is done or queued any more, however that came: it follows
    /// everything that was enqueued.
    explicit Lane(std::function<void()> idle = {});
    /// Gives what runs the usual patience to end.
    ~Lane();
    Lane(const Lane&) = delete;
    Lane& operator=(const Lane&) = delete;

    void enqueue(int kind, Work work);
    /// Likewise; what runs is told to end, too, if it is of the same kind.
    void replace(int kind, Work work);
    /// Tells what runs to end, and forgets what is queued.
    void cancel();
    /// Whether `idle` is still to be called for something that was enqueued.
    bool isBusy() const;
    /// Cancels, takes no more work, and waits for the thread, at most so long. False: it is still busy, and is left to itself.
    bool finish(std::chrono::milliseconds patience);

private:
    void put(int kind, Work work, bool endsRunning);

    struct State;
    std::shared_ptr<State> state_;
    std::thread thread_;
};

} // namespace lathe::app
