// SPDX-License-Identifier: Apache-2.0
//
// What the loops of a call cost at the sizes that ran.
#pragma once

#include "driver/trace.h"
#include "inspect/inputs.h"
#include "lower/loop_nest.h"

namespace lathe::inspect {

/// The kernel's function that its loops are counted in: as it was scheduled, or written by hand. Null if it was not lowered.
tir::PrimFuncPtr nestOf(const driver::KernelRecord& kernel);

/// Of a call of the Trace, in nestOf its kernel. `shapes` are the dims of the inputs that ran; what hangs on sizes that they do
/// not say is absent.
lower::LoopCost loopCosts(const driver::Trace& trace, int call, const driver::Shapes& shapes);

} // namespace lathe::inspect
