// SPDX-License-Identifier: Apache-2.0
//
// Random numbers. Seeds of 0 and 0 ask for others each time.
#include "frontend/common/random.h"
#include "frontend/tensorflow/operands.h"
#include "frontend/tensorflow/ops.h"

namespace lathe::frontend::tensorflow {
namespace {

std::optional<double> seedOf(NodeReader& node) {
    return seedOfHalves(node.integer("seed", 0), node.integer("seed2", 0));
}

} // namespace

void convertRandomUniform(NodeReader& node, Builder& b) {
    const auto dtype = typeNamed(node, "dtype", types::Float32);
    if (auto shape = shapeToFill(node, 0); shape && dtype)
        node.set(0, cast(b, uniform(node, *std::move(shape), types::Float32, 0, 1, seedOf(node)), *dtype));
}

void convertRandomStandardNormal(NodeReader& node, Builder& b) {
    const auto dtype = typeNamed(node, "dtype", types::Float32);
    if (const auto shape = shapeToFill(node, 0); shape && dtype)
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
