// SPDX-License-Identifier: Apache-2.0
//
// Elementwise value rules. A bool that depends on symbols is select(condition, 1, 0), so that conditions stay readable.
#include "relay/value_rules.h"

#include "arith/analysis.h"
#include "arith/scalar.h"
#include "base/narrow_float.h"

#include <cmath>

namespace lathe::relay::values {
namespace {

Expr condition(const Expr& flag) {
    if (flag.kind() == arith::ExprKind::Select && arith::isConst(flag->args[1], 1) && arith::isConst(flag->args[2], 0))
        return flag->args[0];
    return arith::ne(flag, Expr(0));
}

Expr flag(const Expr& condition) {
    if (arith::provablyTrue(condition))
        return Expr(1);
    if (arith::provablyFalse(condition))
        return Expr(0);
    return arith::select(condition, Expr(1), Expr(0));
}

Expr real(double value, DataType dtype) {
    return arith::floatImm(roundToType(value, dtype, Overflow::Special), dtype);
}

double sign(double x) {
    return std::isnan(x) ? x : x > 0 ? 1 : x < 0 ? -1 : 0;
}

Expr unaryFloat(Op op, double x, DataType dtype, const AttrsPtr& attributes) {
    switch (op) {
    case Op::Negative:
        return real(-x, dtype);
    case Op::Abs:
        return real(std::fabs(x), dtype);
    case Op::Sign:
        return real(sign(x), dtype);
    case Op::Floor:
        return real(std::floor(x), dtype);
    case Op::Ceil:
        return real(std::ceil(x), dtype);
    case Op::Round:
        return real(std::nearbyint(x), dtype);
    case Op::Sqrt:
        return real(std::sqrt(x), dtype);
    case Op::Exp:
        return real(std::exp(x), dtype);
    case Op::Log:
        return real(std::log(x), dtype);
    case Op::Sin:
        return real(std::sin(x), dtype);
    case Op::Cos:
        return real(std::cos(x), dtype);
    case Op::Tan:
        return real(std::tan(x), dtype);
    case Op::Asin:
        return real(std::asin(x), dtype);
    case Op::Acos:
        return real(std::acos(x), dtype);
    case Op::Atan:
        return real(std::atan(x), dtype);
    case Op::Sinh:
        return real(std::sinh(x), dtype);
    case Op::Cosh:
        return real(std::cosh(x), dtype);
    case Op::Tanh:
        return real(std::tanh(x), dtype);
    case Op::Asinh:
        return real(std::asinh(x), dtype);
    case Op::Acosh:
        return real(std::acosh(x), dtype);
    case Op::Atanh:
        return real(std::atanh(x), dtype);
    case Op::Erf:
        return real(std::erf(x), dtype);
    case Op::Sigmoid:
        return real(1 / (1 + std::exp(-x)), dtype);
    case Op::Reciprocal:
        return real(1 / x, dtype);
    case Op::Relu:
        return real(x < 0 ? 0 : x, dtype);
    case Op::IsNan:
        return Expr(std::isnan(x) ? 1 : 0);
    case Op::IsInf: {
        const auto& at = attrs<IsInfAttrs>(attributes);
        return Expr(std::isinf(x) && (x > 0 ? at.positive : at.negative) ? 1 : 0);
    }
    default:
        return {};
    }
}

Expr unaryInt(Op op, const Expr& x, DataType dtype) {
    Expr zero(0), result;
    switch (op) {
    case Op::Negative:
        result = zero - x;
        break;
    case Op::Abs:
        result = arith::select(arith::lt(x, zero), zero - x, x);
        break;
    case Op::Sign:
        result = arith::select(arith::lt(x, zero), Expr(-1), arith::min(x, Expr(1)));
        break;
    case Op::Floor:
    case Op::Ceil:
    case Op::Round:
        result = x;
        break;
    case Op::Relu:
        result = arith::max(x, zero);
        break;
    case Op::LogicalNot:
        return flag(arith::logicalNot(condition(x)));
    case Op::BitwiseNot:
        result = zero - x - 1;
        break;
    default:
        return {};
    }
    if (std::optional<int64_t> value = arith::asInt(x); value && (op == Op::Negative || op == Op::Abs)) {
        bool negate = op == Op::Negative || *value < 0; // wraps for the least value
        auto bits = static_cast<uint64_t>(*value);
        return Expr(wrap(static_cast<int64_t>(negate ? uint64_t{0} - bits : bits), dtype));
    }
    if (std::optional<int64_t> value = arith::asInt(result))
        return Expr(wrap(*value, dtype));
    return result;
}

/// A float element that is an integer expression over symbols, rounded to the type.
bool isWhole(const Expr& x) {
    return x.kind() == arith::ExprKind::Cast && x->args[0].dtype().isIndex();
}

/// Up to here every integer is a value of the type.
int64_t exactBelow(DataType dtype) {
    return int64_t{1} << (dtype == types::Float64 ? 53 : 24);
}

/// The least or greatest of whole elements; nothing unless rounding cannot change which it is.
Expr wholeExtreme(Op op, const Expr& a, const Expr& b, DataType dtype) {
    if ((op != Op::Minimum && op != Op::Maximum) || (dtype != types::Float32 && dtype != types::Float64))
        return {};
    const auto whole = [&](const Expr& x) -> Expr {
        if (isWhole(x))
            return x->args[0];
        const std::optional<double> value = arith::asFloat(x);
        if (!value || std::floor(*value) != *value || std::fabs(*value) > static_cast<double>(exactBelow(dtype)))
            return {};
        return Expr(static_cast<int64_t>(*value));
    };
    const Expr left = whole(a), right = whole(b);
    if (!left || !right)
        return {};
    return arith::cast(op == Op::Minimum ? arith::min(left, right) : arith::max(left, right), dtype);
}

/// An integer on its way to a float type: by float32, as code converts it, unless the type is wider.
double asDouble(int64_t value, DataType dtype) {
    return dtype == types::Float64 ? static_cast<double>(value) : static_cast<double>(static_cast<float>(value));
}

/// Rounded to the type of the cast; a null Expr for a rounding that only code knows.
Expr castFloat(double value, const CastAttrs& at) {
    if (at.round != "even" && at.dtype.code == TypeCode::Float8E8M0)
        return {};
    return arith::floatImm(roundToType(value, at.dtype, at.saturate ? Overflow::Saturate : Overflow::Special),
                           at.dtype);
}

Expr cast(const Expr& x, DataType from, const CastAttrs& at) {
    if (std::optional<double> value = arith::asFloat(x); value && from.isFloat()) {
        if (at.dtype.isFloat())
            return castFloat(*value, at);
        if (at.dtype.isBool())
            return Expr(*value != 0 ? 1 : 0);
        if (at.dtype == types::UInt64)
            return {};
        Expr folded = arith::cast(x, at.dtype);
        std::optional<int64_t> integer = arith::asInt(folded);
        return integer ? Expr(*integer) : Expr();
    }
    if (from.isFloat() && at.dtype.isInt() && at.dtype.bits >= 32 && isWhole(x)) {
        const arith::Interval range = arith::bounds(x->args[0]);
        return range.lower >= -exactBelow(from) && range.upper <= exactBelow(from) ? x->args[0] : Expr();
    }
    if (from.isFloat() || from == types::String)
        return {};
    std::optional<int64_t> value = arith::asInt(x);
    if (!value && (at.dtype == types::Float32 || at.dtype == types::Float64))
        return arith::cast(x, at.dtype);
    if (at.dtype.isFloat())
        return value ? castFloat(asDouble(*value, at.dtype), at) : Expr();
    if (at.dtype.isBool())
        return from.isBool() ? x : flag(arith::ne(x, Expr(0)));
    if (!value)
        return x;
    int64_t wrapped = wrap(*value, at.dtype);
    return at.dtype == types::UInt64 && wrapped < 0 ? Expr() : Expr(wrapped);
}

double floorModulo(double a, double b) {
    double rest = std::fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

Expr binaryFloat(Op op, double a, double b, DataType dtype, const AttrsPtr& attributes) {
    bool nan = std::isnan(a) || std::isnan(b);
    switch (op) {
    case Op::Add:
        return real(a + b, dtype);
    case Op::Subtract:
        return real(a - b, dtype);
    case Op::Multiply:
        return real(a * b, dtype);
    case Op::Divide:
        return real(a / b, dtype);
    case Op::Mod:
        return real(attrs<ModAttrs>(attributes).fmod ? std::fmod(a, b) : floorModulo(a, b), dtype);
    case Op::Power:
        return real(std::pow(a, b), dtype);
    case Op::Maximum:
        return real(nan ? NAN : std::max(a, b), dtype);
    case Op::Minimum:
        return real(nan ? NAN : std::min(a, b), dtype);
    case Op::Equal:
        return Expr(a == b ? 1 : 0);
    case Op::NotEqual:
        return Expr(a != b ? 1 : 0);
    case Op::Less:
        return Expr(a < b ? 1 : 0);
    case Op::LessEqual:
        return Expr(a <= b ? 1 : 0);
    case Op::Greater:
        return Expr(a > b ? 1 : 0);
    case Op::GreaterEqual:
        return Expr(a >= b ? 1 : 0);
    default:
        return {};
    }
}

Expr binaryConstant(Op op, int64_t a, int64_t b, DataType dtype, const AttrsPtr& attributes) {
    auto ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
    uint64_t result = 0;
    switch (op) {
    case Op::Add:
        result = ua + ub;
        break;
    case Op::Subtract:
        result = ua - ub;
        break;
    case Op::Multiply:
        result = ua * ub;
        break;
    case Op::Divide:
        if (b == 0)
            return {};
        result = b == -1 ? uint64_t{0} - ua : static_cast<uint64_t>(a / b);
        break;
    case Op::Mod: {
        if (b == 0)
            return {};
        int64_t rest = b == -1 ? 0 : a % b;
        if (!attrs<ModAttrs>(attributes).fmod && rest != 0 && (rest < 0) != (b < 0))
            rest += b;
        result = static_cast<uint64_t>(rest);
        break;
    }
    case Op::Power:
        result = static_cast<uint64_t>(arith::intPower(a, b));
        break;
    case Op::Maximum:
        result = static_cast<uint64_t>(std::max(a, b));
        break;
    case Op::Minimum:
        result = static_cast<uint64_t>(std::min(a, b));
        break;
    case Op::BitwiseAnd:
        result = ua & ub;
        break;
    case Op::BitwiseOr:
        result = ua | ub;
        break;
    case Op::BitwiseXor:
        result = ua ^ ub;
        break;
    case Op::LeftShift:
        result = ub >= dtype.bits ? 0 : ua << ub;
        break;
    case Op::RightShift:
        result = ub >= dtype.bits ? (a < 0 ? ~uint64_t{0} : 0) : static_cast<uint64_t>(a >> b);
        break;
    default:
        return {};
    }
    int64_t wrapped = wrap(static_cast<int64_t>(result), dtype);
    return dtype == types::UInt64 && wrapped < 0 ? Expr() : Expr(wrapped);
}

Expr truncatingDivide(const Expr& a, const Expr& b) {
    Expr zero(0);
    if (!arith::provablyTrue(arith::gt(b, zero)))
        return {};
    if (arith::provablyTrue(arith::ge(a, zero)))
        return arith::floorDiv(a, b);
    return arith::select(arith::ge(a, zero), arith::floorDiv(a, b), zero - arith::floorDiv(zero - a, b));
}

Expr binarySymbolic(Op op, const Expr& a, const Expr& b, const AttrsPtr& attributes) {
    switch (op) {
    case Op::Add:
        return a + b;
    case Op::Subtract:
        return a - b;
    case Op::Multiply:
        return a * b;
    case Op::Divide:
        return truncatingDivide(a, b);
    case Op::Mod:
        if (!arith::provablyTrue(arith::gt(b, Expr(0))))
            return {};
        if (!attrs<ModAttrs>(attributes).fmod || arith::provablyTrue(arith::ge(a, Expr(0))))
            return arith::floorMod(a, b);
        return a - truncatingDivide(a, b) * b;
    case Op::Power:
        return arith::isConst(b, 0) ? Expr(1) : arith::isConst(b, 1) ? a : arith::isConst(b, 2) ? a * a : Expr();
    case Op::Maximum:
        return arith::max(a, b);
    case Op::Minimum:
        return arith::min(a, b);
    default:
        return {};
    }
}

Expr compareElements(Op op, const Expr& a, const Expr& b) {
    switch (op) {
    case Op::Equal:
        return flag(arith::eq(a, b));
    case Op::NotEqual:
        return flag(arith::ne(a, b));
    case Op::Less:
        return flag(arith::lt(a, b));
    case Op::LessEqual:
        return flag(arith::le(a, b));
    case Op::Greater:
        return flag(arith::gt(a, b));
    case Op::GreaterEqual:
        return flag(arith::ge(a, b));
    case Op::LogicalAnd:
        return flag(arith::logicalAnd(condition(a), condition(b)));
    case Op::LogicalOr:
        return flag(arith::logicalOr(condition(a), condition(b)));
    case Op::LogicalXor:
        return flag(arith::ne(a, b));
    default:
        return {};
    }
}

Expr unaryElement(const ValueCall& call, const Expr& x) {
    DataType from = call.tensor(0).dtype;
    if (call.op == Op::Cast)
        return cast(x, from, attrs<CastAttrs>(call.attrs));
    if (!from.isFloat())
        return unaryInt(call.op, x, from);
    std::optional<double> value = arith::asFloat(x);
    return value ? unaryFloat(call.op, *value, from, call.attrs) : Expr();
}

} // namespace

Expr binaryElement(Op op, const Expr& a, const Expr& b, DataType dtype, const AttrsPtr& attributes) {
    if (dtype.isFloat()) {
        std::optional<double> left = arith::asFloat(a), right = arith::asFloat(b);
        if (!right)
            if (std::optional<int64_t> integer = arith::asInt(b)) // the exponent of a power
                right = asDouble(*integer, dtype);
        return left && right ? binaryFloat(op, *left, *right, dtype, attributes) : wholeExtreme(op, a, b, dtype);
    }
    if ((op >= Op::Equal && op <= Op::GreaterEqual) || (op >= Op::LogicalAnd && op <= Op::LogicalXor))
        return compareElements(op, a, b);
    std::optional<int64_t> left = arith::asInt(a), right = arith::asInt(b);
    if (left && right)
        return binaryConstant(op, *left, *right, dtype, attributes);
    if (op == Op::Power && arith::asFloat(b) && !right)
        return {};
    return binarySymbolic(op, a, b, attributes);
}

std::optional<Elements> elementwise(const ValueCall& call) {
    Elements elements;
    elements.reserve(static_cast<size_t>(call.count));
    std::vector<std::vector<int64_t>> dims;
    for (size_t arg = 0; arg < call.args.size(); ++arg)
        dims.push_back(call.dims(arg));
    for (int64_t i = 0; i < call.count; ++i) {
        std::vector<int64_t> at = coordinates(i, call.shape);
        auto element = [&](size_t arg) {
            return (*call.known[arg])[static_cast<size_t>(broadcastIndex(at, dims[arg]))];
        };
        Expr result;
        if (call.op == Op::Where) {
            Expr chosen = element(0);
            std::optional<int64_t> known = arith::asInt(chosen);
            if (!known && call.result->dtype.isFloat())
                return std::nullopt;
            result = known ? element(*known ? 1 : 2) : arith::select(condition(chosen), element(1), element(2));
        } else {
            result = call.args.size() == 1
                         ? unaryElement(call, element(0))
                         : binaryElement(call.op, element(0), element(1), call.tensor(0).dtype, call.attrs);
        }
        if (!result)
            return std::nullopt;
        elements.push_back(std::move(result));
    }
    return elements;
}

} // namespace lathe::relay::values
