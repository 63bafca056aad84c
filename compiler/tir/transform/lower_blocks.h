// SPDX-License-Identifier: Apache-2.0
//
// Lower blocks (required): from "what each block computes" to plain loops.
//
// Schedules reason about Blocks: iteration variables with kinds, regions, predicates. Once they are done, only the
// loops matter. A Block becomes its body with the iteration variables replaced by their bindings; its predicate becomes
// an If around it; its init, if a schedule has not given it a block of its own, becomes an If on "all reduce variables
// are at their first value" before the body. Regions are dropped.
//
// The order is what makes reductions right: init runs inside the predicate, before the first accumulation, for every
// value of the spatial variables, because a block's reduce variables all start at 0.
#pragma once

#include "tir/ir.h"

namespace lathe::tir {

PrimFuncPtr lowerBlocks(const PrimFuncPtr& function);

} // namespace lathe::tir
