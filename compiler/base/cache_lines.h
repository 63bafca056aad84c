// SPDX-License-Identifier: Apache-2.0
//
// How first caches divide memory. A line's place in such a cache follows from its place in a page: the cache has as many ways,
// lines for each place, as it has room for pages. So rows whole pages apart compete for one place, and of rows parts of a page
// apart as many as there are such parts have places of their own.
#pragma once

#include "base/target.h"

#include <cstdint>

namespace lathe {

inline constexpr int64_t lineBytes = 64, pageBytes = 4096; // of the machines that code is made for

/// Of rows that begin `apart` bytes from each other: of how many a first cache of so many ways holds a line each, with what is
/// next to it to come. `manyRows` where they begin within lines or do not lie apart: they take all places alike.
int64_t rowsHeld(int64_t apart, int64_t ways);
inline constexpr int64_t manyRows = int64_t{1} << 20;

/// Ways of the target's first cache.
int64_t waysOf(const Target& target);

} // namespace lathe
