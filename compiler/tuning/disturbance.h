// SPDX-License-Identifier: Apache-2.0
//
// Was the machine busy with something else while a block was timed? What is usual here is learned from what was seen last, so
// that a machine which is never quite its own (a virtual one, one that always serves somebody) is not called disturbed for
// ever: what counts is that a block differs from the others.
#pragma once

#include "device/runner_client.h"
#include "tune/study.h"

#include <deque>
#include <functional>
#include <optional>

namespace lathe::tuning {

/// What a clock says is a time. On a machine that is busy throughout it may stand still; that is no very fast kernel.
bool isTime(double time);

/// Of the last hundred values.
class Recent {
public:
    struct Usual {
        double median = 0, deviation = 0; // that of the median by which they differ from it
    };
    void note(double value);
    /// Zeros if there are fewer than eight.
    Usual usual() const;
    bool isKnown() const;

private:
    std::deque<double> values_;
};

class Disturbance {
public:
    explicit Disturbance(int threads) : threads_(threads) {}

    /// Whether the thread that ran the block was without a CPU for 2 % more of its time than usual; or, where others wait for
    /// each of several threads, one of them was put off more often than usual. What is within three times the usual deviation
    /// is usual.
    bool isDisturbed(double lost, int64_t switches);
    /// Whether the machine computes 3 %, or reads 10 %, faster or slower than usual.
    bool isDisturbed(const device::RunnerProbe& probe);

private:
    int threads_;
    Recent lost_, switches_, compute_, read_;
};

/// How much time a busy machine may cost: for what is timed again, and for waits, a tenth of the time that the study has had, and
/// nothing beyond its end. After that times are taken as they are.
class Patience {
public:
    explicit Patience(std::function<tune::Bench::Time()> time) : time_(std::move(time)) {}

    /// Of a batch or a paired test: its waits begin short again.
    void begin();
    /// Whether so many seconds may be lost once more; then they are.
    bool spend(double seconds);
    /// How many seconds to wait before something is tried again that takes `retry` seconds, 0.1 at first and twice as long each time; nothing:
    /// there is no time for both.
    std::optional<double> wait(double retry);

private:
    std::function<tune::Bench::Time()> time_;
    double lost_ = 0, step_ = 0;
};

} // namespace lathe::tuning
