// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lane.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>

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
    bool ending = false, hasEnded = false;

    void loop() {
        for (std::unique_lock lock(mutex);;) {
            wake.wait(lock, [&] { return ending || !queue.empty(); });
            if (ending)
                break;
            const Job job = std::move(queue.front());
            queue.pop_front();
            running = job.cancelled;
            lock.unlock();
            job.work([flag = job.cancelled] { return flag->load(); });
            lock.lock();
            running.reset();
            const bool tell = queue.empty() && !ending && idle;
            lock.unlock();
            if (tell)
                idle();
            lock.lock();
        }
        const std::lock_guard lock(mutex);
        hasEnded = true;
        ended.notify_all();
    }

    void cancel() { // with the lock held
        queue.clear();
        if (running)
            *running = true;
    }
};

Lane::Lane(std::function<void()> idle) : state_(std::make_shared<State>()) {
    state_->idle = std::move(idle);
    thread_ = std::thread([state = state_] { state->loop(); });
}

Lane::~Lane() {
    finish(std::chrono::milliseconds(500));
}

void Lane::enqueue(int kind, Work work) {
    {
        const std::lock_guard lock(state_->mutex);
        std::erase_if(state_->queue, [&](const State::Job& job) { return job.kind == kind; });
        state_->queue.push_back({kind, std::move(work)});
    }
    state_->wake.notify_one();
}

void Lane::cancel() {
    const std::lock_guard lock(state_->mutex);
    state_->cancel();
}

bool Lane::finish(std::chrono::milliseconds patience) {
    bool ended = false;
    {
        std::unique_lock lock(state_->mutex);
        if (!thread_.joinable()) // joined or left to itself by an earlier call
            return state_->hasEnded;
        state_->ending = true;
        state_->cancel();
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
