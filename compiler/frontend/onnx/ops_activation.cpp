// SPDX-License-Identifier: Apache-2.0
//
// Activations, composed of elementwise operators: fusion makes one kernel of each.
#include "frontend/common/activations.h"
#include "frontend/onnx/ops.h"

namespace lathe::frontend::onnx {

using namespace relay;

namespace {

/// log(1 + exp(x)) without overflow: max(x, 0) + log(1 + exp(-|x|)).
Var softplus(Builder& b, Var x) {
    const Var small = b.call(Op::Exp, {b.call(Op::Negative, {b.call(Op::Abs, {x})})});
    return add(b, b.call(Op::Relu, {x}), b.call(Op::Log, {addTo(b, small, 1)}));
}

/// A function that a name and two numbers say; x of its compute type.
Var namedFunction(NodeReader& node, Builder& b, const std::string& name, Var x, double alpha, double beta) {
    if (name == "Sigmoid")
        return b.call(Op::Sigmoid, {x});
    if (name == "Tanh")
        return b.call(Op::Tanh, {x});
    if (name == "Relu")
        return b.call(Op::Relu, {x});
    if (name == "Affine")
        return addTo(b, mulBy(b, x, alpha), beta);
    if (name == "LeakyRelu")
        return negativeOr(b, x, mulBy(b, x, alpha));
    if (name == "ThresholdedRelu")
        return where(b, b.call(Op::Greater, {x, scalarLike(b, alpha, x)}), x, scalarLike(b, 0, x));
    if (name == "ScaledTanh")
        return mulBy(b, b.call(Op::Tanh, {mulBy(b, x, beta)}), alpha);
    if (name == "HardSigmoid")
        return hardSigmoid(b, x, alpha, beta);
    if (name == "Elu")
        return elu(b, x, alpha);
    if (name == "Softsign")
        return div(b, x, addTo(b, b.call(Op::Abs, {x}), 1));
    if (name == "Softplus")
        return softplus(b, x);
    node.fail(
        "activation '" + name + "' is unknown",
        "known are Relu, Tanh, Sigmoid, Affine, LeakyRelu, ThresholdedRelu, ScaledTanh, HardSigmoid, Elu, Softsign and "
        "Softplus");
    return x;
}

/// The node's result: fn of its operand, rounded once.
void convertFunction(NodeReader& node, Builder& b, const std::function<Var(Var)>& fn) {
    node.set(0, inSingle(b, node.in(0), fn));
}

} // namespace

Var activation(NodeReader& node, Builder& b, const std::string& name, Var x, double alpha, double beta) {
    return inSingle(b, x, [&](Var v) { return namedFunction(node, b, name, v, alpha, beta); });
}

void convertLeakyRelu(NodeReader& node, Builder& b) {
    node.set(0, activation(node, b, "LeakyRelu", node.in(0), node.real("alpha", 0.01), 0));
}
void convertThresholdedRelu(NodeReader& node, Builder& b) {
    node.set(0, activation(node, b, "ThresholdedRelu", node.in(0), node.real("alpha", 1), 0));
}
void convertElu(NodeReader& node, Builder& b) {
    node.set(0, activation(node, b, "Elu", node.in(0), node.real("alpha", 1), 0));
}
void convertHardSigmoid(NodeReader& node, Builder& b) {
    node.set(0, activation(node, b, "HardSigmoid", node.in(0), node.real("alpha", 0.2), node.real("beta", 0.5)));
}
void convertHardSwish(NodeReader& node, Builder& b) {
    convertFunction(node, b, [&](Var x) { return mul(b, x, hardSigmoid(b, x, 1.0 / 6, 0.5)); });
}
void convertSoftplus(NodeReader& node, Builder& b) {
    node.set(0, activation(node, b, "Softplus", node.in(0), 0, 0));
}
void convertSoftsign(NodeReader& node, Builder& b) {
    node.set(0, activation(node, b, "Softsign", node.in(0), 0, 0));
}
void convertMish(NodeReader& node, Builder& b) {
    convertFunction(node, b, [&](Var x) { return mish(b, x); });
}

void convertSelu(NodeReader& node, Builder& b) {
    const bool old = node.version() < 6;
    const double alpha = node.real("alpha", old ? 1.6732 : 1.67326319217681884765625);
    const double gamma = node.real("gamma", old ? 1.0507 : 1.05070102214813232421875);
    convertFunction(node, b, [&](Var x) { return mulBy(b, elu(b, x, alpha), gamma); });
}

void convertCelu(NodeReader& node, Builder& b) {
    const double alpha = node.real("alpha", 1);
    if (alpha == 0)
        return node.fail("alpha is zero, by which the operator divides");
    convertFunction(node, b, [&](Var x) {
        const Var curve = mulBy(b, addTo(b, b.call(Op::Exp, {mulBy(b, x, 1 / alpha)}), -1), alpha);
        return add(b, maximum(b, x, scalarLike(b, 0, x)), minimum(b, curve, scalarLike(b, 0, x)));
    });
}

void convertShrink(NodeReader& node, Builder& b) {
    const double bias = node.real("bias", 0), lambda = node.real("lambd", 0.5);
    convertFunction(node, b, [&](Var x) {
        const Var low = less(b, x, scalarLike(b, -lambda, x));
        const Var high = b.call(Op::Greater, {x, scalarLike(b, lambda, x)});
        return where(b, low, addTo(b, x, bias), where(b, high, addTo(b, x, -bias), scalarLike(b, 0, x)));
    });
}

void convertSwish(NodeReader& node, Builder& b) {
    const double alpha = node.real("alpha", 1);
    convertFunction(node, b, [&](Var x) { return mul(b, x, b.call(Op::Sigmoid, {mulBy(b, x, alpha)})); });
}

void convertGelu(NodeReader& node, Builder& b) {
    const bool byTanh = node.text("approximate", "none") == "tanh";
    convertFunction(node, b, [&](Var x) { return gelu(b, x, byTanh); });
}

void convertPRelu(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    Var slope = node.in(1);
    if (b.failed())
        return;
    if (node.version() < 7 && b.rank(slope) == 1 && b.rank(x) > 2)
        slope = unsqueeze(b, slope, iotaInts(1, b.rank(x) - 1)); // one slope a channel
    node.set(0, negativeOr(b, x, mul(b, x, fitted(b, slope, b.shape(x)))));
}

/// Before opset 13 softmax-like operators saw a matrix: dims before `axis` by dims from it on.
Var flattened(NodeReader& node, Builder& b, Var x, const std::function<Var(Var, int64_t)>& fn) {
    if (b.failed())
        return {};
    const bool old = node.version() < 13;
    const int64_t rank = b.rank(x);
    const int64_t axis =
        rank == 0 ? 0 : node.axis(node.integer("axis", old ? 1 : -1), old ? std::max<int64_t>(rank, 2) : rank);
    if (rank == 0)
        return reshape(b, fn(reshape(b, x, {1}), 0), {});
    if (!old || axis == rank - 1)
        return fn(x, axis);
    const Dims shape = b.shape(x);
    const auto split = shape.begin() + std::min(axis, rank);
    const Var matrix = reshape(b, x, {product({shape.begin(), split}), product({split, shape.end()})});
    return reshape(b, fn(matrix, 1), shape);
}

void convertSoftmax(NodeReader& node, Builder& b) {
    node.set(0, flattened(node, b, node.in(0), [&](Var x, int64_t axis) { return softmax(b, x, axis); }));
}

void convertLogSoftmax(NodeReader& node, Builder& b) {
    node.set(0, flattened(node, b, node.in(0), [&](Var x, int64_t axis) {
                 AxisAttrs attrs;
                 attrs.axis = axis;
                 return b.call(Op::LogSoftmax, {x}, attrs);
             }));
}

void convertHardmax(NodeReader& node, Builder& b) {
    node.set(0, flattened(node, b, node.in(0), [&](Var x, int64_t axis) {
                 ArgReduceAttrs attrs;
                 attrs.axis = axis;
                 attrs.keepDims = true;
                 const Var best = b.call(Op::ArgReduce, {x}, attrs);
                 const Var places = iota(b, b.failed() ? Dims{} : b.shape(x), axis, types::Int64);
                 return b.failed() ? Var{} : cast(b, equal(b, places, best), b.dtype(x));
             }));
}

} // namespace lathe::frontend::onnx
