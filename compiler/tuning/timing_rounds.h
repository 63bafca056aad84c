// SPDX-License-Identifier: Apache-2.0
//
// Kernels timed by turns, so that their times can be held against each other: a round has a block of each, in an order that is
// drawn anew. What is disturbed is timed again, also after a while, for as long as patience lasts; then it is taken as it is,
// and said to be so.
#pragma once

#include "tuning/disturbance.h"

#include <functional>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace lathe::tuning {

/// Something that can be timed, such as kernels in a child.
class Timed {
public:
    struct Block {
        double us = 0;   // of a call, a mean
        double lost = 0; // as RunnerBenchTimes::Sample has it
        int64_t switches = 0;
    };
    virtual ~Timed() = default;
    virtual Result<Block> block(size_t which, int64_t calls) = 0;
    virtual Result<device::RunnerProbe> probe() = 0;
};

class TimingRounds {
public:
    /// `wait`, for some seconds, gives false if it was cancelled meanwhile; `noted` is told when the machine gets busy. Neither
    /// is empty.
    TimingRounds(int threads, std::function<bool(double)> wait, std::function<void(const std::string&)> noted)
        : usual_(threads), wait_(std::move(wait)), noted_(std::move(noted)) {}

    struct Part {
        size_t which = 0;
        int64_t calls = 1;
    };
    struct Round {
        enum class Outcome { Timed, Untimed, Failed } outcome = Outcome::Timed;
        std::vector<double> us;   // of a call, by part; only if Timed
        bool isDisturbed = false; // something else used the machine meanwhile
        size_t failed = 0;        // Failed: which part's block did; that of none if it was the probe
        Diagnostic problem = {};
    };
    /// One block of each. Untimed: what the clock said is no time.
    Round round(Timed& timed, std::span<const Part> parts, Patience& patience);
    /// Of all rounds until now, as they were taken.
    const tune::Timings& timings() const { return timings_; }

private:
    Round tryOnce(Timed& timed, std::span<const Part> parts, Patience& patience);
    bool timePart(Timed& timed, const Part& part, Patience& patience, double& us, Round& round);
    bool isQuiet(Timed& timed, Round& round);
    void note(bool isDisturbed);

    tune::Timings timings_;
    Disturbance usual_;
    std::function<bool(double)> wait_;
    std::function<void(const std::string&)> noted_;
    std::mt19937_64 random_{0};
    double sinceProbe_ = 0; // us that were timed
    bool probed_ = false;   // and found to be quiet
    int untilQuiet_ = 0;    // rounds, after which the machine counts as quiet again
};

} // namespace lathe::tuning
