// SPDX-License-Identifier: Apache-2.0
//
// Calls of operations that are no layers: functions of keras.ops, and those of TensorFlow that Keras 2 wraps. An
// operand is a tensor or a number in the config, which takes the type of the tensor beside it.
#include "frontend/common/activations.h"
#include "frontend/common/new_shape.h"
#include "frontend/common/slice.h"
#include "frontend/keras/functions.h"
#include "frontend/keras/graph_reader.h"
#include "frontend/keras/ops.h"
#include "relay/attrs.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::frontend::keras {
namespace {

constexpr const char* wrongCall = "the config is damaged or was written wrongly; save the model again";

/// The attribute of argument i, which may be given by place or by one of two names.
std::string argumentName(Layer& layer, size_t i, const char* name) {
    const std::string place = fmt::format("arg.{}", i);
    for (const std::string& label : {place, fmt::format("call.{}", name), std::string(name)})
        if (layer.hasArgument(label) || layer.node.has(label))
            return label;
    return place;
}

/// Both operands, x1 and x2 or x and y, of one type: the arguments from `at` on.
std::pair<Var, Var> operands(Layer& layer, size_t at = 0) {
    Builder& b = layer.b;
    std::string first = argumentName(layer, at, "x1"), second = argumentName(layer, at + 1, "x2");
    if (!layer.hasArgument(first) && !layer.node.has(first))
        first = argumentName(layer, at, "x");
    if (!layer.hasArgument(second) && !layer.node.has(second))
        second = argumentName(layer, at + 1, "y");
    Var x = layer.argument(first), y = layer.argument(second);
    const auto constant = [&](const std::string& label, Var like) {
        if (layer.numbers(label).size() != 1) {
            layer.node.fail("an operand is neither a tensor nor a number", wrongCall);
            return Var{};
        }
        return scalarLike(b, layer.number(label, 0), like);
    };
    if (b.failed() || (!x && !y)) {
        layer.node.fail("the operation is called without tensors", wrongCall);
        return {};
    }
    if (!x)
        x = constant(first, y);
    if (!y)
        y = constant(second, x);
    return {x, y};
}

void binary(NodeReader& node, Var (*combine)(Builder&, Var, Var)) {
    Layer layer(node);
    const auto [x, y] = operands(layer);
    if (!node.failed())
        layer.give(combine(node.b, x, y));
}

Var only(Layer& layer) {
    if (layer.tensors() == 1)
        return layer.in();
    layer.node.fail(fmt::format("the operation is called with {} tensors", layer.tensors()), wrongCall);
    return {};
}

Ints intsOf(Layer& layer, size_t i, const char* name) {
    return layer.integers(argumentName(layer, i, name));
}

void reduced(NodeReader& node, const std::string& kind) {
    Layer layer(node);
    Var x = only(layer);
    if (node.failed())
        return;
    if (kind == "mean" && node.node.domain == operations && !node.b.dtype(x).isFloat()) // TensorFlow's stay integers
        x = cast(node.b, x, types::Float32);
    Ints axes = intsOf(layer, 1, "axis");
    axes = axes.empty() ? iotaInts(0, node.b.rank(x)) : node.axes(std::move(axes), node.b.rank(x));
    std::ranges::sort(axes);
    const std::string keep = argumentName(layer, 2, "keepdims");
    layer.give(reduce(node.b, kind, x, axes, layer.number(keep, 0) != 0));
}

void named(NodeReader& node, const char* function) {
    Layer layer(node);
    layer.give(functionOf(layer, function, only(layer)));
}

} // namespace

void giveUnary(NodeReader& node, Op op) {
    Layer layer(node);
    const Var x = only(layer);
    layer.give(node.b.call(op, {x}));
}

void giveBinary(NodeReader& node, Op op) {
    Layer layer(node);
    const auto [x, y] = operands(layer);
    if (!node.failed())
        layer.give(node.b.call(op, {x, y}));
}

void convertOpAdd(NodeReader& node, Builder&) {
    binary(node, add);
}

void convertOpSubtract(NodeReader& node, Builder&) {
    binary(node, sub);
}

void convertOpMultiply(NodeReader& node, Builder&) {
    binary(node, mul);
}

void convertOpDivide(NodeReader& node, Builder&) {
    binary(node, [](Builder& b, Var x, Var y) {
        if (!b.failed() && !b.dtype(x).isFloat()) {
            b.fail("integers are divided, which gives other types in Keras", "divide real numbers",
                   ErrorKind::Unsupported);
            return Var{};
        }
        return div(b, x, y);
    });
}

void convertOpMaximum(NodeReader& node, Builder&) {
    binary(node, maximum);
}

void convertOpMinimum(NodeReader& node, Builder&) {
    binary(node, minimum);
}

