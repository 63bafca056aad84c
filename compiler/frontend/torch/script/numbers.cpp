// SPDX-License-Identifier: Apache-2.0
#include "frontend/torch/script/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

namespace lathe::frontend::torch::script {
namespace {

using Whole = int64_t;

std::optional<double> knownReal(const ScriptValue& value) {
    if (const double* real = value.as<double>())
        return *real;
    const std::optional<Expr> whole = toExpr(value);
    const std::optional<Whole> known = whole ? arith::asInt(*whole) : std::nullopt;
    return known ? std::optional(static_cast<double>(*known)) : std::nullopt;
}

bool isFloat(const ScriptValue& value) {
    const Number* number = value.as<Number>();
    return value.as<double>() || (number && !number->isBool);
}
bool isBool(const ScriptValue& value) {
    const Number* number = value.as<Number>();
    const Expr* expr = value.as<Expr>();
    return value.as<bool>() || (number && number->isBool) || (expr && expr->dtype().isBool());
}

ScriptValue unknownFloat(Var element) {
    return Number{element, false};
}

// ---- functions of two numbers

/// Python's: rounded down, and a rest of the divisor's sign.
Whole floorDivided(Whole a, Whole b) {
    const Whole quotient = a / b;
    return quotient - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
}
Whole floorRest(Whole a, Whole b) {
    const Whole rest = b == -1 ? 0 : a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
double floorRest(double a, double b) {
    const double rest = std::fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

struct Arithmetic {
    std::string_view name;
    /// Null: whole numbers become floats.
    Expr (*whole)(const Expr& a, const Expr& b);
    double (*real)(double a, double b);
    Op op; // of tensors; Copy: there is none
};

/// Null: it would divide by 0, or by what may be 0 or less.
Expr byPositive(const Expr& a, const Expr& b, bool isRest) {
    const std::optional<Whole> x = arith::asInt(a), y = arith::asInt(b);
    if (x && y)
        return *y == 0 || (*y == -1 && !isRest && *x == std::numeric_limits<Whole>::min())
                   ? Expr()
                   : Expr(isRest ? floorRest(*x, *y) : floorDivided(*x, *y));
    if (arith::bounds(b).lower <= 0)
        return {};
    return isRest ? arith::floorMod(a, b) : arith::floorDiv(a, b);
}

constexpr auto arithmetic = std::to_array<Arithmetic>({
    {"aten.add", [](const Expr& a, const Expr& b) { return a + b; }, [](double a, double b) { return a + b; }, Op::Add},
    {"aten.sub", [](const Expr& a, const Expr& b) { return a - b; }, [](double a, double b) { return a - b; },
     Op::Subtract},
    {"aten.mul", [](const Expr& a, const Expr& b) { return a * b; }, [](double a, double b) { return a * b; },
     Op::Multiply},
    {"aten.div", nullptr, [](double a, double b) { return a / b; }, Op::Divide},
    {"aten.floordiv", [](const Expr& a, const Expr& b) { return byPositive(a, b, false); },
     [](double a, double b) { return std::floor(a / b); }, Op::Copy},
    {"aten.floor_divide", [](const Expr& a, const Expr& b) { return byPositive(a, b, false); },
     [](double a, double b) { return std::floor(a / b); }, Op::Copy},
    {"aten.remainder", [](const Expr& a, const Expr& b) { return byPositive(a, b, true); },
     [](double a, double b) { return floorRest(a, b); }, Op::Copy},
    {"aten.fmod", nullptr, [](double a, double b) { return std::fmod(a, b); }, Op::Copy},
    {"aten.pow", nullptr, [](double a, double b) { return std::pow(a, b); }, Op::Power},
    {"aten.atan2", nullptr, [](double a, double b) { return std::atan2(a, b); }, Op::Copy},
    {"aten.copysign", nullptr, [](double a, double b) { return std::copysign(a, b); }, Op::Copy},
    {"prim.max", [](const Expr& a, const Expr& b) { return arith::max(a, b); },
     [](double a, double b) { return b > a ? b : a; }, Op::Maximum},
    {"prim.min", [](const Expr& a, const Expr& b) { return arith::min(a, b); },
     [](double a, double b) { return b < a ? b : a; }, Op::Minimum},
    {"aten.gcd",
     [](const Expr& a, const Expr& b) {
         const std::optional<Whole> x = arith::asInt(a), y = arith::asInt(b);
         return x && y ? Expr(std::gcd(*x, *y)) : Expr();
     },
     nullptr, Op::Copy},
    {"aten.__lshift__",
     [](const Expr& a, const Expr& b) {
         const std::optional<Whole> x = arith::asInt(a), y = arith::asInt(b);
         return x && y && *y >= 0 && *y < 64 ? Expr(static_cast<Whole>(static_cast<uint64_t>(*x) << *y)) : Expr();
     },
     nullptr, Op::Copy},
    {"aten.__rshift__",
     [](const Expr& a, const Expr& b) {
         const std::optional<Whole> x = arith::asInt(a), y = arith::asInt(b);
         return x && y && *y >= 0 && *y < 64 ? Expr(*x >> *y) : Expr();
     },
     nullptr, Op::Copy},
});

struct Comparison {
    std::string_view name;
    Expr (*whole)(Expr a, Expr b);
    bool (*real)(double a, double b);
    Op op;
};
constexpr auto comparisons = std::to_array<Comparison>({
    {"aten.eq", arith::eq, [](double a, double b) { return a == b; }, Op::Equal},
    {"aten.ne", arith::ne, [](double a, double b) { return a != b; }, Op::NotEqual},
    {"aten.lt", arith::lt, [](double a, double b) { return a < b; }, Op::Less},
    {"aten.le", arith::le, [](double a, double b) { return a <= b; }, Op::LessEqual},
    {"aten.gt", arith::gt, [](double a, double b) { return a > b; }, Op::Greater},
    {"aten.ge", arith::ge, [](double a, double b) { return a >= b; }, Op::GreaterEqual},
});

std::optional<ScriptValue> compute(Builder& b, const Arithmetic& by, const ScriptValue& x, const ScriptValue& y) {
    const std::optional<Expr> a = toExpr(x), c = toExpr(y);
    if (a && c && by.whole) {
        const Expr result = by.whole(*a, *c);
        if (!result)
            return std::nullopt;
        return fromExpr(result);
    }
    const std::optional<double> p = knownReal(x), q = knownReal(y);
    if (p && q && by.real) {
        if (*q == 0 && (by.name == "aten.div" || by.name == "aten.floordiv" || by.name == "aten.remainder"))
            return std::nullopt; // Python raises
        return by.real(*p, *q);
    }
    if (by.op == Op::Copy || !by.real)
        return std::nullopt;
    const auto operand = [&](const ScriptValue& value) { return cast(b, toScalarTensor(b, value), types::Float64); };
    return unknownFloat(b.call(by.op, {operand(x), operand(y)}));
}

std::optional<ScriptValue> compare(Builder& b, const Comparison& by, const ScriptValue& x, const ScriptValue& y) {
    const std::optional<Expr> a = toExpr(x), c = toExpr(y);
    if (a && c)
        return fromExpr(by.whole(*a, *c));
    if (const auto p = knownReal(x), q = knownReal(y); p && q)
        return by.real(*p, *q);
    const auto operand = [&](const ScriptValue& value) { return cast(b, toScalarTensor(b, value), types::Float64); };
    return Number{b.call(by.op, {operand(x), operand(y)}), true};
}

// ---- functions of bools

std::optional<ScriptValue> combine(Builder& b, std::string_view name, const ScriptValue& x, const ScriptValue& y) {
    const std::optional<Expr> a = toExpr(x), c = toExpr(y);
    const bool isAnd = name == "aten.__and__", isOr = name == "aten.__or__";
    if (!isBool(x) || !isBool(y)) {
        const auto p = a ? arith::asInt(*a) : std::nullopt, q = c ? arith::asInt(*c) : std::nullopt;
        if (!p || !q)
            return std::nullopt;
        return Expr(isAnd ? *p & *q : isOr ? *p | *q : *p ^ *q);
    }
    for (const auto& [one, other] : {std::pair(&x, &y), std::pair(&y, &x)})
        if (const bool* known = one->as<bool>())
            return isAnd || isOr ? (*known == isOr ? ScriptValue(isOr) : *other)
                   : *known      ? callNumberFunction(b, "aten.__not__", {*other})
                                 : std::optional(*other);
    const Expr *p = x.as<Expr>(), *q = y.as<Expr>();
    if (p && q && (isAnd || isOr))
        return fromExpr(isAnd ? arith::logicalAnd(*p, *q) : arith::logicalOr(*p, *q));
    const Op op = isAnd ? Op::LogicalAnd : isOr ? Op::LogicalOr : Op::LogicalXor;
    return Number{b.call(op, {toScalarTensor(b, x), toScalarTensor(b, y)}), true};
}

// ---- functions of one number

struct RealFunction {
    std::string_view name;
    double (*compute)(double);
};
constexpr auto realFunctions = std::to_array<RealFunction>({
    {"aten.acos", [](double x) { return std::acos(x); }},
    {"aten.acosh", [](double x) { return std::acosh(x); }},
    {"aten.asin", [](double x) { return std::asin(x); }},
    {"aten.asinh", [](double x) { return std::asinh(x); }},
    {"aten.atan", [](double x) { return std::atan(x); }},
    {"aten.atanh", [](double x) { return std::atanh(x); }},
    {"aten.cos", [](double x) { return std::cos(x); }},
    {"aten.cosh", [](double x) { return std::cosh(x); }},
    {"aten.degrees", [](double x) { return x * 180 / std::numbers::pi; }},
    {"aten.erf", [](double x) { return std::erf(x); }},
    {"aten.erfc", [](double x) { return std::erfc(x); }},
    {"aten.exp", [](double x) { return std::exp(x); }},
    {"aten.expm1", [](double x) { return std::expm1(x); }},
    {"aten.fabs", [](double x) { return std::fabs(x); }},
    {"aten.gamma", [](double x) { return std::tgamma(x); }},
    {"aten.lgamma", [](double x) { return std::lgamma(x); }},
    {"aten.log", [](double x) { return std::log(x); }},
    {"aten.log10", [](double x) { return std::log10(x); }},
    {"aten.log1p", [](double x) { return std::log1p(x); }},
    {"aten.log2", [](double x) { return std::log2(x); }},
    {"aten.radians", [](double x) { return x * std::numbers::pi / 180; }},
    {"aten.round", [](double x) { return std::nearbyint(x); }}, // half to even
    {"aten.sin", [](double x) { return std::sin(x); }},
    {"aten.sinh", [](double x) { return std::sinh(x); }},
    {"aten.sqrt", [](double x) { return std::sqrt(x); }},
    {"aten.tan", [](double x) { return std::tan(x); }},
    {"aten.tanh", [](double x) { return std::tanh(x); }},
});

std::optional<ScriptValue> rounded(double value) {
    if (!(std::abs(value) < 9.2e18))
        return std::nullopt;
    return Expr(static_cast<Whole>(value));
}

std::optional<ScriptValue> callUnary(Builder& b, std::string_view name, const ScriptValue& x) {
    const std::optional<Expr> whole = toExpr(x);
    const std::optional<double> real = knownReal(x);
    if (name == "aten.neg")
        return whole       ? std::optional(fromExpr(-*whole))
               : real      ? std::optional(ScriptValue(-*real))
               : isBool(x) ? std::nullopt
                           : std::optional(unknownFloat(b.call(Op::Negative, {toScalarTensor(b, x)})));
    if (name == "aten.__not__" || name == "aten.logical_not") {
        const std::optional<ScriptValue> truth = truthOf(b, x);
        if (!truth)
            return std::nullopt;
        if (const bool* known = truth->as<bool>())
            return !*known;
        if (const Expr* expr = truth->as<Expr>())
            return fromExpr(arith::logicalNot(*expr));
        return Number{b.call(Op::LogicalNot, {truth->as<Number>()->element}), true};
    }
    if (name == "prim.abs" || name == "aten.abs") {
        if (whole)
            return fromExpr(arith::max(*whole, -*whole));
        return real ? std::optional(ScriptValue(std::abs(*real)))
                    : std::optional(unknownFloat(b.call(Op::Abs, {toScalarTensor(b, x)})));
    }
    if (whole && (name == "aten.floor" || name == "aten.ceil" || name == "aten.trunc"))
        return x;
    if (!real)
        return std::nullopt;
    if (name == "aten.floor" || name == "aten.ceil" || name == "aten.trunc")
        return rounded(name == "aten.floor" ? std::floor(*real) : name == "aten.ceil" ? std::ceil(*real) : *real);
    if (name == "aten.isnan" || name == "aten.isinf" || name == "aten.isfinite")
        return name == "aten.isnan"   ? std::isnan(*real)
               : name == "aten.isinf" ? std::isinf(*real)
                                      : std::isfinite(*real);
    if (name == "aten.factorial" && whole && *real >= 0 && *real <= 20) {
        Whole product = 1;
        for (Whole i = 2; i <= static_cast<Whole>(*real); ++i)
            product *= i;
        return Expr(product);
    }
    if (name == "aten.bitwise_not" && whole)
        return fromExpr(-*whole - 1);
    const auto* found = std::ranges::find(realFunctions, name, &RealFunction::name);
    return found == realFunctions.end() ? std::nullopt : std::optional(ScriptValue(found->compute(*real)));
}

} // namespace

ScriptValue fromExpr(const Expr& expr) {
    const Expr simple = arith::simplify(expr);
    if (!simple.dtype().isBool())
        return simple;
    if (arith::provablyTrue(simple))
        return true;
    return arith::provablyFalse(simple) ? ScriptValue(false) : ScriptValue(simple);
}

bool isNumber(const ScriptValue& value) {
    return value.as<bool>() || value.as<Expr>() || value.as<double>() || value.as<Number>();
}

std::optional<Expr> toExpr(const ScriptValue& value) {
    if (const bool* flag = value.as<bool>())
        return Expr(*flag ? 1 : 0);
    const Expr* expr = value.as<Expr>();
    return !expr                    ? std::nullopt
           : expr->dtype().isBool() ? std::optional(arith::select(*expr, 1, 0))
                                    : std::optional(*expr);
}

Var toScalarTensor(Builder& b, const ScriptValue& value) {
    if (const Number* number = value.as<Number>())
        return number->element;
    if (const double* real = value.as<double>())
        return b.scalar(*real, types::Float64);
    if (const bool* flag = value.as<bool>())
        return b.scalarInt(*flag ? 1 : 0, types::Bool);
    const Expr* expr = value.as<Expr>();
    if (!expr)
        return {};
    return expr->dtype().isBool() ? cast(b, b.scalarOf(arith::select(*expr, 1, 0)), types::Bool) : b.scalarOf(*expr);
}

ScriptValue fromTensor(Builder& b, Var tensor, const std::string& name) {
    const Var element = asScalar(b, tensor);
    if (b.failed())
        return {};
    const DataType dtype = b.dtype(element);
    if (dtype.isFloat()) {
        const auto known = b.knownFloats(element);
        return known && known->size() == 1 ? ScriptValue(known->front()) : ScriptValue(Number{element, false});
    }
    if (dtype.isBool()) {
        const auto known = b.knownInts(element);
        return known && known->size() == 1 ? ScriptValue(known->front() != 0) : ScriptValue(Number{element, true});
    }
    const std::vector<Expr> elements = b.symbolic(element, name);
    return elements.size() == 1 ? fromExpr(elements[0]) : ScriptValue(Expr(0));
}

std::optional<ScriptValue> truthOf(Builder& b, const ScriptValue& value) {
    if (isBool(value))
        return value;
    if (const Expr* whole = value.as<Expr>())
        return fromExpr(arith::ne(*whole, 0));
    if (const double* real = value.as<double>())
        return *real != 0;
    if (const Number* number = value.as<Number>())
        return Number{cast(b, number->element, types::Bool), true};
    return std::nullopt;
}

bool isNumberFunction(std::string_view name) {
    constexpr auto others = std::to_array<std::string_view>(
        {"aten.__and__", "aten.__not__", "aten.__or__", "aten.__xor__", "aten.abs", "aten.bitwise_not", "aten.ceil",
         "aten.factorial", "aten.floor", "aten.isfinite", "aten.isinf", "aten.isnan", "aten.logical_not", "aten.neg",
         "aten.trunc", "prim.abs"});
    return std::ranges::find(others, name) != others.end() ||
           std::ranges::find(comparisons, name, &Comparison::name) != comparisons.end() ||
           std::ranges::find(arithmetic, name, &Arithmetic::name) != arithmetic.end() ||
           std::ranges::find(realFunctions, name, &RealFunction::name) != realFunctions.end();
}

std::optional<ScriptValue> callNumberFunction(Builder& b, std::string_view name, const ScriptValues& arguments) {
    if (arguments.empty() || arguments.size() > 2 || !std::ranges::all_of(arguments, isNumber))
        return std::nullopt;
    if (arguments.size() == 1)
        return callUnary(b, name, arguments[0]);
    if (name == "aten.__and__" || name == "aten.__or__" || name == "aten.__xor__")
        return combine(b, name, arguments[0], arguments[1]);
    if (const auto* by = std::ranges::find(comparisons, name, &Comparison::name); by != comparisons.end())
        return compare(b, *by, arguments[0], arguments[1]);
    const auto* by = std::ranges::find(arithmetic, name, &Arithmetic::name);
    return by == arithmetic.end() ? std::nullopt : compute(b, *by, arguments[0], arguments[1]);
}

std::optional<ScriptValue> toInt(Builder& b, const ScriptValue& value) {
    if (const double* real = value.as<double>())
        return rounded(std::trunc(*real));
    if (const Expr* expr = value.as<Expr>())
        return expr->dtype().isBool() ? fromExpr(arith::select(*expr, 1, 0)) : value;
    if (const bool* flag = value.as<bool>())
        return Expr(*flag ? 1 : 0);
    if (const Number* number = value.as<Number>())
        return fromTensor(b, cast(b, number->element, types::Int64), "number");
    return std::nullopt;
}

std::optional<ScriptValue> toFloat(Builder& b, const ScriptValue& value) {
    if (isFloat(value))
        return value;
    if (const std::optional<double> known = knownReal(value))
        return *known;
    if (!isNumber(value))
        return std::nullopt;
    return unknownFloat(cast(b, toScalarTensor(b, value), types::Float64));
}

std::optional<std::string> printedNumber(const ScriptValue& value) {
    if (const bool* flag = value.as<bool>())
        return *flag ? "True" : "False";
    if (const std::optional<Whole> whole = asInt(value))
        return fmt::format("{}", *whole);
    const double* real = value.as<double>();
    if (!real)
        return std::nullopt;
    std::string text = fmt::format("{}", *real);
    if (std::isfinite(*real) && text.find_first_of(".e") == std::string::npos)
        text += ".0";
    return text;
}

} // namespace lathe::frontend::torch::script
