// SPDX-License-Identifier: Apache-2.0
#include "tuning/timing_rounds.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

namespace lathe::tuning {
namespace {

constexpr int again = 3;                 // times, at once
constexpr double betweenProbes = 10'000; // us that are timed: a probe takes some 200
constexpr int quietRounds = 50;

double secondsOf(const TimingRounds::Part& part, double us) {
    return isTime(us) ? us * static_cast<double>(part.calls) / 1e6 : 0;
}

} // namespace

TimingRounds::Round TimingRounds::round(Timed& timed, std::span<const Part> parts, Patience& patience) {
    for (;;) {
        Round round = tryOnce(timed, parts, patience);
        if (round.outcome == Round::Outcome::Failed)
            return round;
        note(round.isDisturbed);
        if (!round.isDisturbed) {
            ++timings_.all;
            return round;
        }
        double seconds = 0;
        for (size_t i = 0; i < parts.size(); ++i)
            seconds += secondsOf(parts[i], round.us[i]);
        const std::optional<double> pause = patience.wait(seconds);
        if (!pause) {
            ++timings_.all;
            ++timings_.disturbed;
            if (!std::ranges::all_of(round.us, isTime))
                round.outcome = Round::Outcome::Untimed;
            return round;
        }
        if (!wait_(*pause))
            return {.outcome = Round::Outcome::Failed,
                    .us = {},
                    .failed = parts.size(),
                    .problem = error(ErrorKind::Cancelled, "cancelled")};
    }
}

TimingRounds::Round TimingRounds::tryOnce(Timed& timed, std::span<const Part> parts, Patience& patience) {
    Round round;
    round.us.resize(parts.size());
    if (!probed_ && !isQuiet(timed, round) && round.outcome == Round::Outcome::Failed)
        return round;
    std::vector<size_t> order(parts.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::shuffle(order, random_);
    for (const size_t part : order)
        if (!timePart(timed, parts[part], patience, round.us[part], round)) {
            round.failed = part;
            return round;
        }
    if (sinceProbe_ >= betweenProbes)
        (void)isQuiet(timed, round);
    return round;
}

/// A block, at once again while it is disturbed. False: it failed.
bool TimingRounds::timePart(Timed& timed, const Part& part, Patience& patience, double& us, Round& round) {
    for (int time = 0;; ++time) {
        const auto block = timed.block(part.which, part.calls);
        if (!block) {
            round.outcome = Round::Outcome::Failed;
            round.problem = block.error();
            return false;
        }
        us = block->us;
        const double seconds = secondsOf(part, us);
        sinceProbe_ += 1e6 * seconds;
        if (!usual_.isDisturbed(block->lost, block->switches) && isTime(us))
            return true;
        if (time == again || !patience.spend(seconds)) {
            round.isDisturbed = true;
            return true;
        }
    }
}

/// Of the machine itself. If it is not, the round is disturbed; if the probe fails, so does the round.
bool TimingRounds::isQuiet(Timed& timed, Round& round) {
    sinceProbe_ = 0;
    const auto probe = timed.probe();
    if (!probe) {
        round.outcome = Round::Outcome::Failed;
        round.failed = round.us.size();
        round.problem = probe.error();
        return probed_ = false;
    }
    probed_ = !usual_.isDisturbed(*probe);
    round.isDisturbed |= !probed_;
    return probed_;
}

/// Once each time that the machine gets busy.
void TimingRounds::note(bool isDisturbed) {
    if (!isDisturbed)
        untilQuiet_ = std::max(untilQuiet_ - 1, 0);
    else if (std::exchange(untilQuiet_, quietRounds) == 0)
        noted_("the machine is busy: times take longer and are less certain");
}

} // namespace lathe::tuning
