// SPDX-License-Identifier: Apache-2.0
//
// Sizes of tiles: perfect ones, and those that nearly are. Ansor and MetaSchedule take divisors alone, of which a prime has
// none; here the last tile may be smaller, as long as little is lost.
#pragma once

#include "tune/rules/sketch.h"

#include <span>

namespace lathe::tune {

/// The most that tiles may reach beyond an extent, as a share of it.
inline constexpr double mostWaste = 1.0 / 7;

/// How far tiles of so many elements reach beyond the extent, as a share of it.
double wasteOf(int64_t extent, int64_t tile);

/// Of the sizes those that waste no more than that, weighted by how little it is, times the square root of the size: work
/// that is shared grows with it. 1 is among them, and wastes nothing.
std::vector<Option> tileOptions(int64_t extent, std::span<const int64_t> sizes);

} // namespace lathe::tune
