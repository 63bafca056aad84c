// SPDX-License-Identifier: Apache-2.0
//
// Shapes as values, new shapes, and tensors that shapes make.
#include "frontend/common/new_shape.h"
#include "frontend/tflite/integers.h"
#include "frontend/tflite/operands.h"
#include "frontend/tflite/ops.h"
#include "frontend/tflite/stored_zero.h"

#include <fmt/format.h>

namespace lathe::frontend::tflite {
namespace {

/// The new shape: the operand says it, else the attribute. Files of before 2018 spell a scalar's as [0].
Dims wantedShape(NodeReader& node) {
    if (node.hasInput(1))
        return integersOf(node, 1, "dim");
    const Ints given = node.integers("new_shape");
    return given == Ints{0} ? Dims{} : toDims(given);
}

} // namespace

void convertReshape(NodeReader& node, Builder& b) {
    Movement m(node, {0});
    const Var x = m.in(0);
    const Dims wanted = wantedShape(node);
    m.give(0, inNewShape(b, x, wanted, ZeroDim::Kept));
}

void convertExpandDims(NodeReader& node, Builder& b) {
    Movement m(node, {0});
    const Var x = m.in(0);
    const auto axis = knownInteger(node, 1, "axis");
    if (axis)
        m.give(0, unsqueeze(b, x, {node.axis(*axis, b.rank(x) + 1)}));
}

void convertSqueeze(NodeReader& node, Builder& b) {
    Movement m(node, {0});
    const Var x = m.in(0);
    if (b.failed())
        return;
    const Ints axes = node.integers("squeeze_dims");
    m.give(0, axes.empty() ? withoutOnes(b, x) : withoutDims(b, x, node.axes(axes, b.rank(x))));
}

void convertShape(NodeReader& node, Builder& b) {
    node.set(0, cast(b, b.call(Op::ShapeOf, {node.in(0)}), integerType(node, "out_type")));
}

void convertRank(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    if (!b.failed())
        giveIntegers(node, 0, b.scalarInt(b.rank(x)));
}

void convertFill(NodeReader& node, Builder& b) {
    Movement m(node, {1});
    const auto shape = shapeToFill(node, 0);
    const Var value = m.in(1);
    if (shape)
        m.give(0, full(b, value, *shape));
}

void convertZerosLike(NodeReader& node, Builder& b) {
    Movement m(node, {0});
    const Var x = m.in(0);
    if (!b.failed())
        m.give(0, full(b, storedZero(node, 0, x), b.shape(x)));
}

void convertRange(NodeReader& node, Builder& b) {
    std::vector<Var> scalars;
    for (size_t i = 0; i < 3; ++i)
        scalars.push_back(asScalar(b, realOf(node, i)));
    const Var all = b.call(Op::Range, scalars);
    if (!b.failed() && mayFill(node.b, b.shape(all)))
        give(node, 0, all);
}

void convertBroadcastTo(NodeReader& node, Builder& b) {
    Movement m(node, {0});
    const Var x = m.in(0);
    const auto shape = shapeToFill(node, 1);
    if (shape)
        m.give(0, expand(b, fitted(b, x, *shape), *shape));
}

void convertBroadcastArgs(NodeReader& node, Builder& b) {
    Var x = node.in(0), y = node.in(1);
    if (!node.needRank(x, 1) || !node.needRank(y, 1))
        return;
    const auto rankX = arith::asInt(dim(b, x, 0)), rankY = arith::asInt(dim(b, y, 0));
    if (!rankX || !rankY)
        return node.refuse("the ranks of the shapes are computed while the model runs");
    const auto filled = [&](Var shape, int64_t rank) { // with dims of 1 before its own
        const int64_t missing = std::max(*rankX, *rankY) - rank;
        return missing == 0 ? shape : concat(b, {full(b, scalarLike(b, 1, shape), {missing}), shape}, 0);
    };
    x = filled(x, *rankX);
    y = filled(y, *rankY);
    giveIntegers(node, 0, where(b, equal(b, x, scalarLike(b, 1, x)), y, x));
}

} // namespace lathe::frontend::tflite
