// SPDX-License-Identifier: Apache-2.0
//
// Scalar operations on integers of every width (64-bit arithmetic, then wrapped) and floats (double arithmetic, then
// rounded: exact for float32 and narrower, since a double has more than 2p + 2 bits of them).
#include "arith/scalar.h"

#include "base/narrow_float.h"
#include "base/result.h"

#include <array>
#include <bit>
#include <cmath>

namespace lathe::arith {
namespace {

int64_t addWrapping(int64_t a, int64_t b) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}

int64_t subWrapping(int64_t a, int64_t b) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}

int64_t mulWrapping(int64_t a, int64_t b) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

bool isUInt64(DataType type) {
    return type.code == TypeCode::UInt && type.bits == 64;
}

bool isFloat32(DataType type) {
    return type.code == TypeCode::Float && type.bits == 32;
}

bool lessThan(DataType type, int64_t a, int64_t b) {
    return isUInt64(type) ? static_cast<uint64_t>(a) < static_cast<uint64_t>(b) : a < b;
}

std::optional<int64_t> checkedIndex(ExprKind kind, int64_t a, int64_t b) {
    int64_t result = 0;
    bool overflow = kind == ExprKind::Add   ? __builtin_add_overflow(a, b, &result)
                    : kind == ExprKind::Sub ? __builtin_sub_overflow(a, b, &result)
                                            : __builtin_mul_overflow(a, b, &result);
    return overflow ? std::nullopt : std::optional(result);
}

std::optional<int64_t> divideInts(ExprKind kind, DataType type, int64_t a, int64_t b) {
    if (b == 0)
        return std::nullopt;
    bool isDivision = kind == ExprKind::Div || kind == ExprKind::FloorDiv;
    if (isUInt64(type)) {
        auto x = static_cast<uint64_t>(a);
        auto y = static_cast<uint64_t>(b);
        return static_cast<int64_t>(isDivision ? x / y : x % y);
    }
    if (b == -1) {
        if (type.isIndex() && isDivision && a == std::numeric_limits<int64_t>::min())
            return std::nullopt;
        return isDivision ? subWrapping(0, a) : 0;
    }
    switch (kind) {
    case ExprKind::Div:
        return a / b;
    case ExprKind::Mod:
        return a % b;
    case ExprKind::FloorDiv:
        return floorDivide(a, b);
    default:
        return floorModulo(a, b);
    }
}

int64_t shift(ExprKind kind, DataType type, int64_t a, int64_t b) {
    bool tooFar = b < 0 || b >= type.bits;
    if (kind == ExprKind::Shl)
        return tooFar ? 0 : static_cast<int64_t>(static_cast<uint64_t>(a) << b);
    if (type.code == TypeCode::UInt)
        return tooFar ? 0 : static_cast<int64_t>(static_cast<uint64_t>(a) >> b);
    return a >> (tooFar ? 63 : b);
}

std::optional<int64_t> integerBinary(ExprKind kind, DataType type, int64_t a, int64_t b) {
    switch (kind) {
    case ExprKind::Add:
    case ExprKind::Sub:
    case ExprKind::Mul:
        if (type.isIndex())
            return checkedIndex(kind, a, b);
        return wrapToType(kind == ExprKind::Add   ? addWrapping(a, b)
                          : kind == ExprKind::Sub ? subWrapping(a, b)
                                                  : mulWrapping(a, b),
                          type);
    case ExprKind::Div:
    case ExprKind::Mod:
    case ExprKind::FloorDiv:
    case ExprKind::FloorMod:
        if (auto result = divideInts(kind, type, a, b))
            return wrapToType(*result, type);
        return std::nullopt;
    case ExprKind::Min:
        return lessThan(type, b, a) ? b : a;
    case ExprKind::Max:
        return lessThan(type, a, b) ? b : a;
    case ExprKind::And:
    case ExprKind::BitAnd:
        return a & b;
    case ExprKind::Or:
    case ExprKind::BitOr:
        return a | b;
    case ExprKind::BitXor:
        return a ^ b;
    case ExprKind::Shl:
    case ExprKind::Shr:
        return wrapToType(shift(kind, type, a, b), type);
    default:
        internalError(__FILE__, __LINE__, "integerBinary", "not a binary operation");
    }
}

