// SPDX-License-Identifier: Apache-2.0
//
// How good predictions were, said by ranks: a search only needs to know what is faster. Scores are higher for what is
// expected to be faster, in any unit; times are what was measured.
#pragma once

#include "tune/candidate.h"

#include <span>

namespace lathe::tune {

/// Spearman's correlation of scores with speeds: 1 the same order, -1 the opposite; ties have the mean of their ranks. 0 where
/// either says nothing: fewer than two, or all alike.
double spearman(std::span<const double> scores, std::span<const double> times);

/// Of pairs of times that noise lets be told apart: one's interval lies below the other's.
struct Pairs {
    size_t count = 0;
    double right = 0.5; // the share whose order the scores have; equal scores are half right. Without a pair: chance
    bool operator==(const Pairs&) const = default;
};
Pairs pairsOf(std::span<const double> scores, std::span<const Interval> times);

/// The share of the k fastest that is among the k best scored; k at most all. 0 of none.
double recallAt(size_t k, std::span<const double> scores, std::span<const double> times);

/// The least time of all over the least of the k best scored: 1 if the best is among them. 0 of none.
double peakAt(size_t k, std::span<const double> scores, std::span<const double> times);

struct Quality {
    size_t count = 0; // of what was measured and had been predicted
    double spearman = 0;
    Pairs pairs;
    double recall1 = 0, recall5 = 0, recall16 = 0;
    double peak5 = 0;
    bool operator==(const Quality&) const = default;
};

Quality qualityOf(std::span<const double> scores, std::span<const Interval> times);

} // namespace lathe::tune
