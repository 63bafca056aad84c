// SPDX-License-Identifier: Apache-2.0
#include "frontend/common/scatter.h"

#include "frontend/common/integer_operands.h"

#include <fmt/format.h>

namespace lathe::frontend {

Var scatter(Builder& b, Op op, Var x, Var indices, Var updates, const std::string& reduction, int64_t axis) {
    relay::ScatterAttrs attrs;
    attrs.axis = axis;
    attrs.reduction = reduction;
    if (reduction != "add" && reduction != "mul")
        return b.call(op, {x, indices, updates}, attrs);
    return inSingle(b, x, [&](Var v) { return b.call(op, {v, indices, cast(b, updates, b.dtype(v))}, attrs); });
}

Var scatteredIntoZeros(NodeReader& node, size_t shape, Var indices, Var updates) {
    Builder& b = node.b;
    const auto dims = shapeToFill(node, shape);
    if (!dims)
        return {};
    return scatter(b, Op::ScatterNd, full(b, scalarLike(b, 0, updates), *dims), indices, updates, "add");
}

Var densified(NodeReader& node, size_t shape, Var indices, Var values, Var otherwise) {
    Builder& b = node.b;
    const auto dims = shapeToFill(node, shape);
    if (!dims)
        return {};
    if (b.rank(indices) > 2) {
        node.fail(fmt::format("the indices have rank {}", b.rank(indices)));
        return {};
    }
    if (b.rank(indices) == 0)
        indices = reshape(b, indices, {1, 1});
    else if (b.rank(indices) == 1)
        indices = unsqueeze(b, indices, {1});
    values = expand(b, values, {dim(b, indices, 0)});
    return scatter(b, Op::ScatterNd, full(b, otherwise, *dims), indices, values, "none");
}

} // namespace lathe::frontend
