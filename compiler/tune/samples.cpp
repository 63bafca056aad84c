// SPDX-License-Identifier: Apache-2.0
#include "tune/samples.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lathe::tune {
namespace {

constexpr size_t mostSamplesOfTask = 512; // the newest and the fastest

} // namespace

std::optional<Interval> relativeTime(const Trial& trial) {
    constexpr double never = std::numeric_limits<double>::infinity();
    switch (trial.verdict) {
    case Verdict::Measured:
    case Verdict::Slow:
        return trial.ratio.middle > 0 ? std::optional(trial.ratio) : std::nullopt;
    case Verdict::Crashed:
    case Verdict::RunTimeout:
    case Verdict::RunMemory:
    case Verdict::RunError:
    case Verdict::Wrong:
        return Interval{never, never, never};
    case Verdict::BuildError:
    case Verdict::BuildTimeout:
    case Verdict::BuildMemory:
    case Verdict::Disturbed:
        break;
    }
    return std::nullopt;
}

std::vector<Sample> samplesOf(std::span<const Trial> trials) {
    std::vector<std::pair<double, const Trial*>> known;
    for (const Trial& trial : trials)
        if (const auto time = relativeTime(trial); time && !trial.candidate.features.empty())
            known.emplace_back(time->middle, &trial);
    if (known.size() > mostSamplesOfTask) { // of all but the newest the fastest
        const auto newest = known.end() - mostSamplesOfTask / 2;
        std::ranges::nth_element(known.begin(), known.begin() + mostSamplesOfTask / 2, newest, {},
                                 &std::pair<double, const Trial*>::first);
        known.erase(known.begin() + mostSamplesOfTask / 2, newest);
    }
    double least = std::numeric_limits<double>::infinity();
    for (const auto& [time, trial] : known)
        least = std::min(least, time);
    std::vector<Sample> samples;
    for (const auto& [time, trial] : known)
        samples.push_back({trial->candidate.features, std::isinf(time) ? 0 : static_cast<float>(least / time)});
    return samples;
}

std::optional<double> scoreOfPrior(const Candidate& candidate) {
    return candidate.prior > 0 ? std::optional(-std::log(candidate.prior)) : std::nullopt;
}

} // namespace lathe::tune
