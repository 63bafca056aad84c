// SPDX-License-Identifier: Apache-2.0
#include "frontend/common/one_hot.h"

#include "frontend/common/integer_operands.h"

namespace lathe::frontend {

Var oneHot(Builder& b, Var indices, const Expr& depth, int64_t axis) {
    if (b.failed())
        return {};
    Dims row(static_cast<size_t>(b.rank(indices)) + 1, Expr(1));
    row[static_cast<size_t>(axis)] = depth;
    return equal(b, unsqueeze(b, indices, {axis}), iota(b, row, axis, types::Int64));
}

Var oneHotOf(NodeReader& node) {
    Builder& b = node.b;
    const Var indices = cast(b, node.in(0), types::Int64);
    const Expr depth = integerOf(node, 1, "depth");
    if (!areSizes(node, {depth}, "depth"))
        return {};
    const int64_t axis = node.axis(node.integer("axis", -1), b.rank(indices) + 1);
    Dims shape = b.shape(indices);
    shape.push_back(depth);
    return mayFill(b, shape) ? oneHot(b, indices, depth, axis) : Var{};
}

} // namespace lathe::frontend
