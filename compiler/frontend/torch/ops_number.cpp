// SPDX-License-Identifier: Apache-2.0
//
// What numbers are made of: common divisors of integers, fractions and exponents of floats, their neighbours, angles.
#include "frontend/common/arithmetic.h"
#include "frontend/common/broadcast.h"
#include "frontend/common/iterate.h"
#include "frontend/torch/complex_parts.h"
#include "frontend/torch/elementwise.h"
#include "frontend/torch/ops.h"

#include "relay/attrs.h"

#include <array>
#include <fmt/format.h>
#include <numbers>

namespace lathe::frontend::torch {
namespace {

using namespace relay;
using enum model::Family;

// ---- integers

Var withoutSign(Builder& b, Var x) {
    return !b.failed() && b.dtype(x).isSigned() ? b.call(Op::Abs, {x}) : x;
}

/// Euclid's algorithm, of integers of one type and shape; 0 of two zeros.
Var commonDivisor(Builder& b, Var x, Var y) {
    constexpr int64_t most = 100; // the remainders of int64 fall faster than Fibonacci's numbers
    const Var zero = scalarLike(b, 0, y), one = scalarLike(b, 1, y);
    ModAttrs attrs;
    attrs.fmod = true;
    const std::vector<Var> start = {withoutSign(b, x), withoutSign(b, y)};
    const Var divisor = iterated(b, start, most, [&](Var, const std::vector<Var>& before) {
        const Var isDone = equal(b, before[1], zero);
        const Var rest = b.call(Op::Mod, {before[0], where(b, isDone, one, before[1])}, attrs);
        const Var next = where(b, isDone, zero, rest);
        return std::vector{where(b, isDone, before[0], before[1]), next, b.call(Op::NotEqual, {next, zero})};
    })[0];
    return withoutSign(b, divisor);
}

std::vector<Var> wholeOperands(Call& call, Builder& b) {
    std::vector<Var> both = broadcastTogether(b, operandsOf(call, {"self", "other"}));
    if (!call.failed() && !b.dtype(both[0]).isInt())
        call.fail(fmt::format("common divisors of {}", toString(b.dtype(both[0]))), "they are of integers");
    return both;
}
void convertGcd(Call& call, Builder& b) {
    const std::vector<Var> both = wholeOperands(call, b);
    call.give(commonDivisor(b, both[0], both[1]));
}
void convertLcm(Call& call, Builder& b) {
    const std::vector<Var> both = wholeOperands(call, b);
    const Var divisor = commonDivisor(b, both[0], both[1]), zero = scalarLike(b, 0, divisor);
    const Var shared = where(b, equal(b, divisor, zero), scalarLike(b, 1, divisor), divisor);
    call.give(withoutSign(b, mul(b, div(b, both[0], shared), both[1])));
}

// ---- floats

/// How a float lies in the integer of its width.
struct FloatBits {
    DataType whole;
    int64_t fraction, exponentBits;

