// SPDX-License-Identifier: Apache-2.0
#include "frontend/common/reduced.h"

#include "frontend/common/axis_operands.h"
#include "relay/attrs.h"

namespace lathe::frontend {

Var reducedBy(NodeReader& node, Builder& b, const std::string& kind, Var x) {
    const Var operand = node.in(1);
    if (b.failed() || b.rank(x) == 0)
        return x;
    const AxesToReduce how{.keepDims = node.integer("keep_dims", 0) != 0, .emptyIsAll = false, .mayRepeat = true};
    return overAxes(node, x, operand, how, [&](Var v, const Ints& axes, bool keepDims) {
        return axes.empty() ? v : reduce(b, kind, v, axes, keepDims);
    });
}

Var placeOf(NodeReader& node, Builder& b, Var operand, Var axis, bool max) {
    if (b.failed())
        return {};
    const Var x = b.dtype(operand).isBool() ? cast(b, operand, types::UInt8) : operand;
    return overAxis(node, x, axis, [&](Var v, int64_t at) {
        relay::ArgReduceAttrs attrs;
        attrs.max = max;
        attrs.axis = at;
        return b.call(Op::ArgReduce, {v}, attrs);
    });
}

} // namespace lathe::frontend