void convertOpMatmul(NodeReader& node, Builder&) {
    binary(node, [](Builder& b, Var x, Var y) {
        if (!b.failed() && std::min(b.rank(x), b.rank(y)) < 2) {
            b.fail("a product with a vector is not supported", "make it a matrix of one row or column",
                   ErrorKind::Unsupported);
            return Var{};
        }
        return matmul(b, x, y);
    });
}

void convertOpMean(NodeReader& node, Builder&) {
    reduced(node, "mean");
}

void convertOpSum(NodeReader& node, Builder&) {
    reduced(node, "sum");
}

void convertOpMax(NodeReader& node, Builder&) {
    reduced(node, "max");
}

void convertOpMin(NodeReader& node, Builder&) {
    reduced(node, "min");
}

void convertOpSquare(NodeReader& node, Builder& b) {
    Layer layer(node);
    const Var x = only(layer);
    layer.give(mul(b, x, x));
}

void convertOpRelu(NodeReader& node, Builder&) {
    named(node, "relu");
}

void convertOpRelu6(NodeReader& node, Builder&) {
    named(node, "relu6");
}

void convertOpSigmoid(NodeReader& node, Builder&) {
    named(node, "sigmoid");
}

void convertOpSilu(NodeReader& node, Builder&) {
    named(node, "silu");
}

void convertOpTanh(NodeReader& node, Builder&) {
    named(node, "tanh");
}

void convertOpSoftmax(NodeReader& node, Builder& b) {
    Layer layer(node);
    const Var x = only(layer);
    const Ints axes = intsOf(layer, 1, "axis");
    if (axes.size() > 1)
        return node.refuse("softmax over several axes is not supported", "reshape before it");
    if (node.needRank(x, 1))
        layer.give(softmax(b, x, node.axis(axes.empty() ? -1 : axes[0], b.rank(x))));
}

void convertOpClip(NodeReader& node, Builder& b) {
    Layer layer(node);
    const Var x = only(layer);
    const auto bound = [&](size_t i, const char* name) {
        const std::string label = argumentName(layer, i, name);
        if (layer.numbers(label).size() == 1)
            return scalarLike(b, layer.number(label, 0), x);
        node.refuse("bounds that are no numbers of the config are not supported", "use minimum and maximum");
        return Var{};
    };
    const Var low = node.failed() ? Var{} : bound(1, "x_min"), high = node.failed() ? Var{} : bound(2, "x_max");
    if (!node.failed())
        layer.give(minimum(b, maximum(b, x, low), high));
}

void convertOpGelu(NodeReader& node, Builder& b) {
    Layer layer(node);
    const Var x = only(layer);
    const bool byTanh = layer.number(argumentName(layer, 1, "approximate"), 1) != 0;
    if (!node.failed())
        layer.give(gelu(b, x, byTanh));
}

void convertOpLeakyRelu(NodeReader& node, Builder& b) {
    Layer layer(node);
    const Var x = only(layer);
    layer.give(negativeOr(b, x, mulBy(b, x, layer.number(argumentName(layer, 1, "negative_slope"), 0.2))));
}

void convertOpElu(NodeReader& node, Builder& b) {
    Layer layer(node);
    const Var x = only(layer);
    layer.give(elu(b, x, layer.number(argumentName(layer, 1, "alpha"), 1)));
}

void convertOpSelu(NodeReader& node, Builder&) {
    named(node, "selu");
}

void convertOpSoftplus(NodeReader& node, Builder&) {
    named(node, "softplus");
}

void convertOpSoftsign(NodeReader& node, Builder&) {
    named(node, "softsign");
}

void convertOpHardSigmoid(NodeReader& node, Builder&) {
    named(node, "hard_sigmoid");
}

void convertOpHardSilu(NodeReader& node, Builder&) {
    named(node, "hard_silu");
}

/// Of tensors along a new axis.
void convertOpStack(NodeReader& node, Builder& b) {
    Layer layer(node);
    std::vector<Var> all;
    for (size_t i = 0; i < layer.tensors(); ++i)
        all.push_back(layer.in(i));
    const Ints axes = intsOf(layer, 1, "axis");
    if (all.empty() || node.failed())
        return node.fail("the operation is called without tensors", wrongCall);
    const int64_t axis = node.axis(axes.empty() ? 0 : axes[0], b.rank(all.front()) + 1);
    for (Var& x : all)
        x = unsqueeze(b, x, {axis});
    layer.give(all.size() == 1 ? all.front() : concat(b, all, axis));
}

void convertOpWhere(NodeReader& node, Builder& b) {
    Layer layer(node);
    const Var condition = layer.argument(argumentName(layer, 0, "condition"));
    const auto [x, y] = operands(layer, 1);
    if (!condition)
        return node.fail("the operation is called without a condition", wrongCall);
    if (node.failed())
        return;
    const bool isBool = b.dtype(condition).isBool();
    layer.give(where(b, isBool ? condition : b.call(Op::NotEqual, {condition, scalarLike(b, 0, condition)}), x, y));
}

