// SPDX-License-Identifier: Apache-2.0
//
// Activations, composed of elementwise operators: fusion makes one kernel of each.
#include "frontend/common/activations.h"
#include "frontend/common/arithmetic.h"
#include "frontend/torch/elementwise.h"
#include "frontend/torch/ops.h"
#include "frontend/torch/reduced.h"

#include <array>
#include <cmath>
#include <fmt/format.h>

namespace lathe::frontend::torch {
namespace {

using enum model::Family;

Var greater(Builder& b, Var x, double bound) {
    return b.call(Op::Greater, {x, scalarLike(b, bound, x)});
}
/// Between bounds, NaN as it is.
Var within(Builder& b, Var x, double low, double high) {
    return minimum(b, maximum(b, x, scalarLike(b, low, x)), scalarLike(b, high, x));
}

void convertRelu(Call& call, Builder& b) {
    call.give(b.call(Op::Relu, {call.tensor("self")}));
}
void convertRelu6(Call& call, Builder& b) {
    giveMapped(call, [&](Var x) { return within(b, x, 0, 6); });
}
/// Bounds of integers are cut to whole numbers.
void convertHardtanh(Call& call, Builder& b) {
    const double low = call.real("min_val"), high = call.real("max_val");
    giveMapped(call, [&](Var x) {
        return isFloat(b, x) ? within(b, x, low, high) : within(b, x, std::trunc(low), std::trunc(high));
    });
}

void convertGelu(Call& call, Builder& b) {
    const std::string approximate = call.text("approximate");
    if (approximate != "none" && approximate != "tanh")
        return call.fail(fmt::format("approximate is '{}'", approximate), "'none' or 'tanh'");
    giveMapped(call, [&](Var x) { return gelu(b, x, approximate == "tanh"); });
}
void convertSilu(Call& call, Builder& b) {
    giveMapped(call, [&](Var x) { return mul(b, x, b.call(Op::Sigmoid, {x})); });
}
void convertMish(Call& call, Builder& b) {
    giveMapped(call, [&](Var x) { return mish(b, x); });
}
void convertHardswish(Call& call, Builder& b) {
    giveMapped(call, [&](Var x) { return mul(b, x, hardSigmoid(b, x, 1.0 / 6, 0.5)); });
}
void convertHardsigmoid(Call& call, Builder& b) {
    giveMapped(call, [&](Var x) { return hardSigmoid(b, x, 1.0 / 6, 0.5); });
}

/// log(1 + exp(beta x)) / beta, and x where beta x is above the threshold.
void convertSoftplus(Call& call, Builder& b) {
    const double beta = call.real("beta"), threshold = call.real("threshold");
    giveMapped(call, [&](Var x) {
        const Var steep = mulBy(b, x, beta);
        const Var curve = div(b, logOfOnePlus(b, b.call(Op::Exp, {steep})), scalarLike(b, beta, x));
        return where(b, greater(b, steep, threshold), x, curve);
    });
}
/// log(sigmoid(x)), without what would overflow.
Var logSigmoid(Builder& b, Var x) {
    const Var small = b.call(Op::Exp, {b.call(Op::Negative, {b.call(Op::Abs, {x})})});
    return sub(b, minimum(b, x, scalarLike(b, 0, x)), logOfOnePlus(b, small));
}
void convertLogSigmoid(Call& call, Builder& b) {
    giveMapped(call, [&](Var x) { return logSigmoid(b, x); });
}
/// The second result is there for the gradient alone; without threads, as on the CPU, it is what the function is made
/// of.
void convertLogSigmoidForward(Call& call, Builder& b) {
    const Var x = call.tensor("self");
    const Var buffer =
        inSingle(b, x, [&](Var v) { return b.call(Op::Exp, {b.call(Op::Negative, {b.call(Op::Abs, {v})})}); });
    call.give({inSingle(b, x, [&](Var v) { return logSigmoid(b, v); }), buffer});
}

void convertSoftshrink(Call& call, Builder& b) {
    const double lambda = call.real("lambd");
    giveMapped(call, [&](Var x) {
        const Var moved = sub(b, x, mulBy(b, b.call(Op::Sign, {x}), lambda));
        return where(b, greater(b, b.call(Op::Abs, {x}), lambda), moved, mulBy(b, x, 0));
    });
}
void convertHardshrink(Call& call, Builder& b) {
    const double lambda = call.real("lambd");
    giveMapped(call, [&](Var x) {
        const Var inside = b.call(Op::LogicalAnd, {b.call(Op::GreaterEqual, {x, scalarLike(b, -lambda, x)}),
                                                   b.call(Op::LessEqual, {x, scalarLike(b, lambda, x)})});
        return where(b, inside, scalarLike(b, 0, x), x);
    });
}
void convertThreshold(Call& call, Builder& b) {
    const double threshold = call.real("threshold"), value = call.real("value");
    giveMapped(call, [&](Var x) {
        return where(b, b.call(Op::LessEqual, {x, scalarLike(b, threshold, x)}), scalarLike(b, value, x), x);
    });
}

/// scale x, and where x is negative scale alpha (exp(inputScale x) - 1).
void giveElu(Call& call, Builder& b, double alpha, double scale, double inputScale) {
    giveMapped(call, [&](Var x) {
        const Var curve = mulBy(b, expMinusOne(b, mulBy(b, x, inputScale)), alpha * scale);
        return where(b, greater(b, x, 0), mulBy(b, x, scale), curve);
    });
}
void convertElu(Call& call, Builder& b) {
    giveElu(call, b, call.real("alpha"), call.real("scale"), call.real("input_scale"));
}
void convertSelu(Call& call, Builder& b) {
    giveElu(call, b, 1.6732632423543772848170429916717, 1.0507009873554804934193349852946, 1);
}
void convertCelu(Call& call, Builder& b) {
    const double alpha = call.real("alpha");
    if (alpha == 0)
        return call.fail("alpha is zero, by which the operator divides");
    giveElu(call, b, alpha, 1, 1 / alpha);
}

void giveLeaky(Call& call, Builder& b, double slope) {
    giveMapped(call, [&](Var x) { return where(b, greater(b, x, 0), x, mulBy(b, x, slope)); });
}
void convertLeakyRelu(Call& call, Builder& b) {
    giveLeaky(call, b, call.real("negative_slope"));
}
/// While a model is not trained its slope is not random.
void convertRrelu(Call& call, Builder& b) {
    if (call.flag("training"))
        return call.refuse("rrelu draws random slopes in training",
                           "export the model in evaluation mode: model.eval()");
    giveLeaky(call, b, (call.real("lower") + call.real("upper")) / 2);
}

/// The second result is the slopes' noise, which nothing draws while a model is not trained.
void convertRreluWithNoise(Call& call, Builder& b) {
    const Var noise = call.tensor("noise");
    convertRrelu(call, b);
    if (!call.failed())
        call.give({*(*call.results())[0].as<Var>(), noise});
}

/// One slope, or one a channel, along dim 1.
void convertPrelu(Call& call, Builder& b) {
    const Var x = call.tensor("self");
    Var slope = call.tensor("weight");
    if (call.failed())
        return;
    const bool isOne = arith::isConst(product(b.shape(slope)), 1);
    slope = isOne           ? asScalar(b, slope)
            : b.rank(x) > 1 ? fittedAlong(b, reshape(b, slope, {dim(b, x, 1)}), 1, x)
                            : slope;
    call.give(roundedOnce(b, {x, slope}, [&](const std::vector<Var>& of) {
        return where(b, greater(b, of[0], 0), of[0], mul(b, of[0], of[1]));
    }));
}

/// The first half along a dim, times the sigmoid of the second.
void convertGlu(Call& call, Builder& b) {
    call.give(alongDim(call, call.tensor("self"), call.integer("dim"), [&](Var x, int64_t axis) {
        const Expr size = dim(b, x, axis), half = arith::simplify(arith::floorDiv(size, 2));
        x = assume(b, x, arith::eq(half * 2, size), fmt::format("dim {} divides into two halves", axis));
        const auto product = [&](Var v) {
            return mul(b, sliceAxis(b, v, axis, 0, half), b.call(Op::Sigmoid, {sliceAxis(b, v, axis, half, half)}));
        };
        return std::vector{inSingle(b, x, product)};
    }));
}

constexpr auto activationRows = std::to_array<Row>({
    {"aten::relu(Tensor self) -> Tensor", convertRelu, Activation},
    {"aten::relu6(Tensor self) -> Tensor", convertRelu6, Activation},
    {"aten::hardtanh(Tensor self, Scalar min_val=-1, Scalar max_val=1) -> Tensor", convertHardtanh, Activation},
    {"aten::gelu(Tensor self, *, str approximate='none') -> Tensor", convertGelu, Activation},
    {"aten::silu(Tensor self) -> Tensor", convertSilu, Activation},
    {"aten::mish(Tensor self) -> Tensor", convertMish, Activation},
    {"aten::hardswish(Tensor self) -> Tensor", convertHardswish, Activation},
    {"aten::hardsigmoid(Tensor self) -> Tensor", convertHardsigmoid, Activation},
    {"aten::softplus(Tensor self, Scalar beta=1, Scalar threshold=20) -> Tensor", convertSoftplus, Activation},
    {"aten::log_sigmoid(Tensor self) -> Tensor", convertLogSigmoid, Activation},
    {"aten::log_sigmoid_forward(Tensor self) -> (Tensor output, Tensor buffer)", convertLogSigmoidForward, Activation},
    {"aten::softshrink(Tensor self, Scalar lambd=0.5) -> Tensor", convertSoftshrink, Activation},
    {"aten::hardshrink(Tensor self, Scalar lambd=0.5) -> Tensor", convertHardshrink, Activation},
    {"aten::threshold(Tensor self, Scalar threshold, Scalar value) -> Tensor", convertThreshold, Activation},
    {"aten::elu(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor", convertElu, Activation},
    {"aten::selu(Tensor self) -> Tensor", convertSelu, Activation},
    {"aten::celu(Tensor self, Scalar alpha=1.0) -> Tensor", convertCelu, Activation},
    {"aten::leaky_relu(Tensor self, Scalar negative_slope=0.01) -> Tensor", convertLeakyRelu, Activation},
    {"aten::rrelu(Tensor self, Scalar lower=0.125, Scalar upper=0.3333333333333333, bool training=False, Generator? "
     "generator=None) -> Tensor",
     convertRrelu, Activation},
    {"aten::rrelu_with_noise_functional(Tensor self, Tensor noise, Scalar lower=0.125, Scalar "
     "upper=0.3333333333333333, "
     "bool training=False, Generator? generator=None) -> (Tensor, Tensor noise_out)",
     convertRreluWithNoise, Activation},
    {"aten::prelu(Tensor self, Tensor weight) -> Tensor", convertPrelu, Activation},
    {"aten::_prelu_kernel(Tensor self, Tensor weight) -> Tensor", convertPrelu, Activation},
    {"aten::glu(Tensor self, int dim=-1) -> Tensor", convertGlu, Activation},
});

} // namespace

std::span<const Row> rowsOfActivations() {
    return activationRows;
}

} // namespace lathe::frontend::torch
