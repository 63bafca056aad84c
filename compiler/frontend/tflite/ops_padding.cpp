// SPDX-License-Identifier: Apache-2.0
//
// Padding around tensors and between their elements. Quantized ones are padded with what stands for zero.
#include "frontend/tflite/integers.h"
#include "frontend/tflite/operands.h"
#include "frontend/tflite/ops.h"
#include "frontend/tflite/stored_zero.h"

#include <fmt/format.h>

namespace lathe::frontend::tflite {
namespace {

struct Paddings {
    Dims before, after;
};

/// Operand 1: two numbers a dim of x.
std::optional<Paddings> readPaddings(NodeReader& node, Var x) {
    const Dims all = integersOf(node, 1, "padding");
    if (!areSizes(node, all, "paddings"))
        return std::nullopt;
    const auto rank = static_cast<size_t>(node.b.rank(x));
    if (all.size() != 2 * rank) {
        node.fail(fmt::format("there are {} paddings where a tensor of rank {} needs {}", all.size(), rank, 2 * rank));
        return std::nullopt;
    }
    Paddings paddings;
    Dims padded = node.b.shape(x);
    for (size_t i = 0; i < rank; ++i) {
        paddings.before.push_back(all[2 * i]);
        paddings.after.push_back(all[2 * i + 1]);
        padded[i] = arith::simplify(padded[i] + all[2 * i] + all[2 * i + 1]);
    }
    return mayFill(node.b, padded) ? std::optional(std::move(paddings)) : std::nullopt;
}

} // namespace

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
    Var x = m.in(0);
    auto paddings = readPaddings(node, x);
    if (!paddings)
        return;
    const bool symmetric = node.text("mode", "REFLECT") == "SYMMETRIC";
    const Dims shape = b.shape(x);
    for (size_t i = 0; i < shape.size(); ++i) {
        const Expr most = arith::max(paddings->before[i], paddings->after[i]);
        if (arith::isConst(arith::simplify(most), 0))
            continue;
        const Expr mirrored = symmetric ? shape[i] : arith::simplify(shape[i] - 1);
        x = assume(b, x, arith::le(most, mirrored),
                   fmt::format("dim {} of {} has as many elements as its padding mirrors", i, text(shape)));
    }
    m.give(0, pad(b, x, symmetric ? "symmetric" : "reflect", std::move(paddings->before), std::move(paddings->after)));
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
