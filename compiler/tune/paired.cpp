// SPDX-License-Identifier: Apache-2.0
#include "tune/paired.h"

#include <algorithm>
#include <cmath>

namespace lathe::tune {
namespace {

/// The greatest k for which the k-th least of n values lies above the median with at most 2.5 %: fewer than k of n fair coins
/// show heads. 0 where even the least may.
size_t lowRank(size_t n) {
    double term = std::pow(0.5, static_cast<double>(n)), below = term; // of exactly, and at most, k heads
    size_t k = 0;
    while (below <= 0.025 && k < n / 2) {
        ++k;
        term *= static_cast<double>(n - k + 1) / static_cast<double>(k);
        below += term;
    }
    return k;
}

} // namespace

Interval medianInterval(std::span<const double> values) {
    if (values.empty())
        return {};
    std::vector<double> sorted(values.begin(), values.end());
    std::ranges::sort(sorted);
    const size_t n = sorted.size(), k = std::max<size_t>(lowRank(n), 1);
    const double middle = n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
    return {sorted[k - 1], middle, sorted[n - k]};
}

std::vector<double> together(std::span<const std::vector<double>> logs) {
    std::vector<double> means;
    for (size_t i = 0; std::ranges::all_of(logs, [&](const auto& each) { return i < each.size(); }) && !logs.empty();
         ++i) {
        double sum = 0;
        for (const std::vector<double>& each : logs)
            sum += each[i];
        means.push_back(sum / static_cast<double>(logs.size()));
    }
    return means;
}

Faster isFaster(std::span<const double> logRatios, double gain) {
    if (lowRank(logRatios.size()) == 0)
        return Faster::Undecided;
    const Interval interval = medianInterval(logRatios);
    const double least = std::log1p(-gain);
    return interval.high < least ? Faster::Yes : interval.low > least ? Faster::No : Faster::Undecided;
}

bool needsMore(std::span<const double> logRatios, double gain) {
    return isFaster(logRatios, gain) == Faster::Undecided && medianInterval(logRatios).middle < std::log1p(-gain);
}

} // namespace lathe::tune
