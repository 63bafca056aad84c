// SPDX-License-Identifier: Apache-2.0
//
// One description per format (mantissa bits, least normal exponent, greatest value, special codes) drives both
// directions, so that a new format is a row.
#include "base/narrow_float.h"

#include "base/result.h"

#include <bit>
#include <cmath>
#include <limits>

namespace lathe {
namespace {

struct Format {
    int mantissaBits;
    int minExponent; // of the least normal value, as a power of two
    double greatest;
    uint64_t nan;      // code of the quiet NaN; 0: none
    uint64_t infinity; // code of +infinity; 0: none
    bool negativeZero;
};

const Format* formatOf(DataType type) {
    static constexpr Format half{10, -14, 65504.0, 0x7e00, 0x7c00, true};
    static constexpr Format bfloat{7, -126, 0x1.fep127, 0x7fc0, 0x7f80, true};
    static constexpr Format e4m3fn{3, -6, 448.0, 0x7f, 0, true};
    static constexpr Format e4m3fnuz{3, -7, 240.0, 0x80, 0, false};
    static constexpr Format e5m2{2, -14, 57344.0, 0x7e, 0x7c, true};
    static constexpr Format e5m2fnuz{2, -15, 57344.0, 0x80, 0, false};
    static constexpr Format e2m1{1, 0, 6.0, 0, 0, true};
    switch (type.code) {
    case TypeCode::Float:
        return type.bits == 16 ? &half : nullptr;
    case TypeCode::BFloat:
        return &bfloat;
    case TypeCode::Float8E4M3FN:
        return &e4m3fn;
    case TypeCode::Float8E4M3FNUZ:
        return &e4m3fnuz;
    case TypeCode::Float8E5M2:
        return &e5m2;
    case TypeCode::Float8E5M2FNUZ:
        return &e5m2fnuz;
    case TypeCode::Float4E2M1:
        return &e2m1;
    default:
        return nullptr;
    }
}

uint64_t signBitOf(DataType type) {
    return uint64_t{1} << (type.bits - 1);
}

uint64_t toE8M0(double value, Overflow overflow, E8M0Rounding rounding) {
    uint32_t bits = std::bit_cast<uint32_t>(static_cast<float>(value));
    uint32_t exponent = (bits >> 23) & 0xff;
    if (exponent == 0xff)
        return 0xff;
    uint32_t fraction = bits & 0x7fffff;
    bool up = false;
    if (rounding == E8M0Rounding::Nearest)
        up = (fraction & 0x400000) != 0 && ((fraction & 0x3fffff) != 0 || exponent > 0);
    else if (rounding == E8M0Rounding::Up)
        up = fraction != 0;
    if (up && !(exponent == 0xfe && overflow == Overflow::Saturate))
        ++exponent;
    return exponent;
}

uint64_t toFormat(double value, const Format& format, DataType type, Overflow overflow) {
    bool negative = std::signbit(value);
    uint64_t sign = negative ? signBitOf(type) : 0;
    bool saturates = (overflow == Overflow::Saturate && type.bits == 8) || format.nan == 0;
    if (std::isnan(value))
        return format.nan != 0 ? format.nan : (negative ? 0 : signBitOf(type)); // float4: a zero, as ml_dtypes does
    double magnitude = std::fabs(value);
    double rounded = magnitude;
    int exponent = format.minExponent;
    if (!std::isinf(magnitude) && magnitude > 0) {
        exponent = std::max(std::ilogb(magnitude), format.minExponent);
        // Scaling by a power of two is exact here; nearbyint rounds half to even.
        rounded = std::ldexp(std::nearbyint(std::ldexp(magnitude, format.mantissaBits - exponent)),
                             exponent - format.mantissaBits);
    }
    if (rounded > format.greatest) {
        if (!saturates)
            return format.infinity != 0 ? format.infinity | sign : format.nan;
        rounded = format.greatest;
    }
    if (rounded == 0)
        return format.negativeZero ? sign : 0;
    exponent = std::max(std::ilogb(rounded), format.minExponent);
    auto steps = static_cast<uint64_t>(std::ldexp(rounded, format.mantissaBits - exponent));
    uint64_t hidden = uint64_t{1} << format.mantissaBits;
    uint64_t field = steps < hidden ? 0 : static_cast<uint64_t>(exponent - format.minExponent + 1);
    return sign | (field << format.mantissaBits) | (steps & (hidden - 1));
}

double fromFormat(uint64_t bits, const Format& format, DataType type) {
    uint64_t signBit = signBitOf(type);
    bits &= (signBit << 1) - 1;
    uint64_t magnitude = bits & (signBit - 1);
    double sign = (bits & signBit) != 0 ? -1.0 : 1.0;
    if (format.infinity != 0 && magnitude >= format.infinity)
        return magnitude == format.infinity ? sign * std::numeric_limits<double>::infinity()
                                            : std::numeric_limits<double>::quiet_NaN();
    bool isNan = format.infinity == 0 && format.nan != 0 &&
                 (format.nan == signBit ? bits == format.nan : magnitude == format.nan);
    if (isNan)
        return std::numeric_limits<double>::quiet_NaN();
    uint64_t hidden = uint64_t{1} << format.mantissaBits;
    auto field = static_cast<int>(magnitude >> format.mantissaBits);
    uint64_t steps = magnitude & (hidden - 1);
    if (field > 0)
        steps |= hidden;
    int exponent = format.minExponent + std::max(field, 1) - 1 - format.mantissaBits;
    return sign * std::ldexp(static_cast<double>(steps), exponent);
}

} // namespace

uint64_t floatToBits(double value, DataType type, Overflow overflow, E8M0Rounding rounding) {
    LATHE_ASSERT(type.isFloat(), "bits of a type that is not a float");
    if (type.code == TypeCode::Float && type.bits == 64)
        return std::bit_cast<uint64_t>(value);
    if (type.code == TypeCode::Float && type.bits == 32)
        return std::bit_cast<uint32_t>(static_cast<float>(value));
    if (type.code == TypeCode::Float8E8M0)
        return toE8M0(value, overflow, rounding);
    return toFormat(value, *formatOf(type), type, overflow);
}

double bitsToFloat(uint64_t bits, DataType type) {
    LATHE_ASSERT(type.isFloat(), "value of a type that is not a float");
    if (type.code == TypeCode::Float && type.bits == 64)
        return std::bit_cast<double>(bits);
    if (type.code == TypeCode::Float && type.bits == 32)
        return std::bit_cast<float>(static_cast<uint32_t>(bits));
    if (type.code == TypeCode::Float8E8M0) {
        uint64_t exponent = bits & 0xff;
        return exponent == 0xff ? std::numeric_limits<double>::quiet_NaN()
                                : std::ldexp(1.0, static_cast<int>(exponent) - 127);
    }
    return fromFormat(bits, *formatOf(type), type);
}

double roundToType(double value, DataType type, Overflow overflow, E8M0Rounding rounding) {
    if (std::isnan(value) && type.code != TypeCode::Float4E2M1)
        return std::numeric_limits<double>::quiet_NaN();
    if (type.code == TypeCode::Float && type.bits == 64)
        return value;
    if (type.code == TypeCode::Float && type.bits == 32)
        return static_cast<float>(value);
    return bitsToFloat(floatToBits(value, type, overflow, rounding), type);
}

double greatestFinite(DataType type) {
    if (type.code == TypeCode::Float && type.bits == 64)
        return std::numeric_limits<double>::max();
    if (type.code == TypeCode::Float && type.bits == 32)
        return std::numeric_limits<float>::max();
    if (type.code == TypeCode::Float8E8M0)
        return 0x1p127;
    const Format* format = formatOf(type);
    LATHE_ASSERT(format != nullptr, "greatest value of a type that is not a float");
    return format->greatest;
}

bool hasInfinity(DataType type) {
    if (type.code == TypeCode::Float && type.bits >= 32)
        return true;
    const Format* format = formatOf(type);
    return format != nullptr && format->infinity != 0;
}

} // namespace lathe
