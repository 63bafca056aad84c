// SPDX-License-Identifier: Apache-2.0
#include "frontend/common/reduced.h"

#include "relay/attrs.h"

#include <algorithm>

namespace lathe::frontend {

/// x reduced over the axes that operand 1 names, some maybe twice; x itself if it names none.
Var reducedBy(NodeReader& node, Builder& b, const std::string& kind, Var x) {
    const Var operand = node.in(1);
    if (b.failed() || b.rank(x) == 0)
        return x;
    const int64_t rank = b.rank(x);
    const bool keep = node.integer("keep_dims", 0) != 0;
    const auto known = b.knownInts(operand);
    if (!known && (b.rank(operand) == 0 || arith::isConst(dim(b, operand, 0), 1)))
        return overAxis(node, b, operand, rank, [&](int64_t axis) { return reduce(b, kind, x, {axis}, keep); });
    if (!known) {
        node.refuse("the axes are computed while the model runs", "make them a constant when exporting the model");
        return {};
    }
    Ints axes = *known;
    for (int64_t& axis : axes)
        axis = node.axis(axis, rank);
    std::ranges::sort(axes);
    const auto twice = std::ranges::unique(axes);
    axes.erase(twice.begin(), twice.end());
    return axes.empty() ? x : reduce(b, kind, x, axes, keep);
}

Var placeOf(NodeReader& node, Builder& b, Var operand, Var axis, bool max) {
    if (b.failed())
        return {};
    const Var x = b.dtype(operand).isBool() ? cast(b, operand, types::UInt8) : operand;
    return overAxis(node, b, axis, b.rank(x), [&](int64_t at) {
        relay::ArgReduceAttrs attrs;
        attrs.max = max;
        attrs.axis = at;
        return b.call(Op::ArgReduce, {x}, attrs);
    });
}

} // namespace lathe::frontend
