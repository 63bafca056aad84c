// SPDX-License-Identifier: Apache-2.0
//
// Is one faster than the other? Said of pairs of times taken side by side, by ranks: no assumption about how times scatter,
// and a disturbed pair moves an end of the interval by one place at most.
#pragma once

#include "tune/candidate.h"

#include <span>
#include <vector>

namespace lathe::tune {

/// The interval of the median of `values` by ranks (order statistics and the sign test): it holds the median with at least
/// 95 %. Of fewer than six values: from the least to the greatest. Zeros if there is none.
Interval medianInterval(std::span<const double> values);

/// Logarithms of times that were taken at several sizes each, as one series: the logarithm of their geometric mean. As long as
/// the shortest.
std::vector<double> together(std::span<const std::vector<double>> logs);

enum class Faster { Yes, No, Undecided };

/// Of the logarithms of time ratios, candidate to incumbent: Yes if the interval lies below log(1 − gain), No if it lies
/// above; Undecided between, and of fewer than six pairs. `gain` within 0 … 1.
Faster isFaster(std::span<const double> logRatios, double gain);

/// Whether further pairs are worth their time: it is undecided, and the candidate looks faster by `gain`.
bool needsMore(std::span<const double> logRatios, double gain);

} // namespace lathe::tune
