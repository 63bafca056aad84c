// SPDX-License-Identifier: Apache-2.0
//
// What tiles of a reduction keep to, whoever chooses them.
#pragma once

#include <cstdint>

namespace lathe::moves {

/// Beyond this step, a vector's elements come from as many cache lines.
inline constexpr int64_t widestStep = 4;

/// Columns of a tile: longer vectors stay loops.
inline constexpr int64_t widestTile = 64;

/// A loop that may be longer is as good as endless: its last tile does not count.
inline constexpr int64_t endlessExtent = 1 << 20;

/// Multiply-adds of vectors in a row: more are no block of code that is scheduled without spills, nor fit the cache of decoded
/// instructions.
inline constexpr int64_t mostMultiplyAdds = 130;

} // namespace lathe::moves
