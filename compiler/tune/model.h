// SPDX-License-Identifier: Apache-2.0
//
// Who says which of several candidates is faster before they are built, from what was measured of others. One model serves
// all kernels of a machine: its rows carry no names, and only candidates of one task are compared with each other.
#pragma once

#include "base/result.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lathe::tune {

/// A candidate that was tried.
struct Sample {
    std::vector<float> row; // its features
    float speed = 0;        // the least time of its task over its own: 1 the fastest, 0 what does not run
};

class CostModel {
public:
    virtual ~CostModel() = default;
    /// Learns anew, on top of what was loaded if anything was. `tasks`: samples of one task each.
    virtual void fit(std::span<const std::vector<Sample>> tasks) = 0;
    /// A score for each row, higher for what is faster. Empty before anything was learned.
    virtual std::vector<double> predict(std::span<const std::vector<float>> rows) const = 0;

    /// How much each column of a row tells it: the share of what all splits of its trees brought (XGBoost's total gain; the idea
    /// is that of Breiman et al., Classification and Regression Trees, 1984, section 5.3). They add up to 1. Empty before anything
    /// was learned.
    virtual std::vector<double> importance() const = 0;

    /// What was learned, as bytes; empty before anything was. Bytes are equal if what was learned is.
    virtual std::string save() const = 0;
    /// Fails if the bytes are none that save gave, or are of rows of other than `columns` numbers; then it knows what it knew.
    virtual Result<void> load(std::string_view bytes, size_t columns) = 0;
};

} // namespace lathe::tune
