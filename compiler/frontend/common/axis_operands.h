// SPDX-License-Identifier: Apache-2.0
//
// Axes that are operands. An axis that is known picks dims of the operand. One that is computed while the model runs
// cannot, for a rank is fixed; but the operand's elements lie in the same order whatever their dims are called. So it is
// looked at with dims whose sizes depend on the axis, and the operator works along one whose place is fixed: one kernel,
// no copy, no branch for each axis.
#pragma once

#include "frontend/common/emit.h"

#include <functional>
#include <optional>

namespace lathe::frontend {

/// fn(x, axis) along the axis that a tensor of one integer names. Where that is known only while the model runs, fn gets
/// x as [dims before, the axis, dims behind] and works along dim 1; the last `fixed` dims of x, which are no axes, follow
/// as they are. What fn gives has the same dims but for the axis, which may have another size or be dropped.
Var overAxis(NodeReader& node, Var x, Var axis, const std::function<Var(Var x, int64_t axis)>& fn, int64_t fixed = 0);

struct AxesToReduce {
    bool keepDims = false;   // as dims of 1
    bool emptyIsAll = false; // what no axes mean: all, or none
    bool mayRepeat = false;  // whether axes that are known may be named twice
};

/// fn(x, axes, keepDims), which reduces over axes, ascending; none: it keeps all dims. Where a tensor of axes is data
/// each dim of x becomes two, one of which is 1: that which is kept and that which is reduced. A refusal if the rank of
/// the result is not fixed: neither is the number of axes known, nor does the model declare result 0.
Var overAxes(NodeReader& node, Var x, Var axes, const AxesToReduce& how,
             const std::function<Var(Var x, const Ints& axes, bool keepDims)>& fn);

/// The dims of a shape without those that `dropped` says, of which there are so many that `rank` stay.
Dims remainingDims(const Dims& shape, const std::vector<Expr>& dropped, int64_t rank);

} // namespace lathe::frontend
