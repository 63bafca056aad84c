// SPDX-License-Identifier: Apache-2.0
//
// The tile of a reduction that stays in registers: some rows of one operand by some vectors of the other. What it is good
// for and how wide it is; topi/tile_reduction.h makes it.
#pragma once

#include "base/target.h"
#include "tir/ir.h"

#include <optional>
#include <set>

namespace lathe::topi {

/// Vectors of `width` elements along one spatial axis, `rows` of another (-1: none) unrolled around them.
struct RegisterTile {
    int vectorAxis = -1, rowAxis = -1;
    int64_t width = 1, rows = 1;
    int64_t group = 0;           // so many neighbours of the row axis read the same vectors; 0: all
    std::vector<int64_t> widths; // what the width may be; empty: a panel of packed weights has its own
    std::set<int> before;        // axes outside of all tiles of one panel; the others pass inside
    std::set<int> windows;       // axes along which windows overlap or meet, outermost first
    int64_t band = 0;            // of the first of them, so many at once: what their windows read fits a cache
    bool shared = false;         // elements along the last reduced axis read one stretch: it is unrolled within a row
    tir::BufferPtr repacked;     // an operand in rows along the reduction: its columns are stored as vectors first
    tir::BufferPtr columns;      // of a contraction: the operand that the vectors are read from
    bool packed = false;         // it lies in panels as wide as the tile
};

/// The tile of a reduction, nothing if it has none:
///   - of a matrix product or convolution: vectors along what one operand has alone, rows of the other;
///   - where the result is contiguous along an axis and every read moves by a constant step or not at all (pooling, depthwise
///     convolution, reductions over outer axes): vectors along that axis, rows of neighbouring windows.
std::optional<RegisterTile> registerTile(const tir::Block& body, const Target& target);

} // namespace lathe::topi
