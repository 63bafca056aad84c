// SPDX-License-Identifier: Apache-2.0
//
// The two rules that take a reduction apart (rfactor): lanes of partial results along a contiguous axis, and pieces that run in
// parallel where there are few results.
#pragma once

#include "tune/rules/sketch.h"

namespace lathe::tune {

/// Whether all reads follow the last reduced axis, or stay, and it is long enough.
bool canHavePartials(Sketch& sketch, const schedule::BlockRef& block);
/// Splits the last reduced axis into lanes; gives the block that makes the partial results.
schedule::BlockRef makePartials(Sketch& sketch, const schedule::BlockRef& block);
/// Of the partial results, which are computed where they are combined: they are registers, lanes innermost, and of the loops
/// around these so many unrolled.
void vectorizePartials(Sketch& sketch, const schedule::BlockRef& partial, size_t unrolled);
/// What is left to the block then, without an order among the lanes.
void vectorizeCombination(Sketch& sketch, const schedule::BlockRef& block);
/// The rule: some results at a time, the lanes of each in registers.
void tilePartials(Sketch& sketch, const schedule::BlockRef& block);

/// Whether there are fewer results than a parallel loop wants iterations, and a long axis is reduced.
bool canHaveParts(Sketch& sketch, const schedule::BlockRef& block);
/// The rule: splits the first reduced axis into pieces. Gives the block that reduces them, without a schedule yet.
schedule::BlockRef makeParts(Sketch& sketch, const schedule::BlockRef& block);

} // namespace lathe::tune
