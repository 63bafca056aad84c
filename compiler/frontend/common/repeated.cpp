// SPDX-License-Identifier: Apache-2.0
#include "frontend/common/repeated.h"

#include "frontend/common/integer_operands.h"
#include "relay/attrs.h"

#include <algorithm>

namespace lathe::frontend {

Var tiled(NodeReader& node, Var x) {
    relay::TileAttrs attrs;
    attrs.repeats = integersOf(node, 1, "multiple");
    if (!areSizes(node, attrs.repeats, "multiples"))
        return {};
    const Dims from = node.b.shape(x);
    Dims shape;
    for (size_t i = 0; i < std::min(from.size(), attrs.repeats.size()); ++i)
        shape.push_back(arith::simplify(from[i] * attrs.repeats[i]));
    return mayFill(node.b, shape) ? node.b.call(Op::Tile, {x}, attrs) : Var{};
}

Var reversedAlong(NodeReader& node, Var x) {
    const auto axes = knownIntegers(node, 1, "axes");
    if (!axes || node.failed())
        return {};
    relay::AxesAttrs attrs;
    attrs.axes = node.axes(*axes, node.b.rank(x));
    return node.b.call(Op::Reverse, {x}, attrs);
}

Var reversedSequences(NodeReader& node, Var x) {
    const Var lengths = cast(node.b, node.in(1), types::Int64);
    if (node.failed())
        return {};
    relay::ReverseAttrs attrs;
    attrs.timeAxis = node.axis(node.integer("seq_dim", 0), node.b.rank(x));
    attrs.batchAxis = node.axis(node.integer("batch_dim", 0), node.b.rank(x));
    return node.b.call(Op::ReverseSequence, {x, lengths}, attrs);
}

} // namespace lathe::frontend
