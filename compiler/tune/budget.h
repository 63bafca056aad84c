// SPDX-License-Identifier: Apache-2.0
//
// What tuning may spend and what it has spent: one clock and one set of limits for all of it, whatever studies and other steps
// it has one after the other. The clock stands still while it waits, and limits that are wished meanwhile hold for the whole.
#pragma once

#include "tune/control.h"

#include <chrono>
#include <optional>

namespace lathe::tune {

/// Where the time went, in seconds.
struct Spent {
    double search = 0, build = 0, measure = 0, train = 0;
    double tell = 0; // in whoever is told: records and views
    double wait = 0; // which does not count
};

/// How far a step may go: shares of the whole time and of all trials, from the beginning of the first step on.
struct Share {
    double time = 1, trials = 1;
};

class TuningBudget {
public:
    /// Time counts from now on. Limits that `control` has, which may be null, go before those that were planned.
    explicit TuningBudget(Limits planned, Control* control = nullptr);

    /// Time counts from now on: what came before was not the search.
    void countFromNow();

    double seconds() const; // that have passed
    double waited() const;  // and those that it waited meanwhile
    /// As they are now.
    Limits limits(Share upTo = {}) const;
    bool isUsedUp(Share upTo = {}) const;
    Control* control() const { return control_; }

    int64_t trials = 0;           // that were spent
    Spent spent;                  // but for the waiting
    std::optional<double> before; // seconds of the study that its first one goes on with; none: no study has begun

private:
    using Clock = std::chrono::steady_clock;

    Limits planned_;
    Control* control_;
    Clock::time_point begin_;
    double waitedBefore_ = 0;
};

} // namespace lathe::tune