    explicit FloatBits(DataType dtype)
        : whole{TypeCode::Int, static_cast<uint8_t>(dtype.bits)}, fraction(dtype == types::Float64   ? 52
                                                                           : dtype == types::Float32 ? 23
                                                                           : dtype == types::Float16 ? 10
                                                                                                     : 7),
          exponentBits(dtype.bits - 1 - fraction) {}
    int64_t largestExponent() const { return (int64_t{1} << exponentBits) - 1; }
    Var bits(Builder& b, Var x) const { return bitCast(b, x, whole); }
    static Var bitCast(Builder& b, Var x, DataType dtype) {
        CastAttrs attrs;
        attrs.dtype = dtype;
        return b.call(Op::BitCast, {x}, attrs);
    }
};

/// x as a fraction of 1/2 and more times a power of 2; what has none is its own fraction.
void convertFrexp(Call& call, Builder& b) {
    const Var given = call.tensor("self");
    if (call.failed())
        return;
    if (!b.dtype(given).isFloat())
        return call.fail(fmt::format("the exponent of {}", toString(b.dtype(given))), "it is of floats");
    const Var x = cast(b, given, computeType(b, given));
    const FloatBits form(b.dtype(x));
    // Numbers without a leading 1 get one first.
    const int64_t lift = form.fraction + 2, half = form.largestExponent() / 2 - 1;
    const Var zero = scalarLike(b, 0, x), size = b.call(Op::Abs, {x});
    const Var least = FloatBits::bitCast(b, b.scalarInt(int64_t{1} << form.fraction, form.whole), b.dtype(x));
    const Var isSmall = less(b, size, least);
    const Var raised = where(b, isSmall, mulBy(b, x, static_cast<double>(int64_t{1} << lift)), x);
    const auto whole = [&](int64_t value) { return b.scalarInt(value, form.whole); };
    const Var bits = form.bits(b, raised), place = whole(form.fraction);
    const Var field = b.call(Op::BitwiseAnd, {b.call(Op::RightShift, {bits, place}), whole(form.largestExponent())});
    const Var rest = b.call(Op::BitwiseAnd, {bits, whole(~(form.largestExponent() << form.fraction))});
    const Var fraction = b.call(Op::BitwiseOr, {rest, whole(half << form.fraction)});
    const Var exponent = sub(b, sub(b, field, whole(half)), where(b, isSmall, whole(lift), whole(0)));
    const Var hasNone = b.call(Op::LogicalOr, {equal(b, x, zero), equal(b, field, whole(form.largestExponent()))});
    const Var mantissa = where(b, hasNone, x, FloatBits::bitCast(b, fraction, b.dtype(x)));
    call.give({cast(b, mantissa, b.dtype(given)), cast(b, where(b, hasNone, whole(0), exponent), types::Int32)});
}

/// The next float from x towards y: bits count up away from 0.
void convertNextafter(Call& call, Builder& b) {
    const std::vector<Var> of = operandsOf(call, {"self", "other"});
    if (call.failed())
        return;
    const Var x = of[0], y = of[1];
    const DataType dtype = b.dtype(x);
    if (!dtype.isFloat() || dtype.bits < 16)
        return call.fail(fmt::format("neighbours of {}", toString(dtype)), "they are of floats");
    const FloatBits form(dtype);
    const Var zero = scalarLike(b, 0, x), one = b.scalarInt(1, form.whole);
    const Var isInwards = b.call(Op::LogicalXor, {less(b, x, y), b.call(Op::Greater, {x, zero})});
    const Var step = where(b, isInwards, b.scalarInt(-1, form.whole), one);
    const Var next = FloatBits::bitCast(b, add(b, form.bits(b, x), step), dtype);
    const Var tiny = FloatBits::bitCast(b, one, dtype);
    const Var fromZero = where(b, less(b, y, zero), b.call(Op::Negative, {tiny}), tiny);
    const Var isNone = b.call(Op::LogicalOr, {b.call(Op::IsNan, {x}), b.call(Op::IsNan, {y})});
    const Var moved = where(b, equal(b, x, zero), fromZero, next);
    call.give(where(b, isNone, add(b, x, y), where(b, equal(b, x, y), y, moved)));
}

// ---- complex numbers

void convertIsReal(Call& call, Builder& b) {
    if (call.isComplex("self")) {
        const Var imaginary = partOf(b, call.complex("self"), 1);
        return call.give(equal(b, imaginary, scalarLike(b, 0, imaginary)));
    }
    const Var x = call.tensor("self");
    if (!call.failed())
        call.give(full(b, b.scalar(1, types::Bool), b.shape(x)));
}

/// Of a real number that from 0, or half a turn.
void convertAngle(Call& call, Builder& b) {
    if (call.isComplex("self")) {
        const Var parts = call.complex("self");
        return call.give(angle(b, partOf(b, parts, 1), partOf(b, parts, 0)));
    }
    giveFloat(call, [&](Var x) {
        const Var zero = scalarLike(b, 0, x),
                  side = where(b, less(b, x, zero), scalarLike(b, std::numbers::pi, x), zero);
        return where(b, b.call(Op::IsNan, {x}), x, side);
    });
}

constexpr auto numberRows = std::to_array<Row>({
    {"aten::gcd(Tensor self, Tensor other) -> Tensor", convertGcd, Arithmetic},
    {"aten::lcm(Tensor self, Tensor other) -> Tensor", convertLcm, Arithmetic},
    {"aten::frexp.Tensor(Tensor self) -> (Tensor mantissa, Tensor exponent)", convertFrexp, Arithmetic},
    {"aten::nextafter(Tensor self, Tensor other) -> Tensor", convertNextafter, Arithmetic},
    {"aten::isreal(Tensor self) -> Tensor", convertIsReal, Logic},
    {"aten::angle(Tensor self) -> Tensor", convertAngle, Arithmetic},
});

} // namespace

std::span<const Row> rowsOfNumbers() {
    return numberRows;
}

} // namespace lathe::frontend::torch
