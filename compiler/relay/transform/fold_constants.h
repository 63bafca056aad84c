// SPDX-License-Identifier: Apache-2.0
//
// Optional: computes calls whose operands are all constants.
//
// A small result (up to 64 KiB) is computed now, by value rules or by the Evaluator. A large one becomes a recipe: a pure
// function over constants that is evaluated when the artifact is written (driver/constants.h), so a transposed or
// dequantized weight costs nothing here, and no pass copies weights. What only makes a tensor larger stays a call
// (relay/folding.h has the rule).
//
// Calls that fail when evaluated, take too many steps, or are over the budget stay as they are. Random operators are never
// folded. Runs after dead code, and again after layouts are chosen.
#pragma once

#include "base/budget.h"
#include "relay/evaluator.h"
#include "relay/ir.h"

namespace lathe::relay::transform {

Module foldConstants(const Module& module, Evaluator& evaluator, Budget& budget);

} // namespace lathe::relay::transform
