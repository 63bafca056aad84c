// SPDX-License-Identifier: Apache-2.0
//
// Activations.
#include "frontend/common/activations.h"
#include "frontend/tensorflow/operands.h"
#include "frontend/tensorflow/ops.h"
#include "relay/attrs.h"

namespace lathe::frontend::tensorflow {

void convertRelu6(NodeReader& node, Builder& b) {
    giveMapped(node, b, [&](Var x) { return minimum(b, b.call(Op::Relu, {x}), scalarLike(b, 6, x)); });
}

void convertLeakyRelu(NodeReader& node, Builder& b) {
    const double alpha = node.real("alpha", 0.2);
    giveMapped(node, b, [&](Var x) { return negativeOr(b, x, mulBy(b, x, alpha)); });
}

void convertElu(NodeReader& node, Builder& b) {
    giveMapped(node, b, [&](Var x) { return elu(b, x, 1); });
}

void convertSelu(NodeReader& node, Builder& b) {
    constexpr double alpha = 1.6732632423543772848170429916717, scale = 1.0507009873554804934193349852946;
    giveMapped(node, b, [&](Var x) { return mulBy(b, elu(b, x, alpha), scale); });
}

void convertSoftplus(NodeReader& node, Builder& b) {
    giveMapped(node, b, [&](Var x) {
        const Var decay = b.call(Op::Exp, {b.call(Op::Negative, {b.call(Op::Abs, {x})})});
        return add(b, b.call(Op::Relu, {x}), b.call(Op::Log, {addTo(b, decay, 1)}));
    });
}

void convertSoftsign(NodeReader& node, Builder& b) {
    giveMapped(node, b, [&](Var x) { return div(b, x, addTo(b, b.call(Op::Abs, {x}), 1)); });
}

void convertSoftmax(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    if (node.needRank(x, 1))
        node.set(0, softmax(b, x, b.rank(x) - 1));
}

void convertLogSoftmax(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    if (!node.needRank(x, 1))
        return;
    relay::AxisAttrs attrs;
    attrs.axis = b.rank(x) - 1;
    node.set(0, b.call(Op::LogSoftmax, {x}, attrs));
}

} // namespace lathe::frontend::tensorflow