double floatBinary(ExprKind kind, double a, double b) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    switch (kind) {
    case ExprKind::Add:
        return a + b;
    case ExprKind::Sub:
        return a - b;
    case ExprKind::Mul:
        return a * b;
    case ExprKind::Div:
        return a / b;
    case ExprKind::Mod:
        return std::fmod(a, b);
    case ExprKind::FloorDiv:
        return std::floor(a / b);
    case ExprKind::FloorMod: {
        double remainder = std::fmod(a, b);
        return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
    }
    case ExprKind::Min:
        return std::isnan(a) || std::isnan(b) ? nan : (b < a ? b : a);
    case ExprKind::Max:
        return std::isnan(a) || std::isnan(b) ? nan : (a < b ? b : a);
    default:
        internalError(__FILE__, __LINE__, "floatBinary", "not an operation on floats");
    }
}

Scalar ofInt(int64_t value) {
    return {.i = value};
}

Scalar ofFloat(double value) {
    Scalar result;
    result.f = value;
    return result;
}

/// Truncates towards zero and saturates at the type's limits; NaN gives 0; int2 and int4 wrap instead.
int64_t floatToInt(double value, DataType to) {
    if (std::isnan(value))
        return 0;
    double truncated = std::trunc(value);
    if (to.code == TypeCode::UInt && to.bits >= 8) {
        if (truncated <= 0)
            return 0;
        double limit = std::ldexp(1.0, to.bits);
        if (truncated >= limit)
            return wrapToType(-1, to);
        return static_cast<int64_t>(static_cast<uint64_t>(truncated));
    }
    int bits = to.bits < 8 ? 64 : to.bits;
    double limit = std::ldexp(1.0, bits - 1);
    int64_t least = bits == 64 ? std::numeric_limits<int64_t>::min() : -(int64_t{1} << (bits - 1));
    if (truncated <= -limit)
        return wrapToType(least, to);
    if (truncated >= limit)
        return wrapToType(-(least + 1), to);
    return wrapToType(static_cast<int64_t>(truncated), to);
}

/// Integers reach types narrower than float32 through float32, as generated code does.
double intToFloat(int64_t value, DataType from, DataType to) {
    bool isUnsigned = isUInt64(from);
    if (to.code == TypeCode::Float && to.bits == 64)
        return isUnsigned ? static_cast<double>(static_cast<uint64_t>(value)) : static_cast<double>(value);
    return isUnsigned ? static_cast<float>(static_cast<uint64_t>(value)) : static_cast<float>(value);
}

/// Float functions in float for float32 and in double otherwise: what libm gives to generated code.
double floatFunction(Intrinsic intrinsic, double x) {
    switch (intrinsic) {
    case Intrinsic::Exp:
        return std::exp(x);
    case Intrinsic::Log:
        return std::log(x);
    case Intrinsic::Sqrt:
        return std::sqrt(x);
    case Intrinsic::Rsqrt:
        return 1.0 / std::sqrt(x);
    case Intrinsic::Sin:
        return std::sin(x);
    case Intrinsic::Cos:
        return std::cos(x);
    case Intrinsic::Tan:
        return std::tan(x);
    case Intrinsic::Asin:
        return std::asin(x);
    case Intrinsic::Acos:
        return std::acos(x);
    case Intrinsic::Atan:
        return std::atan(x);
    case Intrinsic::Sinh:
        return std::sinh(x);
    case Intrinsic::Cosh:
        return std::cosh(x);
    case Intrinsic::Tanh:
        return std::tanh(x);
    case Intrinsic::Asinh:
        return std::asinh(x);
    case Intrinsic::Acosh:
        return std::acosh(x);
    case Intrinsic::Atanh:
        return std::atanh(x);
    case Intrinsic::Erf:
        return std::erf(x);
    case Intrinsic::Sigmoid:
        return 1.0 / (1.0 + std::exp(-x));
    case Intrinsic::Floor:
        return std::floor(x);
    case Intrinsic::Ceil:
        return std::ceil(x);
    case Intrinsic::Trunc:
        return std::trunc(x);
    case Intrinsic::RoundEven:
        return std::nearbyint(x);
    case Intrinsic::Abs:
        return std::fabs(x);
    case Intrinsic::Log1p:
        return std::log1p(x);
    case Intrinsic::Expm1:
        return std::expm1(x);
    default:
        internalError(__FILE__, __LINE__, "floatFunction", "not a function of one float");
    }
}

