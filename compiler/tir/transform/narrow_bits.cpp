// SPDX-License-Identifier: Apache-2.0
//
// Widening moves exponent and mantissa to float32's places and multiplies by the power of two between the biases, which
// is exact for subnormals too. Narrowing rounds the float32's bits at the last mantissa bit; results that are subnormal
// come from adding a power of two whose last place is the narrow type's quantum, so that the addition rounds.
#include "tir/transform/narrow_bits.h"

#include <cmath>

namespace lathe::tir {
namespace {

using arith::Expr;
using arith::Intrinsic;

struct FloatFormat {
    int mantissa;
    int bias;
};

FloatFormat formatOf(DataType type) {
    switch (type.code) {
    case TypeCode::BFloat:
        return {7, 127};
    case TypeCode::Float8E4M3FN:
        return {3, 7};
    case TypeCode::Float8E4M3FNUZ:
        return {3, 8};
    case TypeCode::Float8E5M2:
        return {2, 15};
    case TypeCode::Float8E5M2FNUZ:
        return {2, 16};
    case TypeCode::Float4E2M1:
        return {1, 1};
    default:
        return {10, 15}; // float16
    }
}

DataType u32(const Expr& like) {
    return types::UInt32.withLanes(like.dtype().lanes);
}
Expr word(const Expr& like, uint64_t value) {
    return arith::intImm(static_cast<int64_t>(value), u32(like));
}
Expr asWord(const Expr& e) {
    return arith::call(Intrinsic::Reinterpret, {e}, u32(e));
}
Expr asFloat32(const Expr& e) {
    return arith::call(Intrinsic::Reinterpret, {e}, types::Float32.withLanes(e.dtype().lanes));
}
Expr f32(const Expr& like, double value) {
    return arith::floatImm(value, types::Float32.withLanes(like.dtype().lanes));
}
Expr bitAnd(const Expr& a, const Expr& b) {
    return arith::binary(arith::ExprKind::BitAnd, a, b);
}
Expr bitOr(const Expr& a, const Expr& b) {
    return arith::binary(arith::ExprKind::BitOr, a, b);
}
Expr shl(const Expr& a, int bits) {
    return arith::binary(arith::ExprKind::Shl, a, word(a, static_cast<uint64_t>(bits)));
}
Expr shr(const Expr& a, int bits) {
    return arith::binary(arith::ExprKind::Shr, a, word(a, static_cast<uint64_t>(bits)));
}

Expr e8m0ToFloat(const Expr& bits) {
    Expr value = arith::select(arith::eq(bits, word(bits, 0)), word(bits, 0x00400000), shl(bits, 23));
    return asFloat32(arith::select(arith::eq(bits, word(bits, 0xff)), word(bits, 0x7fc00000), value));
}

Expr floatToE8M0(const Expr& value, Overflow overflow, E8M0Rounding rounding) {
    Expr bits = asWord(value);
    Expr exponent = bitAnd(shr(bits, 23), word(bits, 0xff));
    Expr fraction = bitAnd(bits, word(bits, 0x7fffff));
    Expr zero = word(bits, 0);
    Expr up;
    if (rounding == E8M0Rounding::Up)
        up = arith::ne(fraction, zero);
    else if (rounding == E8M0Rounding::Nearest)
        up = arith::logicalAnd(arith::ge(fraction, word(bits, 0x400000)),
                               arith::logicalOr(arith::gt(fraction, word(bits, 0x400000)), arith::gt(exponent, zero)));
    Expr result = exponent;
    if (up) {
        const uint64_t limit = overflow == Overflow::Saturate ? 0xfe : 0xff;
        up = arith::logicalAnd(up, arith::lt(exponent, word(bits, limit)));
        result = arith::select(up, exponent + word(bits, 1), exponent);
    }
    return arith::cast(result, types::UInt8.withLanes(value.dtype().lanes));
}

} // namespace

DataType bitsType(DataType narrow) {
    return (narrow.bits == 16 ? types::UInt16 : types::UInt8).withLanes(narrow.lanes);
}

Expr narrowToFloat32(const Expr& stored, DataType narrow) {
    Expr bits = arith::cast(stored, types::UInt32.withLanes(stored.dtype().lanes));
    if (narrow.code == TypeCode::Float8E8M0)
        return e8m0ToFloat(bits);
    if (narrow.code == TypeCode::BFloat)
        return asFloat32(shl(bits, 16));
    const FloatFormat format = formatOf(narrow);
    const uint64_t signBit = uint64_t{1} << (narrow.bits - 1);
    Expr magnitude = bitAnd(bits, word(bits, signBit - 1));
    Expr scaled = asFloat32(shl(magnitude, 23 - format.mantissa)) * f32(bits, std::ldexp(1.0, 127 - format.bias));
    Expr result = asWord(scaled);
    if (hasInfinity(narrow)) {
        uint64_t infinity = floatToBits(std::numeric_limits<double>::infinity(), narrow.scalar(), Overflow::Special);
        result = arith::select(arith::ge(magnitude, word(bits, infinity)),
                               bitOr(shl(magnitude, 23 - format.mantissa), word(bits, 0x7f800000)), result);
    }
    Expr sign = shl(bitAnd(bits, word(bits, signBit)), 32 - narrow.bits);
    result = bitOr(result, sign);
    if (!hasInfinity(narrow) && narrow.code != TypeCode::Float4E2M1) {
        uint64_t nan = floatToBits(std::numeric_limits<double>::quiet_NaN(), narrow.scalar());
        const Expr& compared = nan == signBit ? bits : magnitude;
        result = arith::select(arith::eq(compared, word(bits, nan)), word(bits, 0x7fc00000), result);
    }
    return asFloat32(result);
}

Expr float32ToNarrow(const Expr& value, DataType narrow, Overflow overflow, E8M0Rounding rounding) {
    const DataType type = narrow.scalar();
    if (type.code == TypeCode::Float8E8M0)
        return floatToE8M0(value, overflow, rounding);
    const FloatFormat format = formatOf(type);
    const int shift = 23 - format.mantissa;
    const uint64_t signBit = uint64_t{1} << (type.bits - 1);
    const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
    const bool four = type.code == TypeCode::Float4E2M1;
    const bool unsignedZero = floatToBits(-0.0, type) == 0;
    const uint64_t greatest = floatToBits(greatestFinite(type), type);
    const uint64_t beyond = floatToBits(infinity, type, overflow); // the greatest, infinity or NaN

    Expr bits = asWord(value);
    Expr magnitude = bitAnd(bits, word(bits, 0x7fffffff));
    Expr odd = bitAnd(shr(magnitude, shift), word(bits, 1));
    Expr code = shr(magnitude + word(bits, (uint64_t{1} << (shift - 1)) - 1) + odd, shift);
    if (format.bias != 127) {
        code = code - word(bits, static_cast<uint64_t>(127 - format.bias) << format.mantissa);
        const int minExponent = 1 - format.bias;
        Expr quantum = f32(bits, std::ldexp(1.0, minExponent - format.mantissa + 23));
        Expr subnormal = asWord(asFloat32(magnitude) + quantum) - asWord(quantum);
        Expr least = asWord(f32(bits, std::ldexp(1.0, minExponent)));
        code = arith::select(arith::lt(magnitude, least), subnormal, code);
    }
    // The order of codes is the order of magnitudes, so overflow shows in the code.
    Expr tooLarge = arith::gt(code, word(bits, greatest));
    Expr sign = bitAnd(shr(bits, 32 - type.bits), word(bits, signBit));
    Expr result = bitOr(code, sign);
    if (unsignedZero)
        result = arith::select(arith::eq(code, word(bits, 0)), code, result);
    const bool signless = beyond != greatest && !hasInfinity(type); // overflow is the one NaN
    result = arith::select(tooLarge, signless ? word(bits, beyond) : bitOr(word(bits, beyond), sign), result);
    Expr isNan = arith::gt(magnitude, word(bits, 0x7f800000));
    Expr nanCode =
        four ? word(bits, signBit) - sign : word(bits, floatToBits(nan, type)); // float4: a zero of the other sign
    result = arith::select(isNan, nanCode, result);
    return arith::cast(result, bitsType(narrow.withLanes(value.dtype().lanes)));
}

Expr roundToOdd(const Expr& value) {
    Expr rounded = arith::cast(value, types::Float32.withLanes(value.dtype().lanes));
    Expr back = arith::cast(rounded, value.dtype());
    Expr bits = asWord(rounded);
    Expr even = arith::eq(bitAnd(bits, word(bits, 1)), word(bits, 0));
    Expr change = arith::logicalAnd(arith::ne(back, value), even);
    auto magnitude = [&](const Expr& e) { return arith::call(Intrinsic::Abs, {e}, e.dtype()); };
    Expr moved =
        arith::select(arith::gt(magnitude(back), magnitude(value)), bits - word(bits, 1), bits + word(bits, 1));
    return asFloat32(arith::select(change, moved, bits));
}

} // namespace lathe::tir
