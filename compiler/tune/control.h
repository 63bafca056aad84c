// SPDX-License-Identifier: Apache-2.0
//
// What is wished of a study while it runs, from any thread: that it pauses, goes on or ends, has more time or less, and what
// becomes of a task. The study reads it between batches. Other work that wants the machine to itself holds it: then no batch
// begins, and what is measured stays honest.
#pragma once

#include "tune/task.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace lathe::tune {

/// How long tuning may go on (tune/budget.h): time in which it waits does not count.
struct Limits {
    double seconds = 300;
    int64_t trials = 0; // 0: as many as fit into the time
    bool operator==(const Limits&) const = default;
};

/// A wish about one task; what is not there stays as it is.
struct Instruction {
    std::string workload;
    std::optional<double> priority; // > 0; 1 is usual
    std::optional<Wish> wish;       // Go: also one that settled has batches again
};

class Control {
public:
    enum class State : uint8_t { Runs, Paused, Stopped, Aborted };
    using Cancelled = std::function<bool()>;

    /// Another study: what was wished of the one before is forgotten. Who holds it goes on holding.
    void begin();

    // Of the user. What has stopped stays so.
    void pause() { set(State::Paused); }
    void resume() { set(State::Runs); }
    /// The batch under way ends; what was found is still held against the model.
    void stop() { set(State::Stopped); }
    /// All of it ends.
    void abort() { set(State::Aborted); }
    void setLimits(Limits limits);
    void instruct(Instruction instruction);

    State state() const;
    /// Whether a batch, or other work of the study, is under way.
    bool isWorking() const;
    bool isEnding() const { return state() >= State::Stopped; }
    bool isAborted() const { return state() == State::Aborted; }

    /// Of other work: while it lives no batch begins. It begins once none is under way, or when `cancelled`, which may be
    /// empty.
    class Hold {
    public:
        explicit Hold(Control& control, const Cancelled& cancelled = {});
        ~Hold();
        Hold(const Hold&) = delete;
        Hold& operator=(const Hold&) = delete;

    private:
        Control& control_;
    };

    /// Of the study's thread: while it lives, the study needs the machine, but for when it waits. Begins once nobody holds it.
    /// Null: nobody could.
    class Work {
    public:
        explicit Work(Control* control, const Cancelled& cancelled = {});
        ~Work();
        Work(const Work&) = delete;
        Work& operator=(const Work&) = delete;

    private:
        Control* control_;
    };

    /// Between batches: waits as long as the study is paused or held, or `idle`; not once something is wished, or `cancelled`.
    void wait(const Cancelled& cancelled, bool idle);
    /// The same between other steps: as long as it is paused or held, whatever is wished.
    void waitToGoOn(const Cancelled& cancelled);
    /// Whether it is paused or held.
    bool mustWait() const;
    /// What was wished since the last time, in order.
    std::vector<Instruction> instructions();
    /// What was set last, if anything was.
    std::optional<Limits> limits() const;
    /// Seconds that studies have waited: paused, held, or with nothing to do.
    double waited() const;

private:
    void set(State state);
    /// With the lock held.
    bool isHeldBack() const { return holds_ > 0 || state_ == State::Paused; }
    template <class Condition>
    void waitWhile(std::unique_lock<std::mutex>& lock, const Cancelled& cancelled, Condition condition);
    /// The same, of the study's thread.
    template <class Condition>
    void pauseWhile(std::unique_lock<std::mutex>& lock, const Cancelled& cancelled, Condition condition);

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    State state_ = State::Runs;
    int holds_ = 0;
    bool works_ = false; // a batch, or other work of the study, is under way
    std::optional<Limits> limits_;
    std::chrono::duration<double> waited_{0}; // but for the time since
    std::optional<std::chrono::steady_clock::time_point> waitsSince_;
    std::vector<Instruction> instructions_;
    uint64_t wishes_ = 0, taken_ = 0; // how many there were; when the study last asked
};

} // namespace lathe::tune
