// SPDX-License-Identifier: Apache-2.0
//
// What stands around a reduction in tiles: what is computed for it, what follows it, and the copy of its columns.
#pragma once

#include "schedule/schedule.h"
#include "topi/register_tile.h"

namespace lathe::topi {

/// Whether the one that reads the block's result walks the same axes in the same order. Other loops may be around it, those of
/// chunks: the rules of the tuner ask for its own alone.
bool isEpilogue(schedule::Schedule& schedule, const schedule::BlockRef& block, const schedule::BlockRef& consumer);

/// What is computed for the block alone, stored, and read by no two results but those of neighbouring windows.
std::vector<schedule::BlockRef> ownOperands(const schedule::Schedule& schedule, const schedule::BlockRef& block);

/// A copy of what the tile's columns read, these innermost. Throws ScheduleError if they are no dim of the operand.
schedule::BlockRef repackColumns(schedule::Schedule& schedule, const schedule::BlockRef& block,
                                 const RegisterTile& tile);

/// Has all columns copied before, in panels of `width`: the tile reads packed panels then, as of weights.
void repackFirst(schedule::Schedule& schedule, const schedule::BlockRef& block, RegisterTile& tile, int64_t width,
                 const Target& target);

/// Vectors along the rows as they lie in the operand, those of all columns one after the other. Where the columns lie next to
/// each other, vectors of these.
void vectorizeRepacking(schedule::Schedule& schedule, const schedule::BlockRef& copy, bool alongColumns,
                        const Target& target);

} // namespace lathe::topi
