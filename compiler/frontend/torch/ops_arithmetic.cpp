// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic of two and more operands, element by element: sums, products, quotients and remainders, powers, extremes.
#include "frontend/common/arithmetic.h"
#include "frontend/torch/elementwise.h"
#include "frontend/torch/ops.h"

#include "relay/attrs.h"

#include <array>
#include <fmt/format.h>

namespace lathe::frontend::torch {
namespace {

using namespace relay;
using enum model::Family;

/// x times a number of its own type.
Var times(Builder& b, Var x, const Scalar& factor) {
    if (b.failed() || (factor.isKnown() && factor.number() == 1))
        return x;
    return mul(b, x, toTensor(b, factor, b.dtype(x)));
}

// ---- sums and products

/// Of bools a sum is "or".
Var sumOf(Builder& b, Var x, Var y) {
    return isBool(b, x) ? b.call(Op::LogicalOr, {x, y}) : add(b, x, y);
}

/// The parts of complex numbers; of real ones those that are imaginary are 0.
Var partsOf(Call& call, Builder& b, const char* name, const Scalar& factor) {
    if (call.isComplex(name))
        return times(b, call.complex(name), factor);
    const Var x = times(b, inType(b, operandOf(call, name), defaultFloat), factor);
    if (call.failed())
        return {};
    const auto rank = static_cast<size_t>(b.rank(x));
    Dims none(rank + 1, Expr(0)), after = none;
    after[rank] = 1;
    return pad(b, unsqueeze(b, x, {static_cast<int64_t>(rank)}), "constant", none, after);
}

void convertAdd(Call& call, Builder& b) {
    const Scalar alpha = call.scalar("alpha");
    if (call.isComplex("self") || call.isComplex("other")) {
        const Scalar one{Scalar::Kind::Int, 1, 0, {}};
        return call.giveComplex(add(b, partsOf(call, b, "self", one), partsOf(call, b, "other", alpha)));
    }
    call.give(roundedOnce(b, operandsOf(call, {"self", "other"}), [&](const std::vector<Var>& of) {
        return sumOf(b, of[0], isBool(b, of[1]) ? of[1] : times(b, of[1], alpha));
    }));
}

void giveDifference(Call& call, Builder& b, const char* from, const char* what) {
    const Scalar alpha = call.scalar("alpha");
    call.give(roundedOnce(b, operandsOf(call, {from, what}),
                          [&](const std::vector<Var>& of) { return sub(b, of[0], times(b, of[1], alpha)); }));
}
void convertSub(Call& call, Builder& b) {
    giveDifference(call, b, "self", "other");
}
void convertRsub(Call& call, Builder& b) {
    giveDifference(call, b, "other", "self");
}

void convertMul(Call& call, Builder& b) {
    const std::vector<Var> of = operandsOf(call, {"self", "other"});
    call.give(isBool(b, of[0]) ? b.call(Op::LogicalAnd, of) : b.call(Op::Multiply, of));
}

void convertAddcmul(Call& call, Builder& b) {
    const Scalar value = call.scalar("value");
    call.give(roundedOnce(b, operandsOf(call, {"self", "tensor1", "tensor2"}), [&](const std::vector<Var>& of) {
        return add(b, of[0], mul(b, times(b, of[1], value), of[2]));
    }));
}
void convertAddcdiv(Call& call, Builder& b) {
    const Scalar value = call.scalar("value");
    const std::vector<Var> operands = operandsOf(call, {"self", "tensor1", "tensor2"});
    if (!call.failed() && !b.dtype(operands[0]).isFloat())
        return call.fail("integers are not divided by this operator", "convert them to floats in the program");
    call.give(roundedOnce(
        b, operands, [&](const std::vector<Var>& of) { return add(b, of[0], div(b, times(b, of[1], value), of[2])); }));
}

/// start + weight (end - start), from the nearer of both ends.
void convertLerp(Call& call, Builder& b) {
    call.give(roundedOnce(b, operandsOf(call, {"self", "end", "weight"}), [&](const std::vector<Var>& of) {
        const Var start = of[0], end = of[1], weight = of[2];
        const Var difference = sub(b, end, start);
        const Var isNear = less(b, b.call(Op::Abs, {weight}), scalarLike(b, 0.5, weight));
        return where(b, isNear, add(b, start, mul(b, weight, difference)),
                     sub(b, end, mul(b, difference, sub(b, scalarLike(b, 1, weight), weight))));
    }));
}

// ---- quotients and remainders

/// The quotient rounded down, made of the rest, which is exact, and not of the quotient, which may have been rounded
/// up.
Var floorOf(Builder& b, Var x, Var y) {
    if (!isFloat(b, x))
        return floorQuotient(b, x, y);
    ModAttrs attrs;
    attrs.fmod = true;
    const Var zero = scalarLike(b, 0, x), rest = b.call(Op::Mod, {x, y}, attrs);
    const Var isUp = b.call(Op::LogicalAnd, {b.call(Op::NotEqual, {rest, zero}),
                                             b.call(Op::LogicalXor, {less(b, rest, zero), less(b, y, zero)})});
    const Var whole = div(b, sub(b, x, rest), y);
    const Var moved = where(b, isUp, addTo(b, whole, -1), whole);
    const Var below = b.call(Op::Floor, {moved});
    const Var isAbove = b.call(Op::Greater, {sub(b, moved, below), scalarLike(b, 0.5, moved)});
    const Var exact = where(b, isAbove, addTo(b, below, 1), below);
    const Var plain = div(b, x, y); // the only result where y is 0, and whose sign a 0 has
    const Var signedZero = mul(b, zero, b.call(Op::Sign, {plain}));
    return where(b, equal(b, y, zero), plain, where(b, equal(b, moved, zero), signedZero, exact));
}

void giveFloorQuotient(Call& call, Builder& b) {
    call.give(roundedOnce(b, operandsOf(call, {"self", "other"}),
                          [&](const std::vector<Var>& of) { return floorOf(b, of[0], of[1]); }));
}
void convertFloorDivide(Call& call, Builder& b) {
    giveFloorQuotient(call, b);
}

void convertDiv(Call& call, Builder& b) {
    call.give(b.call(Op::Divide, operandsOf(call, {"self", "other"}, Integers::BecomeFloat)));
}
void convertDivMode(Call& call, Builder& b) {
    const std::string mode = call.text("rounding_mode");
    if (mode.empty())
        return convertDiv(call, b);
    if (mode == "floor")
        return giveFloorQuotient(call, b);
    if (mode != "trunc")
        return call.fail(fmt::format("rounding_mode is '{}'", mode), "'floor', 'trunc' or None");
    call.give(roundedOnce(b, operandsOf(call, {"self", "other"}),
                          [&](const std::vector<Var>& of) { return truncated(b, div(b, of[0], of[1])); }));
}

template <bool fmod>
void convertRemainder(Call& call, Builder& b) {
    ModAttrs attrs;
    attrs.fmod = fmod;
    call.give(b.call(Op::Mod, operandsOf(call, {"self", "other"}), attrs));
}

// ---- powers

/// x to a number: exponents that are common have functions that are exact.
Var powerOf(Builder& b, Var x, double exponent) {
    if (exponent == 2)
        return mul(b, x, x);
    if (exponent == 3)
        return mul(b, mul(b, x, x), x);
    if (isFloat(b, x) && exponent == 0.5)
        return b.call(Op::Sqrt, {x});
    if (isFloat(b, x) && exponent == -0.5)
        return inverseSquareRoot(b, x);
    if (isFloat(b, x) && exponent == -1)
        return b.call(Op::Reciprocal, {x});
    return b.call(Op::Power, {x, scalarLike(b, exponent, x)});
}

void convertPow(Call& call, Builder& b) {
    call.give(b.call(Op::Power, operandsOf(call, {"self", "exponent"})));
}
void convertPowScalar(Call& call, Builder& b) {
    const Scalar exponent = call.scalar("exponent");
    if (!exponent.isKnown())
        return convertPow(call, b);
    const std::vector<Var> of = operandsOf(call, {"self", "exponent"});
    if (!isFloat(b, of[0]) && exponent.number() < 0)
        return call.fail("integers have no powers of negative exponents", "convert them to floats in the program");
    call.give(roundedOnce(b, {of[0]}, [&](const std::vector<Var>& x) { return powerOf(b, x[0], exponent.number()); }));
}

// ---- extremes

template <Op op>
void convertExtreme(Call& call, Builder& b) {
    call.give(b.call(op, operandsOf(call, {"self", "other"})));
}

/// Of a number and NaN the number.
template <Op op>
void convertNumberExtreme(Call& call, Builder& b) {
    const std::vector<Var> of = operandsOf(call, {"self", "other"});
    Var result = b.call(op, of);
    if (isFloat(b, of[0]))
        result = where(b, b.call(Op::IsNan, {of[0]}), of[1], where(b, b.call(Op::IsNan, {of[1]}), of[0], result));
    call.give(result);
}

// ---- others

void convertAtan2(Call& call, Builder& b) {
    call.give(roundedOnce(b, operandsOf(call, {"self", "other"}, Integers::BecomeFloat),
                          [&](const std::vector<Var>& of) { return angle(b, of[0], of[1]); }));
}

void convertCopysign(Call& call, Builder& b) {
    call.give(
        roundedOnce(b, operandsOf(call, {"self", "other"}, Integers::BecomeFloat), [&](const std::vector<Var>& of) {
            const Var size = b.call(Op::Abs, {of[0]});
            return where(b, hasSign(b, of[1]), b.call(Op::Negative, {size}), size);
        }));
}

void convertHypot(Call& call, Builder& b) {
    call.give(roundedOnce(b, operandsOf(call, {"self", "other"}),
                          [&](const std::vector<Var>& of) { return hypotenuse(b, of[0], of[1]); }));
}

/// x log(y), of which 0 is 0 whatever y is, but NaN.
void convertXlogy(Call& call, Builder& b) {
    call.give(
        roundedOnce(b, operandsOf(call, {"self", "other"}, Integers::BecomeFloat), [&](const std::vector<Var>& of) {
            const Var zero = scalarLike(b, 0, of[0]), product = mul(b, of[0], b.call(Op::Log, {of[1]}));
            return where(b, b.call(Op::IsNan, {of[1]}), of[1], where(b, equal(b, of[0], zero), zero, product));
        }));
}

constexpr auto arithmeticRows = std::to_array<Row>({
    {"aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor", convertAdd, Arithmetic},
    {"aten::add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor", convertAdd, Arithmetic},
    {"aten::sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor", convertSub, Arithmetic},
    {"aten::sub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor", convertSub, Arithmetic},
    {"aten::rsub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor", convertRsub, Arithmetic},
    {"aten::rsub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor", convertRsub, Arithmetic},
    {"aten::mul.Tensor(Tensor self, Tensor other) -> Tensor", convertMul, Arithmetic},
    {"aten::mul.Scalar(Tensor self, Scalar other) -> Tensor", convertMul, Arithmetic},
    {"aten::div.Tensor(Tensor self, Tensor other) -> Tensor", convertDiv, Arithmetic},
    {"aten::div.Scalar(Tensor self, Scalar other) -> Tensor", convertDiv, Arithmetic},
    {"aten::div.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor", convertDivMode, Arithmetic},
    {"aten::div.Scalar_mode(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor", convertDivMode, Arithmetic},
    {"aten::true_divide.Tensor(Tensor self, Tensor other) -> Tensor", convertDiv, Arithmetic},
    {"aten::true_divide.Scalar(Tensor self, Scalar other) -> Tensor", convertDiv, Arithmetic},
    {"aten::floor_divide(Tensor self, Tensor other) -> Tensor", convertFloorDivide, Arithmetic},
    {"aten::floor_divide.Scalar(Tensor self, Scalar other) -> Tensor", convertFloorDivide, Arithmetic},
    {"aten::remainder.Tensor(Tensor self, Tensor other) -> Tensor", convertRemainder<false>, Arithmetic},
    {"aten::remainder.Scalar(Tensor self, Scalar other) -> Tensor", convertRemainder<false>, Arithmetic},
    {"aten::remainder.Scalar_Tensor(Scalar self, Tensor other) -> Tensor", convertRemainder<false>, Arithmetic},
    {"aten::fmod.Tensor(Tensor self, Tensor other) -> Tensor", convertRemainder<true>, Arithmetic},
    {"aten::fmod.Scalar(Tensor self, Scalar other) -> Tensor", convertRemainder<true>, Arithmetic},
    {"aten::pow.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor", convertPow, Arithmetic},
    {"aten::pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor", convertPowScalar, Arithmetic},
    {"aten::pow.Scalar(Scalar self, Tensor exponent) -> Tensor", convertPow, Arithmetic},
    {"aten::maximum(Tensor self, Tensor other) -> Tensor", convertExtreme<Op::Maximum>, Arithmetic},
    {"aten::minimum(Tensor self, Tensor other) -> Tensor", convertExtreme<Op::Minimum>, Arithmetic},
    {"aten::max.other(Tensor self, Tensor other) -> Tensor", convertExtreme<Op::Maximum>, Arithmetic},
    {"aten::min.other(Tensor self, Tensor other) -> Tensor", convertExtreme<Op::Minimum>, Arithmetic},
    {"aten::fmax(Tensor self, Tensor other) -> Tensor", convertNumberExtreme<Op::Maximum>, Arithmetic},
    {"aten::fmin(Tensor self, Tensor other) -> Tensor", convertNumberExtreme<Op::Minimum>, Arithmetic},
    {"aten::lerp.Scalar(Tensor self, Tensor end, Scalar weight) -> Tensor", convertLerp, Arithmetic},
    {"aten::lerp.Tensor(Tensor self, Tensor end, Tensor weight) -> Tensor", convertLerp, Arithmetic},
    {"aten::addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor", convertAddcmul,
     Arithmetic},
    {"aten::addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor", convertAddcdiv,
     Arithmetic},
    {"aten::atan2(Tensor self, Tensor other) -> Tensor", convertAtan2, Arithmetic},
    {"aten::arctan2(Tensor self, Tensor other) -> Tensor", convertAtan2, Arithmetic},
    {"aten::copysign.Tensor(Tensor self, Tensor other) -> Tensor", convertCopysign, Arithmetic},
    {"aten::copysign.Scalar(Tensor self, Scalar other) -> Tensor", convertCopysign, Arithmetic},
    {"aten::hypot(Tensor self, Tensor other) -> Tensor", convertHypot, Arithmetic},
    {"aten::xlogy.Tensor(Tensor self, Tensor other) -> Tensor", convertXlogy, Arithmetic},
    {"aten::xlogy.Scalar_Self(Scalar self, Tensor other) -> Tensor", convertXlogy, Arithmetic},
    {"aten::xlogy.Scalar_Other(Tensor self, Scalar other) -> Tensor", convertXlogy, Arithmetic},
    {"aten::special_xlogy(Tensor self, Tensor other) -> Tensor", convertXlogy, Arithmetic},
});

} // namespace

std::span<const Row> rowsOfArithmetic() {
    return arithmeticRows;
}

} // namespace lathe::frontend::torch
