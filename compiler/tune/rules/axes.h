// SPDX-License-Identifier: Apache-2.0
//
// What rules ask of a block's axes: how long they are, which of them can be vectors, and how what is read moves along them.
#pragma once

#include "tir/ir.h"

#include <cstdint>
#include <vector>

namespace lathe::tune {

inline bool isSpatial(const tir::IterVar& iter) {
    return iter.kind == tir::IterKind::Spatial;
}
/// At most, as far as that matters; 1 of an empty one.
int64_t extentOf(const tir::IterVar& iter);

/// The panel that a read has along the variable; 0: none.
int64_t panelAlong(const tir::Block& body, const arith::Var& var);
/// So many neighbours along the variable read the same of another axis' elements, as the channels of a group do; 0: any.
int64_t groupAlong(const tir::Block& body, const arith::Var& var);
/// Whether what vectors along `column` read moves along the axis too.
bool movesVectors(const tir::Block& body, const arith::Var& column, const arith::Var& var);

/// The axes along which a reduction has vectors: its reads move there by a small constant step or not at all, and its results, or
/// a panel of what it reads, lie next to each other. Panels first.
std::vector<size_t> vectorAxes(const tir::Block& body);

} // namespace lathe::tune
