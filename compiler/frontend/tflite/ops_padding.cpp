// SPDX-License-Identifier: Apache-2.0
//
// Padding around tensors and between their elements. Quantized ones are padded with what stands for zero.
#include "frontend/common/paddings.h"
#include "frontend/tflite/integers.h"
#include "frontend/tflite/operands.h"
#include "frontend/tflite/ops.h"
#include "frontend/tflite/stored_zero.h"

#include <fmt/format.h>

namespace lathe::frontend::tflite {

void convertPad(NodeReader& node, Builder& b) {
    Movement m(node, {0});
    const Var x = m.in(0);
    if (auto paddings = readPaddings(node, x))
        m.give(0, pad(b, x, "constant", std::move(paddings->before), std::move(paddings->after), {},
                      storedZero(node, 0, x)));
}

void convertPadv2(NodeReader& node, Builder& b) {
    Movement m(node, {0, 2});
    const Var x = m.in(0), value = asScalar(b, m.in(2));
    if (auto paddings = readPaddings(node, x))
        m.give(0, pad(b, x, "constant", std::move(paddings->before), std::move(paddings->after), {}, value));
}

void convertMirrorPad(NodeReader& node, Builder& b) {
    Movement m(node, {0});
    const Var x = m.in(0);
    m.give(0, mirrored(node, b, x));
}

void convertDilate(NodeReader& node, Builder& b) {
    Movement m(node, {0, 2});
    const Var x = m.in(0), value = asScalar(b, m.in(2));
    auto steps = knownIntegers(node, 1, "dilations");
    if (!steps || b.failed())
        return;
    const Dims shape = b.shape(x);
    if (steps->size() != shape.size())
        return node.fail(fmt::format("there are {} dilations for a tensor of rank {}", steps->size(), shape.size()));
    Dims dilated;
    for (size_t i = 0; i < shape.size(); ++i) {
        int64_t& step = (*steps)[i];
        if (step < 1 || step > limits::filledElements)
            return node.fail(fmt::format("a dilation is {}", step));
        dilated.push_back(arith::simplify((shape[i] - 1) * step + 1));
        --step; // elements between neighbours
    }
    const Dims none(shape.size(), Expr(0));
    if (mayFill(node.b, dilated))
        m.give(0, pad(b, x, "constant", none, none, *std::move(steps), value));
}

} // namespace lathe::frontend::tflite
