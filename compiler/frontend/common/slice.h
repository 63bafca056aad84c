// SPDX-License-Identifier: Apache-2.0
//
// Slices as models write them: a start, an end and a step each dim, where negative numbers count from the end and those
// beyond a dim mean its border. Slice itself takes places that are within the operand.
#pragma once

#include "frontend/common/emit.h"
#include "relay/attrs.h"

namespace lathe::frontend {

/// All of x.
relay::SliceAttrs wholeOf(Builder& b, Var x);

/// Where a backward slice starts that is to start before the first element.
enum class BeforeFirst {
    Clamped, // at the first
    Outside  // nowhere: it is empty
};

/// Makes dim `axis` of a slice of all of a tensor one from start to end. step: not 0, and no farther than farAway.
void sliceDim(relay::SliceAttrs& attrs, size_t axis, const Expr& start, const Expr& end, int64_t step,
              BeforeFirst before = BeforeFirst::Clamped);

} // namespace lathe::frontend
