// SPDX-License-Identifier: Apache-2.0
//
// Random numbers. Seeds of 0 and 0 ask for others each time.
#include "frontend/common/random.h"
#include "frontend/tflite/integers.h"
#include "frontend/tflite/operands.h"
#include "frontend/tflite/ops.h"

namespace lathe::frontend::tflite {
namespace {

std::optional<double> seedOf(NodeReader& node) {
    return seedOfHalves(node.integer("seed", 0), node.integer("seed2", 0));
}

} // namespace

void convertRandomUniform(NodeReader& node, Builder&) {
    if (auto shape = shapeToFill(node, 0))
        give(node, 0, uniform(node, *std::move(shape), types::Float32, 0, 1, seedOf(node)));
}

void convertRandomStandardNormal(NodeReader& node, Builder&) {
    if (const auto shape = shapeToFill(node, 0))
        give(node, 0, normal(node, *shape, seedOf(node)));
}

void convertMultinomial(NodeReader& node, Builder& b) {
    const Var logits = realOf(node, 0);
    const Expr count = integerOf(node, 1, "number of samples");
    if (!b.failed() && node.needRank(logits, 2) && areSizes(node, {count}, "number of samples"))
        giveIntegers(node, 0, multinomial(node, logits, count, seedOf(node)));
}

} // namespace lathe::frontend::tflite
