// SPDX-License-Identifier: Apache-2.0
//
// Casts, intrinsics, and the functions of the runtime's table, of which there is no runtime here: what the entry asks it
// for is in the run's own record (`x`), or is a helper.
#include "abi/abi.h"
#include "codegen/c/function.h"
#include "codegen/c/types.h"
#include "tir/transform/flatten_buffers.h"

#include <fmt/format.h>

namespace lathe::codegen {

using arith::ExprKind;
using arith::Intrinsic;

CFunction::Value CFunction::cast(const Expr& expr) {
    const DataType from = expr->args[0].dtype(), to = expr.dtype();
    const Value a = value(expr->args[0]);
    if (from == to)
        return a;
    const auto computes = [](DataType t) {
        return t.isInt() || t.isBool() || (t.code == TypeCode::Float && t.bits >= 32);
    };
    LATHE_ASSERT(computes(from) && computes(to),
                 "a cast from " + toString(from) + " to " + toString(to) + " was not legalized");
    if (to.isBool())
        return binary("!=", a, {from.isFloat() ? cFloat(0, from) : cInteger(0, from), primary, 1}, loose);
    if (from.isFloat() && to.isInt()) {
        const std::string suffix = fmt::format("f{}_", from.bits);
        if (to.bits < 8)
            return wrapped(helper(suffix + "i32", {a}), to);
        return helper(fmt::format("{}{}{}", suffix, to.isSigned() ? "i" : "u", to.bits), {a});
    }
    return to.isInt() && to.bits < 8 ? wrapped(a, to) : castTo(cType(to), a);
}

/// The same bits. Of what lies in one C type for both there is nothing to do.
CFunction::Value CFunction::reinterpret(const Expr& expr) {
    const DataType from = expr->args[0].dtype(), to = expr.dtype();
    Value a = value(expr->args[0]);
    if (from.code == TypeCode::Handle)
        return castTo(cType(to), castTo("intptr_t", a));
    LATHE_ASSERT(from.bytes() == to.bytes(), "reinterpret between sizes: " + toString(from) + " as " + toString(to));
    const auto isC = [](DataType t) { return t.code == TypeCode::Float && t.bits >= 32; };
    if (isC(from)) {
        if (isC(to))
            return a;
        a = helper(fmt::format("bits_f{}", from.bits), {a});
        return to.code == TypeCode::UInt ? a : castTo(cType(to), a);
    }
    if (isC(to))
        return helper(fmt::format("f{}_of", to.bits),
                      {from.code == TypeCode::UInt ? a : castTo(cWideType(to, true), a)});
    if (to.isBool())
        return binary("!=", a, {"0", primary, 1}, loose);
    if (to.isInt() && to.bits < 8)
        return wrapped(a, to);
    return cType(from) == cType(to) ? a : castTo(cType(to), a);
}

CFunction::Value CFunction::addressOf(const Expr& load) {
    const tir::Buffer& buffer = tir::bufferOf(load);
    const std::span<const Expr> indices(load->args.data(), load->args.size() - (load->masked ? 1 : 0));
    const std::string* name = names_.find(&buffer);
    LATHE_ASSERT(name, "buffer " + buffer.name + " has no address in " + f_.name);
    const bool plain = indices.size() == 1 && buffer.strides.empty() && !buffer.offset;
    if (!plain)
        made_.push_back(tir::flatIndex(buffer, indices));
    const Expr index = plain ? indices[0] : made_.back();
    if (arith::isConst(index, 0))
        return {*name, primary, 1};
    return binary("+", {*name, primary, 1}, value(index), sum);
}

CFunction::Value CFunction::intPow(const Expr& expr) {
    const DataType type = expr.dtype(), exponentType = expr->args[1].dtype();
    const Value base = value(expr->args[0]);
    // The exponent is taken by as many bits as the result has.
    const DataType asSigned{TypeCode::Int, type.bits}, asUnsigned{TypeCode::UInt, type.bits};
    const Value exponent = value(expr->args[1]);
    if (exponentType.isSigned())
        return wrapped(helper("pow", {wrapped(base, asSigned), wrapped(exponent, asSigned)}), type);
    return wrapped(helper("upow", {castTo("uint64_t", base), wrapped(exponent, asUnsigned)}), type);
}

CFunction::Value CFunction::floatFunction(const Expr& expr) {
    const DataType type = expr->args[0].dtype();
    LATHE_ASSERT(type.code == TypeCode::Float && type.bits >= 32, "math of " + toString(type) + " was not legalized");
    std::vector<Value> args;
    for (const Expr& arg : expr->args)
        args.push_back(value(arg));
    const std::string f = type.bits == 32 ? "f" : "", bits = fmt::format("_f{}", type.bits);
    const auto math = [&](const char* name) { return called(name + f, args); };
    const auto number = [&](double v) { return Value{cFloat(v, type), primary, 1}; };
    switch (expr->intrinsic) {
    case Intrinsic::Exp:
        return math("exp");
    case Intrinsic::Log:
        return math("log");
    case Intrinsic::Sqrt:
        return math("sqrt");
    case Intrinsic::Rsqrt:
        return binary("/", number(1), math("sqrt"), product);
    case Intrinsic::Sin:
        return math("sin");
    case Intrinsic::Cos:
        return math("cos");
    case Intrinsic::Tan:
        return math("tan");
    case Intrinsic::Asin:
        return math("asin");
    case Intrinsic::Acos:
        return math("acos");
    case Intrinsic::Atan:
        return math("atan");
    case Intrinsic::Sinh:
        return math("sinh");
    case Intrinsic::Cosh:
        return math("cosh");
    case Intrinsic::Tanh:
        return math("tanh");
    case Intrinsic::Asinh:
        return math("asinh");
    case Intrinsic::Acosh:
        return math("acosh");
    case Intrinsic::Atanh:
        return math("atanh");
    case Intrinsic::Erf:
        return math("erf");
    case Intrinsic::Log1p:
        return math("log1p");
    case Intrinsic::Expm1:
        return math("expm1");
    case Intrinsic::Floor:
        return math("floor");
    case Intrinsic::Ceil:
        return math("ceil");
    case Intrinsic::Trunc:
        return math("trunc");
    case Intrinsic::RoundEven:
        return math("nearbyint");
    case Intrinsic::Abs:
        return math("fabs");
    case Intrinsic::CopySign:
        return math("copysign");
    case Intrinsic::Fma:
        return math("fma");
    case Intrinsic::IsNan:
        return helper("isnan" + bits, args);
    case Intrinsic::IsInf:
        return helper("isinf" + bits, args);
    case Intrinsic::Sigmoid:
        return helper("sigmoid" + bits, args);
    case Intrinsic::Pow: {
        const std::optional<double> exponent = arith::asFloat(expr->args[1]);
        if (exponent == 1)
            return args[0];
        if (exponent == -1)
            return binary("/", number(1), args[0], product);
        if (exponent == 0.5)
            return helper("root" + bits, {args[0]});
        return math("pow");
    }
    default:
        internalError(__FILE__, __LINE__, "floats",
                      "an intrinsic of floats that C source does not have, in " + f_.name);
    }
}

CFunction::Value CFunction::intrinsic(const Expr& expr) {
    const DataType type = expr.dtype();
    switch (expr->intrinsic) {
    case Intrinsic::AddressOf:
        return castTo("void *", addressOf(expr->args[0]));
    case Intrinsic::Prefetch:
        return {"0", primary, 1};
    case Intrinsic::PtrOffset: {
        const Value base = castTo("char *", value(expr->args[0]));
        if (arith::isConst(expr->args[1], 0))
            return value(expr->args[0]);
        const Value at = binary("+", base, value(expr->args[1]), sum);
        return castTo("void *", at);
    }
    case Intrinsic::RtCall:
        return runtimeCall(expr);
    case Intrinsic::Reinterpret:
        return reinterpret(expr);
    case Intrinsic::PopCount: {
        const DataType from = expr->args[0].dtype();
        const DataType bits{TypeCode::UInt, from.bits};
        const Value a = from.bits < 32 ? wrapped(value(expr->args[0]), bits) : widened(value(expr->args[0]), from);
        return castTo(cType(type), helper("popcount_" + cWide(bits), {a}));
    }
    case Intrinsic::IntPow:
        return intPow(expr);
    case Intrinsic::RandomBits:
        return helper("random", {value(expr->args[0]), value(expr->args[1])});
    case Intrinsic::Abs:
        if (!type.isFloat()) {
            if (!type.isSigned())
                return value(expr->args[0]);
            const Value a = helper("abs_" + cWide(type), {value(expr->args[0])});
            return type.bits < 32 ? wrapped(a, type) : a;
        }
        break;
    default:
        break;
    }
    return floatFunction(expr);
}

CFunction::Value CFunction::runtimeCall(const Expr& expr) {
    const auto number = [&](size_t arg) {
        const std::optional<int64_t> known = arith::asInt(expr->args[arg]);
        LATHE_ASSERT(known, "a call of the runtime names by a constant what it is about");
        return static_cast<size_t>(*known);
    };
    const Value run{"x", primary, 1};
    switch (number(0)) {
    case LATHE_FN_INPUT_DATA:
        return castTo("void *", {fmt::format("x->inputs[{}]", number(1)), primary, 1});
    case LATHE_FN_INPUT_DIM: {
        const Expr& dim = m_.model.inputDims.at(number(1)).at(number(2));
        for (size_t i = 0; i < m_.model.symbols.size(); ++i)
            if (dim.same(m_.model.symbols[i]))
                return {fmt::format("x->args->symbols[{}]", i), primary, 1};
        return value(dim);
    }
    case LATHE_FN_CONSTANT:
        if (m_.model.weights == CWeights::Arrays)
            return castTo("void *", {fmt::format("lathe_{}_weights_{}", m_.model.name, number(1)), primary, 1});
        return castTo("void *",
                      {fmt::format("(x->weights + {})", m_.model.tables.constants.at(number(1)).offset), primary, 1});
    case LATHE_FN_OUTPUT_DIM:
        if (!m_.dynamicOutput.at(number(1)))
            return {"", primary, 1};
        return {fmt::format("x->args->output_dims[{}][{}] = {}", number(1), number(2), value(expr->args[3]).text),
                loose, 2};
    case LATHE_FN_OUTPUT_DATA:
        if (!m_.dynamicOutput.at(number(1)))
            return {fmt::format("x->outputs[{}]", number(1)), primary, 1};
        return helper("output", {run, value(expr->args[1]), value(expr->args[2])});
    case LATHE_FN_ARENA_PUSH:
        return helper("push", {run, value(expr->args[1])});
    case LATHE_FN_ARENA_MARK:
        return castTo("int64_t", {"x->top", primary, 1});
    case LATHE_FN_ARENA_RELEASE: {
        const Value mark = castTo("size_t", value(expr->args[1]));
        return {"x->top = " + mark.text, loose, mark.depth};
    }
    case LATHE_FN_COPY:
        return helper("copy", {value(expr->args[1]), value(expr->args[2]), value(expr->args[3])});
    case LATHE_FN_FILL:
        return helper("fill", {value(expr->args[1]), value(expr->args[2]), value(expr->args[3])});
    case LATHE_FN_SEED:
        return {"x->seed", primary, 1};
    case LATHE_FN_KEEP:
        return helper("keep", {run, value(expr->args[1]), value(expr->args[2])});
    default:
        internalError(__FILE__, __LINE__, "runtime",
                      "a function of the runtime that C source does not have, in " + f_.name);
    }
}

} // namespace lathe::codegen