uint64_t bitsOf(Scalar value, DataType type) {
    if (type.isFloat())
        return floatToBits(value.f, type, Overflow::Special);
    uint64_t mask = type.bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << type.bits) - 1;
    return static_cast<uint64_t>(value.i) & mask;
}

struct IntrinsicName {
    Intrinsic intrinsic;
    const char* name;
};

constexpr std::array intrinsicNames{
    IntrinsicName{Intrinsic::Exp, "exp"},
    IntrinsicName{Intrinsic::Log, "log"},
    IntrinsicName{Intrinsic::Sqrt, "sqrt"},
    IntrinsicName{Intrinsic::Rsqrt, "rsqrt"},
    IntrinsicName{Intrinsic::Sin, "sin"},
    IntrinsicName{Intrinsic::Cos, "cos"},
    IntrinsicName{Intrinsic::Tan, "tan"},
    IntrinsicName{Intrinsic::Asin, "asin"},
    IntrinsicName{Intrinsic::Acos, "acos"},
    IntrinsicName{Intrinsic::Atan, "atan"},
    IntrinsicName{Intrinsic::Sinh, "sinh"},
    IntrinsicName{Intrinsic::Cosh, "cosh"},
    IntrinsicName{Intrinsic::Tanh, "tanh"},
    IntrinsicName{Intrinsic::Asinh, "asinh"},
    IntrinsicName{Intrinsic::Acosh, "acosh"},
    IntrinsicName{Intrinsic::Atanh, "atanh"},
    IntrinsicName{Intrinsic::Erf, "erf"},
    IntrinsicName{Intrinsic::Sigmoid, "sigmoid"},
    IntrinsicName{Intrinsic::Pow, "pow"},
    IntrinsicName{Intrinsic::Floor, "floor"},
    IntrinsicName{Intrinsic::Ceil, "ceil"},
    IntrinsicName{Intrinsic::Trunc, "trunc"},
    IntrinsicName{Intrinsic::RoundEven, "round_even"},
    IntrinsicName{Intrinsic::Abs, "abs"},
    IntrinsicName{Intrinsic::Fma, "fma"},
    IntrinsicName{Intrinsic::CopySign, "copysign"},
    IntrinsicName{Intrinsic::IsNan, "isnan"},
    IntrinsicName{Intrinsic::IsInf, "isinf"},
    IntrinsicName{Intrinsic::Log1p, "log1p"},
    IntrinsicName{Intrinsic::Expm1, "expm1"},
    IntrinsicName{Intrinsic::IntPow, "intpow"},
    IntrinsicName{Intrinsic::PopCount, "popcount"},
    IntrinsicName{Intrinsic::Reinterpret, "reinterpret"},
    IntrinsicName{Intrinsic::CastNoSaturate, "cast_no_saturate"},
    IntrinsicName{Intrinsic::CastE8M0Up, "cast_e8m0_up"},
    IntrinsicName{Intrinsic::CastE8M0Down, "cast_e8m0_down"},
    IntrinsicName{Intrinsic::RandomBits, "random_bits"},
    IntrinsicName{Intrinsic::ReduceAdd, "reduce_add"},
    IntrinsicName{Intrinsic::ReduceMax, "reduce_max"},
    IntrinsicName{Intrinsic::ReduceMin, "reduce_min"},
    IntrinsicName{Intrinsic::ReduceMul, "reduce_mul"},
    IntrinsicName{Intrinsic::AddressOf, "address_of"},
    IntrinsicName{Intrinsic::PtrOffset, "ptr_offset"},
    IntrinsicName{Intrinsic::RtCall, "rt_call"},
    IntrinsicName{Intrinsic::Prefetch, "prefetch"},
};

} // namespace

