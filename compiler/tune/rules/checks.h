// SPDX-License-Identifier: Apache-2.0
//
// What is refused before it is built: schedules that rules may make and that cannot be fast. What a template's answers lead to
// somebody has thought of; random ones also lead to code that takes seconds to compile, or to one busy core.
#pragma once

#include "base/result.h"
#include "base/target.h"
#include "tir/ir.h"

namespace lathe::tune {

/// Fails if the schedule of `computation` is not worth building, the cheapest reason first: `what` says why in the same words
/// each time, so that it can be counted, `hint` how much it is. Limits: 16 KiB of local memory in a thread; 4,096 statements in a
/// row; workspace of twice the operands and 64 MiB; work done 8 times over (Adams et al., SIGGRAPH 2019, prune at the same);
/// fewer pieces than threads where there is work for all; more accumulators than registers.
Result<void> checkSchedule(const tir::PrimFuncPtr& computation, const tir::PrimFuncPtr& scheduled, const Target& target,
                           int threads);

} // namespace lathe::tune
