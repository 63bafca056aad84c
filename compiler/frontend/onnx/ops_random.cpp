// SPDX-License-Identifier: Apache-2.0
//
// Random operators: what their attributes say of a distribution (frontend/common/random.h).
#include "frontend/common/random.h"
#include "frontend/onnx/ops.h"

namespace lathe::frontend::onnx {

namespace {

std::optional<double> seedOf(NodeReader& node) {
    return node.has("seed") ? std::optional(node.real("seed", 0)) : std::nullopt;
}

/// Of the node's range.
Var uniformOf(NodeReader& node, Dims shape, DataType dtype) {
    return uniform(node, std::move(shape), dtype, node.real("low", 0), node.real("high", 1), seedOf(node));
}

/// Of the node's mean and scale.
Var normalOf(NodeReader& node, Builder& b, const Dims& shape, DataType dtype) {
    const Var z = normal(node, shape, seedOf(node));
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

void convertRandomUniform(NodeReader& node, Builder&) {
    node.set(0, uniformOf(node, givenShape(node), elementType(node, "dtype", types::Float32)));
}

void convertRandomUniformLike(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    node.set(0, uniformOf(node, likeShape(b, x), likeType(node, b, x)));
}

void convertRandomNormal(NodeReader& node, Builder& b) {
    node.set(0, normalOf(node, b, givenShape(node), elementType(node, "dtype", types::Float32)));
}

void convertRandomNormalLike(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    node.set(0, normalOf(node, b, likeShape(b, x), likeType(node, b, x)));
}

void convertBernoulli(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    if (b.failed())
        return;
    const DataType work = computeType(b, x); // draws that were rounded would hit more often, or less
    const Var draw = uniform(node, b.shape(x), work, 0, 1, seedOf(node));
    const Var hit = less(b, draw, cast(b, x, work));
    node.set(0, cast(b, hit, elementType(node, "dtype", b.failed() ? types::Float32 : b.dtype(x))));
}

void convertMultinomial(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    if (!node.needRank(x, 2))
        return;
    const Var picked = multinomial(node, x, node.integer("sample_size", 1), seedOf(node));
    node.set(0, cast(b, picked, elementType(node, "dtype", types::Int32)));
}

} // namespace lathe::frontend::onnx
