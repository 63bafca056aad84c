// SPDX-License-Identifier: Apache-2.0
//
// How often a statement in nested loops runs that stands under conditions: tails of split loops, padding, triangles. The
// points of the loops that meet the conditions are counted one by one, but only where they must be: what depends on other
// loops is counted by itself, and what repeats (floormod) once.
#pragma once

#include "arith/expr.h"

#include <optional>
#include <span>

namespace lathe::lower {

struct LoopRange {
    arith::Var var;
    arith::Expr min, extent; // over sizes and the loops around
};

struct PointCount {
    int64_t points = 0;
    bool atMost = false; // some condition is not counted: it reads data, or there are too many points
};

/// Of loops, the outermost first. Nothing if an extent is not known: it depends on a size that `sizes` does not have, or on
/// data; or if there are more points than can be told.
std::optional<PointCount> countPoints(std::span<const LoopRange> loops, std::span<const arith::Expr> conditions,
                                      const std::unordered_map<const arith::ExprNode*, int64_t>& sizes);

} // namespace lathe::lower
