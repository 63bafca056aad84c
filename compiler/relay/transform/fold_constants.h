// SPDX-License-Identifier: Apache-2.0
//
// Optional: computes calls whose operands are all constants.
//
// A small result (up to 64 KiB) is computed now, by value rules or by the Evaluator. A large one becomes a recipe: a pure
// function over constants that is evaluated once, in parallel, when the artifact is written; so a transposed or dequantized
// weight costs nothing here, and no pass copies weights. Whatever only makes a tensor larger (a broadcast, a tile, a fill) stays a
// call: fused into its user it costs nothing, as a constant it would fill the artifact.
//
// Calls that fail when evaluated, or are over the Evaluator's budget, stay as they are. Random operators are never folded. Runs
// after dead code, and again after layouts and variants are chosen, whose packing is made of such calls.
#pragma once

#include "relay/evaluator.h"
#include "relay/ir.h"

namespace lathe::relay::transform {

Module foldConstants(const Module& module, Evaluator& evaluator);

} // namespace lathe::relay::transform
