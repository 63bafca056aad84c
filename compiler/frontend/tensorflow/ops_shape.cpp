// SPDX-License-Identifier: Apache-2.0
//
// Shapes as values, new shapes, and tensors that shapes make.
#include "frontend/common/new_shape.h"
#include "frontend/tensorflow/operands.h"
#include "frontend/tensorflow/ops.h"
#include "relay/attrs.h"

#include <fmt/format.h>

namespace lathe::frontend::tensorflow {

void convertReshape(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    const Dims wanted = integersOf(node, 1, "dim");
    node.set(0, inNewShape(b, x, wanted, ZeroDim::Kept));
}

void convertExpandDims(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    if (const auto axis = knownInteger(node, 1, "axis"); axis && !b.failed())
        node.set(0, unsqueeze(b, x, {node.axis(*axis, b.rank(x) + 1)}));
}

void convertSqueeze(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    if (b.failed())
        return;
    const Ints axes = node.has("squeeze_dims") ? node.integers("squeeze_dims") : node.integers("axis");
    node.set(0, axes.empty() ? withoutOnes(b, x) : withoutDims(b, x, node.axes(axes, b.rank(x))));
}

void convertShape(NodeReader& node, Builder& b) {
    if (const auto dtype = typeNamed(node, "out_type", types::Int32))
        node.set(0, cast(b, b.call(Op::ShapeOf, {node.in(0)}), *dtype));
}

void convertShapeN(NodeReader& node, Builder& b) {
    const auto dtype = typeNamed(node, "out_type", types::Int32);
    for (size_t i = 0; i < node.outputs() && dtype; ++i)
        if (node.wants(i))
            node.set(i, cast(b, b.call(Op::ShapeOf, {node.in(i)}), *dtype));
}

void convertSize(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    const auto dtype = typeNamed(node, "out_type", types::Int32);
    if (dtype && !b.failed())
        node.set(0, cast(b, b.scalarOf(arith::simplify(product(b.shape(x)))), *dtype));
}

void convertRank(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    if (!b.failed())
        node.set(0, b.scalarInt(b.rank(x), types::Int32));
}

void convertFill(NodeReader& node, Builder& b) {
    const auto shape = shapeToFill(node, 0);
    const Var value = asScalar(b, node.in(1));
    if (shape)
        node.set(0, full(b, value, *shape));
}

namespace {

void giveFilledLike(NodeReader& node, Builder& b, double value) {
    const Var x = node.in(0);
    if (!b.failed())
        node.set(0, full(b, scalarLike(b, value, x), b.shape(x)));
}

} // namespace

void convertZerosLike(NodeReader& node, Builder& b) {
    giveFilledLike(node, b, 0);
}
void convertOnesLike(NodeReader& node, Builder& b) {
    giveFilledLike(node, b, 1);
}

void convertRange(NodeReader& node, Builder& b) {
    std::vector<Var> scalars;
    for (size_t i = 0; i < 3; ++i)
        scalars.push_back(asScalar(b, node.in(i)));
    const Var all = b.call(Op::Range, scalars);
    if (!b.failed() && mayFill(node.b, b.shape(all)))
        node.set(0, all);
}

void convertBroadcastTo(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    const auto shape = shapeToFill(node, 1);
    if (shape)
        node.set(0, expand(b, fitted(b, x, *shape), *shape));
}

void convertEnsureShape(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    if (b.failed())
        return;
    if (!node.has("shape")) // of unknown rank
        return node.set(0, x);
    const Ints wanted = node.integers("shape");
    Dims shape = b.shape(x);
    if (wanted.size() != shape.size())
        return node.fail(fmt::format("the tensor {} is to have {} dims", text(shape), wanted.size()));
    for (size_t i = 0; i < shape.size(); ++i)
        if (wanted[i] >= 0)
            shape[i] = wanted[i];
    node.set(0, withDims(b, x, shape));
}

void convertLinSpace(NodeReader& node, Builder& b) {
    const Var start = asScalar(b, node.in(0)), stop = asScalar(b, node.in(1));
    const Expr count = integerOf(node, 2, "number of elements");
    if (!areSizes(node, {count}, "number of elements") || !mayFill(node.b, {count}) || b.failed())
        return;
    const Var steps = cast(b, b.scalarOf(arith::simplify(arith::max(count - 1, 1))), b.dtype(start));
    const Var places = cast(b, iota(b, {count}, 0, types::Int64), b.dtype(start));
    node.set(0, add(b, start, mul(b, places, div(b, sub(b, stop, start), steps))));
}

void convertIdentity(NodeReader& node, Builder&) {
    if (const Value* value = node.value(0)) // lists too
        node.set(0, *value);
}

void convertIdentityN(NodeReader& node, Builder&) {
    for (size_t i = 0; i < std::min(node.outputs(), node.inputs()); ++i)
        if (const Value* value = node.wants(i) ? node.value(i) : nullptr)
            node.set(i, *value);
}

} // namespace lathe::frontend::tensorflow
