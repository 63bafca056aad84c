// SPDX-License-Identifier: Apache-2.0
//
// How long runs of a model take, as its checks say it.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace lathe::data {

struct Latency {
    double first = 0, p50 = 0, p90 = 0, p99 = 0; // milliseconds; quantiles by the nearest rank
    int runs = 0;                                // behind the first
};

/// So many runs behind the first are timed, if as many are asked for, and no more once these and the first have taken so long.
inline constexpr int fewestTimed = 3;
inline constexpr double longestTimedMs = 10'000;

/// Of the times of the runs behind the first.
inline Latency latencyOf(double first, std::vector<double> times) {
    std::ranges::sort(times);
    Latency latency;
    latency.first = first;
    latency.runs = static_cast<int>(times.size());
    if (times.empty())
        return latency;
    const auto quantile = [&](double share) {
        const auto rank = static_cast<size_t>(std::ceil(share * static_cast<double>(times.size())));
        return times[std::clamp<size_t>(rank, 1, times.size()) - 1];
    };
    latency.p50 = quantile(0.5);
    latency.p90 = quantile(0.9);
    latency.p99 = quantile(0.99);
    return latency;
}

} // namespace lathe::data
