// SPDX-License-Identifier: Apache-2.0
#include "frontend/keras/functions.h"

#include "frontend/common/activations.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace lathe::frontend::keras {
namespace {

using Function = Var (*)(Builder& b, Var x);

Var silu(Builder& b, Var x) {
    return mul(b, x, b.call(Op::Sigmoid, {x}));
}

Var clipped(Builder& b, Var x, double low, double high) {
    return minimum(b, maximum(b, x, scalarLike(b, low, x)), scalarLike(b, high, x));
}

Var hardSigmoid3(Builder& b, Var x) {
    return hardSigmoid(b, x, 1.0 / 6, 0.5);
}

Var glu(Builder& b, Var x) {
    if (b.failed() || b.rank(x) < 1)
        return x;
    const int64_t axis = b.rank(x) - 1;
    const Expr half = arith::simplify(arith::floorDiv(dim(b, x, axis), 2));
    const Var even = assume(b, x, arith::eq(half * 2, dim(b, x, axis)), "glu needs an even number of channels");
    return mul(b, sliceAxis(b, even, axis, 0, half), b.call(Op::Sigmoid, {sliceAxis(b, even, axis, half, half)}));
}

Var selu(Builder& b, Var x) {
    return mulBy(b, elu(b, x, 1.6732632423543772), 1.0507009873554805);
}

Var softShrink(Builder& b, Var x) {
    const Var above = b.call(Op::Relu, {addTo(b, x, -0.5)}),
              below = b.call(Op::Relu, {addTo(b, mulBy(b, x, -1), -0.5)});
    return sub(b, above, below);
}

Var hardShrink(Builder& b, Var x) {
    return where(b, less(b, scalarLike(b, 0.5, x), b.call(Op::Abs, {x})), x, scalarLike(b, 0, x));
}

Var squareplus(Builder& b, Var x) {
    return mulBy(b, add(b, x, b.call(Op::Sqrt, {addTo(b, mul(b, x, x), 4)})), 0.5);
}

/// 0 up to -1, x from 1 on, a parabola between.
Var sparsePlus(Builder& b, Var x) {
    const Var middle = addTo(b, clipped(b, x, -1, 1), 1);
    return where(b, less(b, x, scalarLike(b, 1, x)), mulBy(b, mul(b, middle, middle), 0.25), x);
}

struct NamedFunction {
    std::string_view name;
    Function function;
};

constexpr auto functions = std::to_array<NamedFunction>({
    {"celu", [](Builder& b, Var x) { return elu(b, x, 1); }},
    {"elu", [](Builder& b, Var x) { return elu(b, x, 1); }},
    {"exponential", [](Builder& b, Var x) { return b.call(Op::Exp, {x}); }},
    {"gelu", [](Builder& b, Var x) { return gelu(b, x, false); }},
    {"glu", glu},
    {"hard_shrink", hardShrink},
    {"hard_silu", [](Builder& b, Var x) { return mul(b, x, hardSigmoid3(b, x)); }},
    {"hard_swish", [](Builder& b, Var x) { return mul(b, x, hardSigmoid3(b, x)); }},
    {"hard_tanh", [](Builder& b, Var x) { return clipped(b, x, -1, 1); }},
    {"leaky_relu", [](Builder& b, Var x) { return negativeOr(b, x, mulBy(b, x, 0.2)); }},
    {"linear", [](Builder&, Var x) { return x; }},
    {"log_sigmoid", [](Builder& b, Var x) { return mulBy(b, softplus(b, mulBy(b, x, -1)), -1); }},
    {"log_softmax",
     [](Builder& b, Var x) {
         return b.call(Op::LogSoftmax, {x}, relay::attrsWith<relay::AxisAttrs>([&](relay::AxisAttrs& a) {
                           a.axis = b.failed() ? 0 : std::max(b.rank(x) - 1, 0);
                       }));
     }},
    {"mish", [](Builder& b, Var x) { return mul(b, x, b.call(Op::Tanh, {softplus(b, x)})); }},
    {"relu", [](Builder& b, Var x) { return b.call(Op::Relu, {x}); }},
    {"relu6", [](Builder& b, Var x) { return clipped(b, x, 0, 6); }},
    {"selu", selu},
    {"sigmoid", [](Builder& b, Var x) { return b.call(Op::Sigmoid, {x}); }},
    {"silu", silu},
    {"soft_shrink", softShrink},
    {"softmax", [](Builder& b, Var x) { return b.failed() ? x : softmax(b, x, std::max(b.rank(x) - 1, 0)); }},
    {"softplus", softplus},
    {"softsign", [](Builder& b, Var x) { return div(b, x, addTo(b, b.call(Op::Abs, {x}), 1)); }},
    {"sparse_plus", sparsePlus},
    {"sparse_sigmoid", [](Builder& b, Var x) { return hardSigmoid(b, x, 0.5, 0.5); }},
    {"squareplus", squareplus},
    {"swish", silu},
    {"tanh", [](Builder& b, Var x) { return b.call(Op::Tanh, {x}); }},
    {"tanh_shrink", [](Builder& b, Var x) { return sub(b, x, b.call(Op::Tanh, {x})); }},
});
static_assert(std::ranges::is_sorted(functions, {}, &NamedFunction::name));

} // namespace

