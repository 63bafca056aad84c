// SPDX-License-Identifier: Apache-2.0
//
// What is left to decide of a nest once it stands: vectors on the innermost loop, the parallel loop, steps in a row.
#pragma once

#include "tune/rules/sketch.h"

namespace lathe::tune {

/// How often the loop runs at most, as far as that matters.
int64_t iterationsOf(const schedule::Schedule& schedule, schedule::LoopRef loop);

/// The outermost of the loops become one, which is to run in parallel: asks how many. Gives that loop, not parallel yet.
schedule::LoopRef taskLoop(Sketch& sketch, const schedule::BlockRef& block,
                           const std::vector<schedule::LoopRef>& loops);

/// The innermost loop of a block that computes each element by itself, as vectors; asks how wide, if it is long enough.
void vectorizeInnermost(Sketch& sketch, const schedule::BlockRef& block);

/// A nest of its own for such a block: vectors, and the outer loops in parallel.
void scheduleElementwise(Sketch& sketch, const schedule::BlockRef& block);

/// A reduction with its loops as they are, the outer ones parallel.
void schedulePlain(Sketch& sketch, const schedule::BlockRef& block);

} // namespace lathe::tune
