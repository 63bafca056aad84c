// SPDX-License-Identifier: Apache-2.0
//
// Random operators: all draw uniform numbers from the counter-based generator and reshape their distribution.
#include "frontend/common/emit.h"
#include "frontend/onnx/ops.h"

#include <numbers>

namespace lathe::frontend::onnx {

using namespace relay;

namespace {

Var uniform(NodeReader& node, Builder& b, Dims shape, DataType dtype, double low, double high) {
    RandomAttrs attrs;
    attrs.shape = std::move(shape);
    attrs.dtype = dtype;
    attrs.low = low;
    attrs.high = high;
    attrs.hasSeed = node.has("seed");
    attrs.seed = node.real("seed", 0);
    attrs.call = node.walk.nextRandomCall();
    return b.call(Op::RandomUniform, {}, attrs);
}

/// Box and Muller: sqrt(-2 ln u) cos(2 pi v), with u in (0, 1].
Var normal(NodeReader& node, Builder& b, const Dims& shape, DataType dtype) {
    const Var u = uniform(node, b, shape, types::Float32, 0, 1),
              v = uniform(node, b, shape, types::Float32, 0, 2 * std::numbers::pi);
    const Var radius = b.call(Op::Sqrt, {mulBy(b, b.call(Op::Log, {sub(b, scalarLike(b, 1, u), u)}), -2)});
    const Var z = mul(b, radius, b.call(Op::Cos, {v}));
    return cast(b, addTo(b, mulBy(b, z, node.real("scale", 1)), node.real("mean", 0)), dtype);
}

/// The dims that the attribute gives.
Dims givenShape(NodeReader& node) {
    const Ints shape = node.integers("shape");
    if (std::ranges::any_of(shape, [](int64_t size) { return size < 0; }))
        node.fail("attribute 'shape' has a negative dim");
    return toDims(shape);
}

DataType likeType(NodeReader& node, Builder& b, Var x) {
    return elementType(node, "dtype", b.failed() ? types::Float32 : b.dtype(x));
}
Dims likeShape(Builder& b, Var x) {
    return b.failed() ? Dims{} : b.shape(x);
}

} // namespace

void convertRandomUniform(NodeReader& node, Builder& b) {
    node.set(0, uniform(node, b, givenShape(node), elementType(node, "dtype", types::Float32), node.real("low", 0),
                        node.real("high", 1)));
}

void convertRandomUniformLike(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    node.set(0, uniform(node, b, likeShape(b, x), likeType(node, b, x), node.real("low", 0), node.real("high", 1)));
}

void convertRandomNormal(NodeReader& node, Builder& b) {
    node.set(0, normal(node, b, givenShape(node), elementType(node, "dtype", types::Float32)));
}

void convertRandomNormalLike(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    node.set(0, normal(node, b, likeShape(b, x), likeType(node, b, x)));
}

void convertBernoulli(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    if (b.failed())
        return;
    const DataType work = computeType(b, x); // draws that were rounded would hit more often, or less
    const Var draw = uniform(node, b, b.shape(x), work, 0, 1);
    const Var hit = less(b, draw, cast(b, x, work));
    node.set(0, cast(b, hit, elementType(node, "dtype", b.failed() ? types::Float32 : b.dtype(x))));
}

void convertMultinomial(NodeReader& node, Builder& b) {
    Var x = node.in(0); // unnormalized log-probabilities [batch, classes]
    if (!node.needRank(x, 2))
        return;
    x = cast(b, x, computeType(b, x));
    CumAttrs attrs;
    attrs.axis = 1;
    const Var edges = b.call(Op::CumSum, {softmax(b, x, 1)}, attrs);
    const Var draws = uniform(node, b, {dim(b, x, 0), node.integer("sample_size", 1)}, b.dtype(x), 0, 1);
    const Var passed = b.call(Op::GreaterEqual, {unsqueeze(b, draws, {2}), unsqueeze(b, edges, {1})});
    const Var picked = reduce(b, "sum", cast(b, passed, types::Int64), {2}, false);
    const Var last = b.scalarOf(dim(b, x, 1) - 1); // the edges may end just below one
    node.set(0, cast(b, minimum(b, picked, last), elementType(node, "dtype", types::Int32)));
}

} // namespace lathe::frontend::onnx
