// SPDX-License-Identifier: Apache-2.0
//
// Functions of one number, element by element. Those of real numbers take integers as floats.
#include "frontend/common/arithmetic.h"
#include "frontend/torch/elementwise.h"
#include "frontend/torch/ops.h"

#include "relay/attrs.h"

#include <array>
#include <cmath>
#include <numbers>

namespace lathe::frontend::torch {
namespace {

using namespace relay;
using enum model::Family;

/// A function that Relay has.
template <Op op>
void convertFloatFunction(Call& call, Builder& b) {
    call.give(b.call(op, {promotedToFloat(call, call.tensor("self"))}));
}

/// Rounding to whole numbers, which integers are.
template <Op op>
void convertRounding(Call& call, Builder& b) {
    const Var x = call.tensor("self");
    call.give(isFloat(b, x) ? b.call(op, {x}) : x);
}

void convertNeg(Call& call, Builder& b) {
    call.give(b.call(Op::Negative, {call.tensor("self")}));
}
/// parts: [.., 2].
Var sizeOfComplex(Builder& b, Var parts) {
    if (!needRank(b, parts, 1))
        return {};
    const int64_t last = b.rank(parts) - 1;
    const auto part = [&](int i) { return squeeze(b, sliceAxis(b, parts, last, i, 1), {last}); };
    return hypotenuse(b, part(0), part(1));
}
void convertAbs(Call& call, Builder& b) {
    if (call.isComplex("self"))
        return call.give(sizeOfComplex(b, call.complex("self")));
    const Var x = call.tensor("self");
    call.give(isBool(b, x) ? x : b.call(Op::Abs, {x}));
}
void convertSign(Call& call, Builder& b) {
    const Var x = call.tensor("self");
    if (!isFloat(b, x))
        return call.give(isBool(b, x) ? x : b.call(Op::Sign, {x}));
    // Unlike Relay's, PyTorch's sign of NaN is 0.
    call.give(where(b, b.call(Op::IsNan, {x}), scalarLike(b, 0, x), b.call(Op::Sign, {x})));
}
void convertTrunc(Call& call, Builder& b) {
    giveMapped(call, [&](Var x) { return truncated(b, x); });
}
void convertFrac(Call& call, Builder& b) {
    giveMapped(call, [&](Var x) { return sub(b, x, truncated(b, x)); });
}

/// Rounded to 10^-decimals.
void convertRoundDecimals(Call& call, Builder& b) {
    const int64_t decimals = call.integer("decimals");
    const double scale = std::pow(10.0, std::abs(static_cast<double>(decimals)));
    giveMapped(call, [&](Var x) {
        if (!isFloat(b, x))
            return x;
        const Var factor = scalarLike(b, scale, x);
        const Var moved = decimals < 0 ? div(b, x, factor) : mul(b, x, factor);
        const Var whole = b.call(Op::Round, {moved});
        return decimals < 0 ? mul(b, whole, factor) : div(b, whole, factor);
    });
}

void convertSquare(Call& call, Builder& b) {
    const Var x = call.tensor("self");
    call.give(isBool(b, x) ? mul(b, cast(b, x, types::Int64), cast(b, x, types::Int64)) : mul(b, x, x));
}
void convertRsqrt(Call& call, Builder& b) {
    giveFloat(call, [&](Var x) { return inverseSquareRoot(b, x); });
}
void convertExp2(Call& call, Builder& b) {
    giveFloat(call, [&](Var x) { return b.call(Op::Power, {scalarLike(b, 2, x), x}); });
}
void convertExpm1(Call& call, Builder& b) {
    giveFloat(call, [&](Var x) { return expMinusOne(b, x); });
}
void convertLog2(Call& call, Builder& b) {
    giveFloat(call, [&](Var x) { return mulBy(b, b.call(Op::Log, {x}), std::numbers::log2e); });
}
void convertLog10(Call& call, Builder& b) {
    giveFloat(call, [&](Var x) { return mulBy(b, b.call(Op::Log, {x}), std::numbers::log10e); });
}
void convertLog1p(Call& call, Builder& b) {
    giveFloat(call, [&](Var x) { return logOfOnePlus(b, x); });
}

/// log(x / (1 - x)), x kept eps away from 0 and 1.
void convertLogit(Call& call, Builder& b) {
    const std::optional<double> eps = call.optionalReal("eps");
    giveFloat(call, [&](Var x) {
        if (eps && *eps >= 0)
            x = minimum(b, maximum(b, x, scalarLike(b, *eps, x)), scalarLike(b, 1 - *eps, x));
        return b.call(Op::Log, {div(b, x, sub(b, scalarLike(b, 1, x), x))});
    });
}

constexpr auto mathRows = std::to_array<Row>({
    {"aten::neg(Tensor self) -> Tensor", convertNeg, Arithmetic},
    {"aten::negative(Tensor self) -> Tensor", convertNeg, Arithmetic},
    {"aten::abs(Tensor self) -> Tensor", convertAbs, Arithmetic},
    {"aten::absolute(Tensor self) -> Tensor", convertAbs, Arithmetic},
    {"aten::sign(Tensor self) -> Tensor", convertSign, Arithmetic},
    {"aten::sgn(Tensor self) -> Tensor", convertSign, Arithmetic},
    {"aten::ceil(Tensor self) -> Tensor", convertRounding<Op::Ceil>, Arithmetic},
    {"aten::floor(Tensor self) -> Tensor", convertRounding<Op::Floor>, Arithmetic},
    {"aten::round(Tensor self) -> Tensor", convertRounding<Op::Round>, Arithmetic},
    {"aten::round.decimals(Tensor self, *, int decimals) -> Tensor", convertRoundDecimals, Arithmetic},
    {"aten::special_round(Tensor self, *, int decimals=0) -> Tensor", convertRoundDecimals, Arithmetic},
    {"aten::trunc(Tensor self) -> Tensor", convertTrunc, Arithmetic},
    {"aten::fix(Tensor self) -> Tensor", convertTrunc, Arithmetic},
    {"aten::frac(Tensor self) -> Tensor", convertFrac, Arithmetic},
    {"aten::square(Tensor self) -> Tensor", convertSquare, Arithmetic},
    {"aten::sqrt(Tensor self) -> Tensor", convertFloatFunction<Op::Sqrt>, Arithmetic},
    {"aten::rsqrt(Tensor self) -> Tensor", convertRsqrt, Arithmetic},
    {"aten::reciprocal(Tensor self) -> Tensor", convertFloatFunction<Op::Reciprocal>, Arithmetic},
    {"aten::exp(Tensor self) -> Tensor", convertFloatFunction<Op::Exp>, Arithmetic},
    {"aten::exp2(Tensor self) -> Tensor", convertExp2, Arithmetic},
    {"aten::expm1(Tensor self) -> Tensor", convertExpm1, Arithmetic},
    {"aten::log(Tensor self) -> Tensor", convertFloatFunction<Op::Log>, Arithmetic},
    {"aten::log2(Tensor self) -> Tensor", convertLog2, Arithmetic},
    {"aten::log10(Tensor self) -> Tensor", convertLog10, Arithmetic},
    {"aten::log1p(Tensor self) -> Tensor", convertLog1p, Arithmetic},
    {"aten::sin(Tensor self) -> Tensor", convertFloatFunction<Op::Sin>, Arithmetic},
    {"aten::cos(Tensor self) -> Tensor", convertFloatFunction<Op::Cos>, Arithmetic},
    {"aten::tan(Tensor self) -> Tensor", convertFloatFunction<Op::Tan>, Arithmetic},
    {"aten::asin(Tensor self) -> Tensor", convertFloatFunction<Op::Asin>, Arithmetic},
    {"aten::acos(Tensor self) -> Tensor", convertFloatFunction<Op::Acos>, Arithmetic},
    {"aten::atan(Tensor self) -> Tensor", convertFloatFunction<Op::Atan>, Arithmetic},
    {"aten::sinh(Tensor self) -> Tensor", convertFloatFunction<Op::Sinh>, Arithmetic},
    {"aten::cosh(Tensor self) -> Tensor", convertFloatFunction<Op::Cosh>, Arithmetic},
    {"aten::tanh(Tensor self) -> Tensor", convertFloatFunction<Op::Tanh>, Activation},
    {"aten::asinh(Tensor self) -> Tensor", convertFloatFunction<Op::Asinh>, Arithmetic},
    {"aten::acosh(Tensor self) -> Tensor", convertFloatFunction<Op::Acosh>, Arithmetic},
    {"aten::atanh(Tensor self) -> Tensor", convertFloatFunction<Op::Atanh>, Arithmetic},
    {"aten::erf(Tensor self) -> Tensor", convertFloatFunction<Op::Erf>, Arithmetic},
    {"aten::sigmoid(Tensor self) -> Tensor", convertFloatFunction<Op::Sigmoid>, Activation},
    {"aten::logit(Tensor self, float? eps=None) -> Tensor", convertLogit, Arithmetic},
});

} // namespace

std::span<const Row> rowsOfMath() {
    return mathRows;
}

} // namespace lathe::frontend::torch