int64_t wrapToType(int64_t value, DataType type) {
    if (type.code == TypeCode::Bool)
        return value != 0 ? 1 : 0;
    if ((type.code != TypeCode::Int && type.code != TypeCode::UInt) || type.bits >= 64)
        return value;
    int unused = 64 - type.bits;
    auto shifted = static_cast<uint64_t>(value) << unused;
    return type.code == TypeCode::Int ? static_cast<int64_t>(shifted) >> unused
                                      : static_cast<int64_t>(shifted >> unused);
}

std::optional<Scalar> applyBinary(ExprKind kind, DataType type, Scalar a, Scalar b) {
    if (type.isFloat())
        return ofFloat(roundToType(floatBinary(kind, a.f, b.f), type));
    if (auto result = integerBinary(kind, type, a.i, b.i))
        return ofInt(*result);
    return std::nullopt;
}

bool applyCompare(ExprKind kind, DataType type, Scalar a, Scalar b) {
    if (type.isFloat()) {
        switch (kind) {
        case ExprKind::Eq:
            return a.f == b.f;
        case ExprKind::Ne:
            return a.f != b.f;
        case ExprKind::Lt:
            return a.f < b.f;
        case ExprKind::Le:
            return a.f <= b.f;
        case ExprKind::Gt:
            return a.f > b.f;
        default:
            return a.f >= b.f;
        }
    }
    switch (kind) {
    case ExprKind::Eq:
        return a.i == b.i;
    case ExprKind::Ne:
        return a.i != b.i;
    case ExprKind::Lt:
        return lessThan(type, a.i, b.i);
    case ExprKind::Le:
        return !lessThan(type, b.i, a.i);
    case ExprKind::Gt:
        return lessThan(type, b.i, a.i);
    default:
        return !lessThan(type, a.i, b.i);
    }
}

Scalar applyCast(Scalar value, DataType from, DataType to, Intrinsic mode) {
    if (to.isFloat()) {
        double source = from.isFloat() ? value.f : intToFloat(value.i, from, to);
        Overflow overflow = mode == Intrinsic::CastNoSaturate ? Overflow::Special : Overflow::Saturate;
        E8M0Rounding rounding = mode == Intrinsic::CastE8M0Up     ? E8M0Rounding::Up
                                : mode == Intrinsic::CastE8M0Down ? E8M0Rounding::Down
                                                                  : E8M0Rounding::Nearest;
        return ofFloat(roundToType(source, to, overflow, rounding));
    }
    if (from.isFloat())
        return ofInt(to.isBool() ? (value.f != 0 ? 1 : 0) : floatToInt(value.f, to));
    return ofInt(wrapToType(value.i, to));
}

