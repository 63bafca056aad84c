// SPDX-License-Identifier: Apache-2.0
//
// What the elements of a tensor are like: how many are zero or no number, their range, mean and spread, and a histogram. Two
// passes over the raw bytes, which may be mapped from a file far larger than memory: the first finds range and moments, block
// by block and joined in extended precision, so that neither a hundred million elements nor the greatest of floats spoil the
// sums; the second counts.
#pragma once

#include "model/model_graph.h"

#include <functional>
#include <optional>
#include <vector>

namespace lathe::data {

struct TensorStatistics {
    int64_t elements = 0;
    int64_t zeros = 0, notNumbers = 0, infinities = 0;
    int64_t finite = 0;
    /// Of the finite ones; all 0 if there are none. The deviation is that of the elements, not of a sample: sqrt(Σ(x-mean)²/n).
    double minimum = 0, maximum = 0, mean = 0, deviation = 0;

    /// Bar i counts the finite elements from `from + i * width` to the next bar, the last one's end included. Of integers
    /// each bar holds equally many values, in its middle; where they are few, one.
    struct Histogram {
        double from = 0, width = 0;
        std::vector<int64_t> counts;
    };
    Histogram histogram;
};

/// The most bars of a histogram.
inline constexpr int histogramBars = 64;

/// The elements are numbers, and their bytes are there: a tensor of a model that was refused may lack them.
bool hasNumbers(const model::TensorData& tensor);

/// Nothing without numbers, or if `cancelled`, which is asked now and then, says so.
std::optional<TensorStatistics> statisticsOf(const model::TensorData& tensor,
                                             const std::function<bool()>& cancelled = {});

} // namespace lathe::data
