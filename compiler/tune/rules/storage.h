// SPDX-License-Identifier: Apache-2.0
//
// How what a tile reads and writes is stored: accumulators in the order of vectors, an operand packed for them, both near.
#pragma once

#include "tune/rules/sketch.h"

#include <optional>

namespace lathe::tune {

/// Elements along the dim become neighbours in the buffer that the block writes.
void innermostInStorage(schedule::Schedule& schedule, const schedule::BlockRef& block, size_t dim);

/// What a task makes for itself is local memory if it fits the first cache.
void nearIfSmall(schedule::Schedule& schedule, const schedule::BlockRef& block);

/// Of a product whose results lie next to each other along an axis: the operand of that axis alone, if it lies along the
/// reduction. Vectors would gather it.
struct Packing {
    tir::BufferPtr operand;
    size_t dim = 0; // of the operand, along the axis
};
std::optional<Packing> packingOf(const tir::Block& body);

/// Has the block read a copy that lies as vectors go; gives the block that makes it.
schedule::BlockRef pack(schedule::Schedule& schedule, const schedule::BlockRef& block, const Packing& packing);

/// The copy is made for each iteration of the loop: vectors as they lie in the operand, those of all columns one after the other,
/// so a line of the cache is read once.
void placePacked(Sketch& sketch, const schedule::BlockRef& packed, const Packing& packing, schedule::LoopRef task);

} // namespace lathe::tune
