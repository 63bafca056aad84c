// SPDX-License-Identifier: Apache-2.0
//
// What a task stores for itself: an operand packed as vectors go, near if it is small.
#pragma once

#include "tune/rules/sketch.h"

#include <optional>

namespace lathe::tune {

/// What a task makes for itself is local memory if it fits the first cache.
void nearIfSmall(schedule::Schedule& schedule, const schedule::BlockRef& block);

/// Of a product whose results lie next to each other along an axis: the operand of that axis alone, if it lies along the
/// reduction. Vectors would gather it.
struct Packing {
    tir::BufferPtr operand;
    size_t dim = 0; // of the operand, along the axis
};
std::optional<Packing> packingOf(const tir::Block& body);

/// The copy is made for each iteration of the loop: vectors as they lie in the operand, those of all columns one after the other,
/// so a line of the cache is read once.
void placePacked(Sketch& sketch, const schedule::BlockRef& packed, const Packing& packing, schedule::LoopRef task);

} // namespace lathe::tune
