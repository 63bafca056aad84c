// SPDX-License-Identifier: Apache-2.0
//
// What schedules make statements in sequence of, for code generation to transpose in registers: vectors that step through
// memory from neighbouring elements, each a column of a tile.
#pragma once

#include <cstdint>

namespace lathe::tir {

/// A tile of more rows would not stay in registers, and fewer columns are no gain.
inline constexpr int64_t mostRows = 16, leastColumns = 3;

} // namespace lathe::tir
