// SPDX-License-Identifier: Apache-2.0
//
// Between real numbers and the integers that stand for them.
#include "frontend/tflite/operands.h"
#include "frontend/tflite/ops.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace lathe::frontend::tflite {

namespace {

/// The steps between two bounds, moved so that zero is on one. All in float32, as what they stand in for computes.
struct NudgedRange {
    float low = 0, high = 0, step = 0;

    NudgedRange(float min, float max, float firstLevel, float lastLevel) {
        step = (max - min) / (lastLevel - firstLevel);
        const float zero = std::clamp(std::round(firstLevel - min / step), firstLevel, lastLevel);
        low = (firstLevel - zero) * step;
        high = (lastLevel - zero) * step;
    }
};

} // namespace

/// Of integers too: what they stand for, by the result's scale.
void convertQuantize(NodeReader& node, Builder&) {
    give(node, 0, realOf(node, 0));
}

void convertDequantize(NodeReader& node, Builder& b) {
    const Var x = realOf(node, 0);
    if (b.failed())
        return;
    if (!b.dtype(x).isFloat())
        return node.fail(fmt::format("the operand is {} and has no scale", toString(b.dtype(x))),
                         "the model is malformed; export it again");
    node.set(0, cast(b, x, types::Float32));
}

/// Rounds to one of 2^bits numbers and stays real.
void convertFakeQuant(NodeReader& node, Builder& b) {
    const Var operand = realOf(node, 0);
    const auto min = static_cast<float>(node.real("min", 0)), max = static_cast<float>(node.real("max", 0));
    const int64_t bits = node.integer("num_bits", 0);
    if (bits < 2 || bits > 16 || !(min < max) || !std::isfinite(max - min))
        return node.fail(fmt::format("{} bits for numbers from {} to {}", bits, min, max),
                         "2 to 16 bits, and finite bounds that differ; export the model again");
    const float first = node.integer("narrow_range", 0) != 0 ? 1 : 0;
    const NudgedRange range(min, max, first, static_cast<float>((1 << bits) - 1));
    give(node, 0, inSingle(b, operand, [&](Var x) {
             const Var inside = minimum(b, maximum(b, x, scalarLike(b, range.low, x)), scalarLike(b, range.high, x));
             // No step is below the first: rounding half up is rounding half away from zero.
             const Var steps = mulBy(b, addTo(b, inside, -range.low), 1 / range.step);
             const Var rounded = b.call(Op::Floor, {addTo(b, steps, 0.5)});
             return addTo(b, mulBy(b, rounded, range.step), range.low);
         }));
}

/// Sparse constants are dense since they were read.
void convertDensify(NodeReader& node, Builder& b) {
    node.set(0, b.call(Op::Copy, {node.in(0)}));
}

} // namespace lathe::frontend::tflite
