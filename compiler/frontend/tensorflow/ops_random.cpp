// SPDX-License-Identifier: Apache-2.0
//
// Random numbers. Seeds of 0 and 0 ask for others each time.
#include "frontend/common/random.h"
#include "frontend/tensorflow/operands.h"
#include "frontend/tensorflow/ops.h"

namespace lathe::frontend::tensorflow {
namespace {

std::optional<double> seedOf(NodeReader& node) {
    const int64_t first = node.integer("seed", 0), second = node.integer("seed2", 0);
    if (first == 0 && second == 0)
        return std::nullopt;
    return static_cast<double>(first) + 0x1p-32 * static_cast<double>(second);
}

std::optional<Dims> askedShape(NodeReader& node, Builder& b) {
    Dims shape = integersOf(node, 0, "dim");
    if (!areSizes(node, shape, "shape") || !mayFill(node.b, shape) || b.failed())
        return std::nullopt;
    return shape;
}

} // namespace

void convertRandomUniform(NodeReader& node, Builder& b) {
    const auto dtype = typeNamed(node, "dtype", types::Float32);
    if (auto shape = askedShape(node, b); shape && dtype)
        node.set(0, cast(b, uniform(node, *std::move(shape), types::Float32, 0, 1, seedOf(node)), *dtype));
}

void convertRandomStandardNormal(NodeReader& node, Builder& b) {
    const auto dtype = typeNamed(node, "dtype", types::Float32);
    if (const auto shape = askedShape(node, b); shape && dtype)
        node.set(0, cast(b, normal(node, *shape, seedOf(node)), *dtype));
}

void convertMultinomial(NodeReader& node, Builder& b) {
    const Var logits = node.in(0);
    const Expr count = integerOf(node, 1, "number of samples");
    const auto dtype = typeNamed(node, "output_dtype", types::Int64);
    if (dtype && node.needRank(logits, 2) && areSizes(node, {count}, "number of samples"))
        node.set(0, cast(b, multinomial(node, logits, count, seedOf(node)), *dtype));
}

} // namespace lathe::frontend::tensorflow
