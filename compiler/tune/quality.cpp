// SPDX-License-Identifier: Apache-2.0
#include "tune/quality.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace lathe::tune {
namespace {

/// Places of the values in ascending order; of equal ones the first stands first.
std::vector<size_t> orderOf(std::span<const double> values) {
    std::vector<size_t> order(values.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::stable_sort(order, {}, [&](size_t i) { return values[i]; });
    return order;
}

std::vector<double> ranksOf(std::span<const double> values) {
    const std::vector<size_t> order = orderOf(values);
    std::vector<double> ranks(values.size());
    for (size_t first = 0; first < order.size();) {
        size_t end = first + 1;
        while (end < order.size() && values[order[end]] == values[order[first]])
            ++end;
        for (size_t i = first; i < end; ++i)
            ranks[order[i]] = static_cast<double>(first + end - 1) / 2;
        first = end;
    }
    return ranks;
}

/// The k best scored, and the k fastest.
std::vector<size_t> bestScored(size_t k, std::span<const double> scores) {
    std::vector<double> descending(scores.begin(), scores.end());
    for (double& score : descending)
        score = -score;
    std::vector<size_t> order = orderOf(descending);
    order.resize(std::min(k, order.size()));
    return order;
}
std::vector<size_t> fastest(size_t k, std::span<const double> times) {
    std::vector<size_t> order = orderOf(times);
    order.resize(std::min(k, order.size()));
    return order;
}

} // namespace

double spearman(std::span<const double> scores, std::span<const double> times) {
    const std::vector<double> a = ranksOf(scores), b = ranksOf(times);
    const double mean = (static_cast<double>(a.size()) - 1) / 2;
    double both = 0, ofA = 0, ofB = 0;
    for (size_t i = 0; i < a.size(); ++i) {
        both += (a[i] - mean) * (b[i] - mean);
        ofA += (a[i] - mean) * (a[i] - mean);
        ofB += (b[i] - mean) * (b[i] - mean);
    }
    return ofA > 0 && ofB > 0 ? -both / std::sqrt(ofA * ofB) : 0;
}

Pairs pairsOf(std::span<const double> scores, std::span<const Interval> times) {
    Pairs pairs;
    double right = 0;
    for (size_t i = 0; i < times.size(); ++i)
        for (size_t j = 0; j < times.size(); ++j)
            if (times[i].high < times[j].low) {
                ++pairs.count;
                right += scores[i] > scores[j] ? 1 : scores[i] == scores[j] ? 0.5 : 0;
            }
    if (pairs.count > 0)
        pairs.right = right / static_cast<double>(pairs.count);
    return pairs;
}

double recallAt(size_t k, std::span<const double> scores, std::span<const double> times) {
    std::vector<size_t> chosen = bestScored(k, scores), best = fastest(k, times), common;
    std::ranges::sort(chosen);
    std::ranges::sort(best);
    std::ranges::set_intersection(chosen, best, std::back_inserter(common));
    return best.empty() ? 0 : static_cast<double>(common.size()) / static_cast<double>(best.size());
}

double peakAt(size_t k, std::span<const double> scores, std::span<const double> times) {
    double least = INFINITY;
    for (const size_t i : bestScored(k, scores))
        least = std::min(least, times[i]);
    return times.empty() || k == 0 ? 0 : std::ranges::min(times) / least;
}

Quality qualityOf(std::span<const double> scores, std::span<const Interval> intervals) {
    std::vector<double> times;
    for (const Interval& interval : intervals)
        times.push_back(interval.middle);
    return {.count = times.size(),
            .spearman = spearman(scores, times),
            .pairs = pairsOf(scores, intervals),
            .recall1 = recallAt(1, scores, times),
            .recall5 = recallAt(5, scores, times),
            .recall16 = recallAt(16, scores, times),
            .peak5 = peakAt(5, scores, times)};
}

} // namespace lathe::tune
