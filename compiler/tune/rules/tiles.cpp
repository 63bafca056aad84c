// SPDX-License-Identifier: Apache-2.0
#include "tune/rules/tiles.h"

#include "base/rounding.h"

#include <algorithm>
#include <cmath>

namespace lathe::tune {
namespace {

constexpr double wasteCounts = 8; // so much more than the size

} // namespace

double wasteOf(int64_t extent, int64_t tile) {
    return static_cast<double>(ceilDiv(extent, tile) * tile) / static_cast<double>(extent) - 1;
}

std::vector<Option> tileOptions(int64_t extent, std::span<const int64_t> sizes) {
    std::vector<Option> options = {{1, 1}};
    for (const int64_t size : sizes)
        if (const double waste = wasteOf(extent, size); size > 1 && size <= extent && waste <= mostWaste)
            options.push_back({size, std::sqrt(static_cast<double>(size)) / (1 + wasteCounts * waste)});
    std::ranges::sort(options, {}, &Option::value);
    return options;
}

} // namespace lathe::tune
