// SPDX-License-Identifier: Apache-2.0
//
// A scheduled function as a row of numbers, which a model learns from: sums over all its nests, then what the nest with the
// greatest part of the expected time does and asks of the machine. Most are logarithms, log2(1 + x), of counts; none says
// which model or kernel it is, so what was learned of one kernel holds for others.
#pragma once

#include "tune/nest_cost.h"

#include <string>

namespace lathe::tune {

/// Raised when the same function gets other numbers: what was learned from the old ones is void.
inline constexpr int featureVersion = 1;

struct Features {
    std::vector<float> row;
    double priorUs = 0;
};

Features featuresOf(const std::vector<Nest>& nests, const MachineModel& machine);

/// The columns of a row, in order: "all.flops", "read1.lines", …
const std::vector<std::string>& featureNames();

} // namespace lathe::tune