void convertOpTranspose(NodeReader& node, Builder& b) {
    Layer layer(node);
    const Var x = only(layer);
    if (node.failed())
        return;
    Ints axes = intsOf(layer, 1, node.node.domain == "tf" ? "perm" : "axes");
    if (axes.empty()) {
        axes = iotaInts(0, b.rank(x));
        std::ranges::reverse(axes);
    }
    Ints sorted = axes;
    std::ranges::sort(sorted);
    if (sorted != iotaInts(0, b.rank(x)))
        return node.fail("the axes are other than the operand has", wrongCall);
    layer.give(transpose(b, x, axes));
}

void convertOpReshape(NodeReader& node, Builder& b) {
    Layer layer(node);
    const Var x = only(layer);
    const std::string name = argumentName(layer, 1, "newshape");
    const Ints wanted = node.has(name) ? layer.integers(name) : intsOf(layer, 1, "shape");
    if (!node.failed())
        layer.give(inNewShape(b, x, toDims(wanted), ZeroDim::Kept));
}

void convertOpExpandDims(NodeReader& node, Builder& b) {
    Layer layer(node);
    const Var x = only(layer);
    const Ints axes = intsOf(layer, 1, "axis");
    if (axes.size() != 1)
        return node.refuse("several new axes at once are not supported", "add one after the other");
    if (!node.failed())
        layer.give(unsqueeze(b, x, {node.axis(axes[0], b.rank(x) + 1)}));
}

void convertOpSqueeze(NodeReader& node, Builder& b) {
    Layer layer(node);
    const Var x = only(layer);
    if (node.failed())
        return;
    Ints axes = intsOf(layer, 1, "axis");
    if (axes.empty())
        return layer.give(withoutOnes(b, x));
    axes = node.axes(std::move(axes), b.rank(x));
    std::ranges::sort(axes);
    layer.give(withoutDims(b, x, axes));
}

void convertOpConcatenate(NodeReader& node, Builder& b) {
    Layer layer(node);
    std::vector<Var> all;
    for (size_t i = 0; i < layer.tensors(); ++i)
        all.push_back(layer.in(i));
    const Ints axes = intsOf(layer, 1, "axis");
    if (all.empty())
        return node.fail("the operation is called without tensors", wrongCall);
    if (node.needRank(all.front(), 1))
        layer.give(concat(b, all, node.axis(axes.empty() ? -1 : axes[0], b.rank(all.front()))));
}

/// x[key]: slices with steps that are positive, and single places, of the first axes.
void convertOpGetItem(NodeReader& node, Builder& b) {
    Layer layer(node);
    const Var x = only(layer);
    if (node.failed())
        return;
    const std::string key = argumentName(layer, 1, "key");
    const int64_t count = node.integer(key + ".size", -1);
    if (count < 0 || count > b.rank(x))
        return node.refuse("an index that is no list of slices is not supported", "index with slices");
    relay::SliceAttrs attrs = wholeOf(b, x);
    Ints dropped;
    for (int64_t axis = 0; axis < count; ++axis) {
        const std::string part = fmt::format("{}.{}", key, axis);
        const Expr size = dim(b, x, axis);
        const Ints single = layer.numbers(part).empty() ? Ints{} : layer.integers(part);
        if (single.size() == 1) {
            const Expr place = single[0] < 0 ? arith::simplify(size + single[0]) : Expr(single[0]);
            sliceDim(attrs, static_cast<size_t>(axis), place, arith::simplify(place + 1), 1);
            dropped.push_back(axis);
            continue;
        }
        if (!node.has(part) || node.text(part, "") != "__slice__")
            return node.refuse("an index that is no slice is not supported", "index with slices");
        const auto bound = [&](const char* name, const Expr& otherwise) {
            const Ints given = layer.integers(part + name);
            return given.size() == 1 ? Expr(std::clamp(given[0], -farAway, farAway)) : otherwise;
        };
        const Ints steps = layer.integers(part + ".step");
        const int64_t step = steps.empty() ? 1 : steps[0];
        if (step < 1 || step > farAway)
            return node.refuse("a slice that goes backwards is not supported", "flip before it");
        sliceDim(attrs, static_cast<size_t>(axis), bound(".start", 0), bound(".stop", size), step);
    }
    Var y = b.call(Op::Slice, {x}, attrs);
    for (const int64_t axis : dropped)
        y = assume(b, y, arith::eq(dim(b, y, axis), 1), "the index is within the axis");
    layer.give(dropped.empty() ? y : squeeze(b, y, dropped));
}

} // namespace lathe::frontend::keras
