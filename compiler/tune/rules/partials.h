// SPDX-License-Identifier: Apache-2.0
//
// The two rules that take a reduction apart (rfactor): lanes of partial results along a contiguous axis, and pieces that run in
// parallel where there are few results.
#pragma once

#include "tune/rules/sketch.h"

namespace lathe::tune {

/// Whether it can have lanes (moves::partialCounts), and there are axes of results around them.
bool canHavePartials(Sketch& sketch, const schedule::BlockRef& block);
/// Asks into how many lanes the last reduced axis is split; gives the block that makes the partial results.
schedule::BlockRef makePartials(Sketch& sketch, const schedule::BlockRef& block);
/// The rule: some results at a time, the lanes of each in registers.
void tilePartials(Sketch& sketch, const schedule::BlockRef& block);

/// Whether there are fewer results than a parallel loop wants iterations, and a long axis is reduced.
bool canHaveParts(Sketch& sketch, const schedule::BlockRef& block);
/// The rule: splits the first reduced axis into pieces. Gives the block that reduces them, without a schedule yet.
schedule::BlockRef makeParts(Sketch& sketch, const schedule::BlockRef& block);

} // namespace lathe::tune
