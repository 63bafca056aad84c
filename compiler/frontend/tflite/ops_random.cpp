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
    const int64_t first = node.integer("seed", 0), second = node.integer("seed2", 0);
    if (first == 0 && second == 0)
        return std::nullopt;
    return static_cast<double>(first) + 0x1p-32 * static_cast<double>(second);
}

/// The shape that operand 0 holds; nothing after a fault.
std::optional<Dims> askedShape(NodeReader& node, Builder& b) {
    Dims shape = integersOf(node, 0, "dim");
    if (!areSizes(node, shape, "shape") || !mayFill(node.b, shape) || b.failed())
        return std::nullopt;
    return shape;
}

} // namespace

void convertRandomUniform(NodeReader& node, Builder& b) {
    if (auto shape = askedShape(node, b))
        give(node, 0, uniform(node, *std::move(shape), types::Float32, 0, 1, seedOf(node)));
}

void convertRandomStandardNormal(NodeReader& node, Builder& b) {
    if (const auto shape = askedShape(node, b))
        give(node, 0, normal(node, *shape, seedOf(node)));
}

void convertMultinomial(NodeReader& node, Builder& b) {
    const Var logits = realOf(node, 0);
    const Expr count = integerOf(node, 1, "number of samples");
    if (!b.failed() && node.needRank(logits, 2) && areSizes(node, {count}, "number of samples"))
        giveIntegers(node, 0, multinomial(node, logits, count, seedOf(node)));
}

} // namespace lathe::frontend::tflite
