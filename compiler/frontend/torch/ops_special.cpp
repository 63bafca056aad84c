// SPDX-License-Identifier: Apache-2.0
//
// Rarer functions, element by element: composed of those that Relay has.
#include "frontend/common/arithmetic.h"
#include "frontend/torch/elementwise.h"
#include "frontend/torch/ops.h"

#include "relay/attrs.h"

#include <array>
#include <limits>
#include <numbers>

namespace lathe::frontend::torch {
namespace {

using namespace relay;
using enum model::Family;

/// 0 below 0, 1 above, and what "values" say at 0.
void convertHeaviside(Call& call, Builder& b) {
    const std::vector<Var> of = operandsOf(call, {"self", "values"});
    if (call.failed())
        return;
    const Var zero = scalarLike(b, 0, of[0]);
    const Var step = cast(b, b.call(Op::Greater, {of[0], zero}), b.dtype(of[0]));
    call.give(where(b, equal(b, of[0], zero), of[1], step));
}

void convertDegToRad(Call& call, Builder& b) {
    giveFloat(call, [&](Var x) { return mulBy(b, x, std::numbers::pi / 180); });
}
void convertRadToDeg(Call& call, Builder& b) {
    giveFloat(call, [&](Var x) { return mulBy(b, x, 180 / std::numbers::pi); });
}

/// sin(pi x) / (pi x), and 1 at 0.
void convertSinc(Call& call, Builder& b) {
    giveFloat(call, [&](Var x) {
        const Var turned = mulBy(b, x, std::numbers::pi);
        return where(b, equal(b, x, scalarLike(b, 0, x)), scalarLike(b, 1, x),
                     div(b, b.call(Op::Sin, {turned}), turned));
    });
}

void convertSignbit(Call& call, Builder& b) {
    const Var x = call.tensor("self");
    if (call.failed())
        return;
    if (isFloat(b, x))
        return call.give(hasSign(b, cast(b, x, computeType(b, x))));
    call.give(isBool(b, x) ? full(b, b.scalar(0, types::Bool), b.shape(x)) : less(b, x, scalarLike(b, 0, x)));
}

/// x times 2 to the power of the other.
void convertLdexp(Call& call, Builder& b) {
    const Operand x = operandOf(call, "self"), exponent = operandOf(call, "other");
    const std::vector<Var> power = promoted(call, {exponent}, Integers::BecomeFloat);
    const Var factor = b.call(Op::Power, {scalarLike(b, 2, power[0]), power[0]});
    call.give(b.call(Op::Multiply, promoted(call, {x, factor})));
}

/// In float64, whatever the operands are.
void convertFloatPower(Call& call, Builder& b) {
    const Operand x = operandOf(call, "self"), exponent = operandOf(call, "exponent");
    if (!call.failed())
        call.give(b.call(Op::Power, {inType(b, x, types::Float64), inType(b, exponent, types::Float64)}));
}

void giveLogSum(Call& call, Builder& b, double logOfBase) {
    call.give(roundedOnce(b, operandsOf(call, {"self", "other"}, Integers::BecomeFloat),
                          [&](const std::vector<Var>& of) { return logOfSum(b, of[0], of[1], logOfBase); }));
}
void convertLogaddexp(Call& call, Builder& b) {
    giveLogSum(call, b, 1);
}
void convertLogaddexp2(Call& call, Builder& b) {
    giveLogSum(call, b, std::numbers::ln2);
}

/// Equal, or finite and no farther apart than atol + rtol |other|.
void convertIsclose(Call& call, Builder& b) {
    std::vector<Var> of = operandsOf(call, {"self", "other"});
    const double rtol = call.real("rtol"), atol = call.real("atol");
    const bool equalNan = call.flag("equal_nan");
    if (call.failed())
        return;
    const DataType work = isFloat(b, of[0]) ? computeType(b, of[0]) : types::Float64;
    Var close = equal(b, of[0], of[1]);
    for (Var& each : of)
        each = cast(b, each, work);
    if (equalNan)
        close = b.call(Op::LogicalOr,
                       {close, b.call(Op::LogicalAnd, {b.call(Op::IsNan, {of[0]}), b.call(Op::IsNan, {of[1]})})});
    const Var apart = b.call(Op::Abs, {sub(b, of[0], of[1])});
    const Var allowed = addTo(b, mulBy(b, b.call(Op::Abs, {of[1]}), rtol), atol);
    const Var isFinite = less(b, apart, scalarLike(b, std::numeric_limits<double>::infinity(), apart));
    const Var near = b.call(Op::LogicalAnd, {isFinite, b.call(Op::LessEqual, {apart, allowed})});
    call.give(b.call(Op::LogicalOr, {close, near}));
}

constexpr auto specialRows = std::to_array<Row>({
    {"aten::heaviside(Tensor self, Tensor values) -> Tensor", convertHeaviside, Arithmetic},
    {"aten::deg2rad(Tensor self) -> Tensor", convertDegToRad, Arithmetic},
    {"aten::rad2deg(Tensor self) -> Tensor", convertRadToDeg, Arithmetic},
    {"aten::sinc(Tensor self) -> Tensor", convertSinc, Arithmetic},
    {"aten::signbit(Tensor self) -> Tensor", convertSignbit, Logic},
    {"aten::ldexp.Tensor(Tensor self, Tensor other) -> Tensor", convertLdexp, Arithmetic},
    {"aten::float_power.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor", convertFloatPower, Arithmetic},
    {"aten::float_power.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor", convertFloatPower, Arithmetic},
    {"aten::float_power.Scalar(Scalar self, Tensor exponent) -> Tensor", convertFloatPower, Arithmetic},
    {"aten::logaddexp(Tensor self, Tensor other) -> Tensor", convertLogaddexp, Arithmetic},
    {"aten::logaddexp2(Tensor self, Tensor other) -> Tensor", convertLogaddexp2, Arithmetic},
    {"aten::isclose(Tensor self, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False) -> Tensor",
     convertIsclose, Logic},
});

} // namespace

std::span<const Row> rowsOfSpecials() {
    return specialRows;
}

} // namespace lathe::frontend::torch