/// No exponential of it overflows.
Var softplus(Builder& b, Var x) {
    const Var small = b.call(Op::Exp, {mulBy(b, b.call(Op::Abs, {x}), -1)});
    return add(b, b.call(Op::Relu, {x}), b.call(Op::Log, {addTo(b, small, 1)}));
}

Var functionOf(Layer& layer, const std::string& name, Var x) {
    if (name == "hard_sigmoid") // which Keras 3 defines anew
        return layer.node.version() == 2 ? hardSigmoid(layer.b, x, 0.2, 0.5) : hardSigmoid3(layer.b, x);
    const auto found = std::ranges::lower_bound(functions, name, {}, &NamedFunction::name);
    if (found != functions.end() && found->name == name)
        return layer.b.failed() ? x : found->function(layer.b, x);
    layer.node.refuse(fmt::format("the function '{}' is not supported", name), "use one of Keras's activations");
    return x;
}

Var activated(Layer& layer, const std::string& attribute, Var x) {
    const std::string name = layer.node.text(attribute, "linear");
    if (name == "ReLU")
        return reluLayer(layer, attribute + ".", x);
    if (name == "LeakyReLU")
        return leakyReluLayer(layer, attribute + ".", x);
    if (name == "ELU")
        return elu(layer.b, x, layer.number(attribute + ".alpha", 1));
    if (name == "Softmax" && layer.number(attribute + ".axis", -1) == -1)
        return functionOf(layer, "softmax", x);
    return functionOf(layer, name, x);
}

Var reluLayer(Layer& layer, const std::string& prefix, Var x) {
    Builder& b = layer.b;
    const double slope = layer.number(prefix + "negative_slope", 0), threshold = layer.number(prefix + "threshold", 0);
    Var y;
    if (threshold == 0 && slope == 0)
        y = b.call(Op::Relu, {x});
    else
        y = where(b, less(b, x, scalarLike(b, threshold, x)), mulBy(b, addTo(b, x, -threshold), slope), x);
    if (!layer.numbers(prefix + "max_value").empty())
        y = minimum(b, y, scalarLike(b, layer.number(prefix + "max_value", 0), x));
    return y;
}

/// What Keras 3 calls the slope Keras 2 calls alpha.
Var leakyReluLayer(Layer& layer, const std::string& prefix, Var x) {
    const double slope = layer.number(prefix + "negative_slope", layer.number(prefix + "alpha", 0.3));
    return negativeOr(layer.b, x, mulBy(layer.b, x, slope));
}

} // namespace lathe::frontend::keras
