// SPDX-License-Identifier: Apache-2.0
//
// How much memory a nest of loops touches: the distinct elements and cache lines behind an index that is a sum of a stride
// times each loop's variable. Loops whose steps interleave or overlap (the window of a convolution along its image, the two
// parts of a split) make one longer run; those that jump beyond it make copies of it.
#pragma once

#include <cstdint>
#include <vector>

namespace lathe::tune {

/// A loop as an index sees it.
struct Step {
    int64_t stride = 0; // in elements
    double extent = 1;
};

struct Touched {
    double elements = 1;
    double lines = 1; // of 64 bytes; the first element begins one
    bool operator==(const Touched&) const = default;
};

/// Exact where runs do not overlap others but at whole multiples of a smaller stride.
Touched touched(std::vector<Step> steps, double elementBytes);

} // namespace lathe::tune