std::optional<Scalar> applyIntrinsic(Intrinsic intrinsic, DataType type, DataType from, std::span<const Scalar> args) {
    switch (intrinsic) {
    case Intrinsic::None:
    case Intrinsic::AddressOf:
    case Intrinsic::PtrOffset:
    case Intrinsic::RtCall:
    case Intrinsic::Prefetch:
        return std::nullopt;
    case Intrinsic::CastNoSaturate:
    case Intrinsic::CastE8M0Up:
    case Intrinsic::CastE8M0Down:
        return applyCast(args[0], from, type, intrinsic);
    case Intrinsic::IsNan:
        return ofInt(from.isFloat() && std::isnan(args[0].f) ? 1 : 0);
    case Intrinsic::IsInf:
        return ofInt(from.isFloat() && std::isinf(args[0].f) ? 1 : 0);
    case Intrinsic::IntPow:
        return ofInt(wrapToType(intPower(args[0].i, args[1].i), type));
    case Intrinsic::PopCount:
        return ofInt(std::popcount(bitsOf(args[0], from)));
    case Intrinsic::Reinterpret: {
        uint64_t bits = bitsOf(args[0], from);
        return type.isFloat() ? ofFloat(bitsToFloat(bits, type)) : ofInt(wrapToType(static_cast<int64_t>(bits), type));
    }
    case Intrinsic::RandomBits:
        return ofInt(randomBits(static_cast<uint64_t>(args[0].i), static_cast<uint64_t>(args[1].i)));
    case Intrinsic::ReduceAdd:
    case Intrinsic::ReduceMax:
    case Intrinsic::ReduceMin:
    case Intrinsic::ReduceMul:
        return args[0];
    default:
        break;
    }
    if (!type.isFloat()) {
        if (intrinsic == Intrinsic::Abs)
            return ofInt(type.isSigned() && args[0].i < 0 ? wrapToType(subWrapping(0, args[0].i), type) : args[0].i);
        return std::nullopt;
    }
    double result = 0;
    switch (intrinsic) {
    case Intrinsic::Pow:
        result = std::pow(args[0].f, args[1].f);
        break;
    case Intrinsic::CopySign:
        result = std::copysign(args[0].f, args[1].f);
        break;
    case Intrinsic::Fma:
        result = isFloat32(type) ? std::fma(static_cast<float>(args[0].f), static_cast<float>(args[1].f),
                                            static_cast<float>(args[2].f))
                                 : std::fma(args[0].f, args[1].f, args[2].f);
        break;
    default:
        result = floatFunction(intrinsic, args[0].f);
        break;
    }
    return ofFloat(roundToType(result, type));
}

bool isExact(Intrinsic intrinsic) {
    switch (intrinsic) {
    case Intrinsic::Sqrt:
    case Intrinsic::Floor:
    case Intrinsic::Ceil:
    case Intrinsic::Trunc:
    case Intrinsic::RoundEven:
    case Intrinsic::Abs:
    case Intrinsic::Fma:
    case Intrinsic::CopySign:
    case Intrinsic::IsNan:
    case Intrinsic::IsInf:
    case Intrinsic::IntPow:
    case Intrinsic::PopCount:
    case Intrinsic::Reinterpret:
    case Intrinsic::CastNoSaturate:
    case Intrinsic::CastE8M0Up:
    case Intrinsic::CastE8M0Down:
        return true;
    default:
        return false;
    }
}

uint32_t randomBits(uint64_t seed, uint64_t counter) {
    uint64_t z = seed + (counter + 1) * 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return static_cast<uint32_t>((z ^ (z >> 31)) >> 32);
}

int64_t intPower(int64_t base, int64_t exponent) {
    if (exponent < 0)
        return base == 1 ? 1 : base == -1 ? ((exponent & 1) != 0 ? -1 : 1) : 0;
    int64_t result = 1;
    for (; exponent > 0; exponent >>= 1) {
        if ((exponent & 1) != 0)
            result = mulWrapping(result, base);
        base = mulWrapping(base, base);
    }
    return result;
}

int64_t floorDivide(int64_t a, int64_t b) {
    if (b == -1)
        return subWrapping(0, a);
    int64_t quotient = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

int64_t floorModulo(int64_t a, int64_t b) {
    if (b == -1)
        return 0;
    int64_t remainder = a % b;
    return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

const char* nameOf(Intrinsic intrinsic) {
    for (const IntrinsicName& entry : intrinsicNames)
        if (entry.intrinsic == intrinsic)
            return entry.name;
    return "none";
}

Intrinsic intrinsicOf(std::string_view name) {
    for (const IntrinsicName& entry : intrinsicNames)
        if (entry.name == name)
            return entry.intrinsic;
    return Intrinsic::None;
}

} // namespace lathe::arith
