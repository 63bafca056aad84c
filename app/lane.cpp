// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lane.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>

namespace lathe::app {

struct Lane::State {
    struct Job {
        int kind = 0;
        Work work;
        std::shared_ptr<std::atomic<bool>> cancelled = std::make_shared<std::atomic<bool>>(false);
    };
    std::function<void()> idle;
    std::mutex mutex;
    std::condition_variable wake, ended;
    std::deque<Job> queue;
    std::shared_ptr<std::atomic<bool>> running; // the flag of the work that runs
    int runningKind = 0;                        // of that
    bool owesIdle = false;                      // something was enqueued since `idle` was called last
    bool ending = false, hasEnded = false;

    void loop() {
        std::unique_lock lock(mutex);
        for (;;) {
            wake.wait(lock, [&] { return ending || owesIdle; });
            if (ending)
                break;
            if (queue.empty()) {
                owesIdle = false;
                lock.unlock();
                if (idle)
                    idle();
                lock.lock();
                continue;
            }
            Job job = std::move(queue.front());
            queue.pop_front();
            running = job.cancelled;
            runningKind = job.kind;
            lock.unlock();
            job.work([flag = job.cancelled] { return flag->load(); });
            job.work = {}; // what it held goes without the lock
            lock.lock();
            running.reset();
        }
        hasEnded = true;
        ended.notify_all();
    }

    /// With the lock held. Gives what was queued, to be destroyed without it.
    [[nodiscard]] std::deque<Job> cancel() {
        if (running)
            *running = true;
        return std::exchange(queue, {});
    }
};

Lane::Lane(std::function<void()> idle) : state_(std::make_shared<State>()) {
    state_->idle = std::move(idle);
    thread_ = std::thread([state = state_] { state->loop(); });
}

Lane::~Lane() {
    finish(usualPatience);
}

void Lane::enqueue(int kind, Work work) {
    put(kind, std::move(work), false);
}

void Lane::replace(int kind, Work work) {
    put(kind, std::move(work), true);
}

void Lane::put(int kind, Work work, bool endsRunning) {
    std::deque<State::Job> replaced; // goes without the lock
    {
        const std::lock_guard lock(state_->mutex);
        if (endsRunning && state_->running && state_->runningKind == kind)
            *state_->running = true;
        for (State::Job& job : std::exchange(state_->queue, {}))
            (job.kind == kind ? replaced : state_->queue).push_back(std::move(job));
        state_->queue.push_back({kind, std::move(work)});
        state_->owesIdle = true;
    }
    state_->wake.notify_one();
}

void Lane::cancel() {
    std::deque<State::Job> dropped;
    const std::lock_guard lock(state_->mutex);
    dropped = state_->cancel();
}

bool Lane::isBusy() const {
    const std::lock_guard lock(state_->mutex);
    return state_->owesIdle;
}

bool Lane::finish(std::chrono::milliseconds patience) {
    bool ended = false;
    std::deque<State::Job> dropped;
    {
        std::unique_lock lock(state_->mutex);
        if (!thread_.joinable()) // joined or left to itself by an earlier call
            return state_->hasEnded;
        state_->ending = true;
        dropped = state_->cancel();
        state_->wake.notify_one();
        ended = state_->ended.wait_for(lock, patience, [&] { return state_->hasEnded; });
    }
    if (ended)
        thread_.join();
    else
        thread_.detach();
    return ended;
}

} // namespace lathe::app
