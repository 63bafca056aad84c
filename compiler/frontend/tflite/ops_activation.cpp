// SPDX-License-Identifier: Apache-2.0
//
// Activations that are operators of their own; those that others are fused with are operands.h's.
#include "frontend/common/activations.h"
#include "frontend/tflite/elementwise.h"
#include "frontend/tflite/ops.h"
#include "relay/attrs.h"

namespace lathe::frontend::tflite {

using namespace relay;

namespace {

/// Gives the operand between two bounds.
void giveBetween(NodeReader& node, Builder& b, double low, double high) {
    giveMapped(node, b,
               [&](Var x) { return minimum(b, maximum(b, x, scalarLike(b, low, x)), scalarLike(b, high, x)); });
}

} // namespace

void convertRelu(NodeReader& node, Builder& b) {
    giveMapped(node, b, Op::Relu);
}
void convertRelu6(NodeReader& node, Builder& b) {
    giveBetween(node, b, 0, 6);
}
void convertReluN1To1(NodeReader& node, Builder& b) {
    giveBetween(node, b, -1, 1);
}
void convertRelu0To1(NodeReader& node, Builder& b) {
    giveBetween(node, b, 0, 1);
}

void convertPrelu(NodeReader& node, Builder& b) {
    giveCombined(node, b, [&](Var x, Var slope) {
        return b.failed() ? Var{} : negativeOr(b, x, mul(b, x, fitted(b, slope, b.shape(x))));
    });
}

void convertLeakyRelu(NodeReader& node, Builder& b) {
    const double alpha = node.real("alpha", 0);
    giveMapped(node, b, [&](Var x) { return negativeOr(b, x, mulBy(b, x, alpha)); });
}

void convertElu(NodeReader& node, Builder& b) {
    giveMapped(node, b, [&](Var x) { return elu(b, x, 1); });
}

void convertGelu(NodeReader& node, Builder& b) {
    const bool byTanh = node.integer("approximate", 0) != 0;
    giveMapped(node, b, [&](Var x) { return gelu(b, x, byTanh); });
}

void convertHardSwish(NodeReader& node, Builder& b) {
    giveMapped(node, b, [&](Var x) { return mul(b, x, hardSigmoid(b, x, 1.0 / 6, 0.5)); });
}

void convertLogistic(NodeReader& node, Builder& b) {
    giveMapped(node, b, Op::Sigmoid);
}
void convertTanh(NodeReader& node, Builder& b) {
    giveMapped(node, b, Op::Tanh);
}

void convertSoftmax(NodeReader& node, Builder& b) {
    const double beta = node.real("beta", 1);
    const Var x = realOf(node, 0);
    if (node.needRank(x, 1))
        give(node, 0, inSingle(b, x, [&](Var v) { return softmax(b, mulBy(b, v, beta), b.rank(v) - 1); }));
}

void convertLogSoftmax(NodeReader& node, Builder& b) {
    const Var x = realOf(node, 0);
    if (!node.needRank(x, 1))
        return;
    AxisAttrs attrs;
    attrs.axis = b.rank(x) - 1;
    give(node, 0, b.call(Op::LogSoftmax, {x}, attrs));
}

} // namespace lathe::frontend::tflite
