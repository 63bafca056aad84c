// SPDX-License-Identifier: Apache-2.0
//
// Operators that compute one element from one element of each operand, with NumPy broadcasting. Narrow floats compute
// in float32 and round at the end; integers compute in their own type and wrap.
#include "topi/expressions.h"
#include "topi/families.h"

namespace lathe::topi {

using arith::ExprKind;
using relay::Op;

namespace {

Expr intrinsic(Intrinsic which, const Expr& x) {
    return arith::call(which, {x}, x.dtype());
}

Expr isNan(const Expr& x) {
    return arith::call(Intrinsic::IsNan, {x}, types::Bool);
}

Expr isInf(const Expr& x, const relay::IsInfAttrs& attrs) {
    const Expr zero = arith::zero(x.dtype());
    Expr result = arith::call(Intrinsic::IsInf, {x}, types::Bool);
    if (!attrs.positive)
        result = arith::logicalAnd(result, arith::lt(x, zero));
    if (!attrs.negative)
        result = arith::logicalAnd(result, arith::gt(x, zero));
    return result;
}

Expr negated(const Expr& x) {
    // -0.0 - x flips the sign of zeros too.
    return x.dtype().isFloat() ? arith::floatImm(-0.0, x.dtype()) - x : arith::zero(x.dtype()) - x;
}

Expr absolute(const Expr& x) {
    if (x.dtype().isFloat())
        return intrinsic(Intrinsic::Abs, x);
    return x.dtype().isSigned() ? arith::select(arith::lt(x, arith::zero(x.dtype())), negated(x), x) : x;
}

Expr sign(const Expr& x) {
    const Expr zero = arith::zero(x.dtype());
    const Expr one = arith::one(x.dtype());
    Expr below =
        x.dtype().isSigned() || x.dtype().isFloat() ? arith::select(arith::lt(x, zero), negated(one), zero) : zero;
    Expr result = arith::select(arith::gt(x, zero), one, below);
    return x.dtype().isFloat() ? arith::select(isNan(x), x, result) : result;
}

/// Rounding of an integer is the integer itself.
Expr rounded(Intrinsic which, const Expr& x) {
    return x.dtype().isFloat() ? intrinsic(which, x) : x;
}

Intrinsic intrinsicOf(Op op) {
    switch (op) {
    case Op::Sqrt:
        return Intrinsic::Sqrt;
    case Op::Exp:
        return Intrinsic::Exp;
    case Op::Log:
        return Intrinsic::Log;
    case Op::Sin:
        return Intrinsic::Sin;
    case Op::Cos:
        return Intrinsic::Cos;
    case Op::Tan:
        return Intrinsic::Tan;
    case Op::Asin:
        return Intrinsic::Asin;
    case Op::Acos:
        return Intrinsic::Acos;
    case Op::Atan:
        return Intrinsic::Atan;
    case Op::Sinh:
        return Intrinsic::Sinh;
    case Op::Cosh:
        return Intrinsic::Cosh;
    case Op::Tanh:
        return Intrinsic::Tanh;
    case Op::Asinh:
        return Intrinsic::Asinh;
    case Op::Acosh:
        return Intrinsic::Acosh;
    case Op::Atanh:
        return Intrinsic::Atanh;
    case Op::Erf:
        return Intrinsic::Erf;
    case Op::Sigmoid:
        return Intrinsic::Sigmoid;
    default:
        LATHE_ASSERT(false, "not a unary function");
        return Intrinsic::None;
    }
}

/// x is in its compute type.
Expr unary(Op op, const Expr& x, const relay::AttrsPtr& attrs) {
    switch (op) {
    case Op::Negative:
        return negated(x);
    case Op::Abs:
        return absolute(x);
    case Op::Sign:
        return sign(x);
    case Op::Floor:
        return rounded(Intrinsic::Floor, x);
    case Op::Ceil:
        return rounded(Intrinsic::Ceil, x);
    case Op::Round:
        return rounded(Intrinsic::RoundEven, x);
    case Op::Reciprocal:
        return arith::div(arith::one(x.dtype()), x);
    case Op::Relu:
        return arith::max(x, arith::zero(x.dtype()));
    case Op::LogicalNot:
        return arith::logicalNot(x);
    case Op::BitwiseNot:
        return arith::make(ExprKind::BitNot, {x}, x.dtype());
    case Op::IsNan:
        return x.dtype().isFloat() ? isNan(x) : arith::boolImm(false);
    case Op::IsInf:
        return x.dtype().isFloat() ? isInf(x, relay::attrs<relay::IsInfAttrs>(attrs)) : arith::boolImm(false);
    default:
        return intrinsic(intrinsicOf(op), x);
    }
}

/// Sign of the divisor (Python's %).
Expr floorModulo(const Expr& a, const Expr& b) {
    if (!a.dtype().isFloat())
        return arith::floorMod(a, b);
    const Expr zero = arith::zero(a.dtype());
    const Expr rest = arith::mod(a, b);
    const Expr otherSide = arith::ne(arith::lt(rest, zero), arith::lt(b, zero));
    return arith::select(arith::logicalAnd(arith::ne(rest, zero), otherSide), rest + b, rest);
}

Expr power(const Expr& base, const Expr& exponent) {
    if (base.dtype().isFloat())
        return arith::call(Intrinsic::Pow, {base, convert(exponent, base.dtype())}, base.dtype());
    if (exponent.dtype().isFloat()) {
        const Expr value = arith::call(
            Intrinsic::Pow, {convert(base, types::Float64), convert(exponent, types::Float64)}, types::Float64);
        return convert(value, base.dtype());
    }
    // Powers modulo 2^64, cut to the type, are powers modulo 2^bits.
    const Expr value =
        arith::call(Intrinsic::IntPow, {convert(base, types::Int64), convert(exponent, types::Int64)}, types::Int64);
    return convert(value, base.dtype());
}

Expr binary(Op op, const Expr& a, const Expr& b, const relay::AttrsPtr& attrs) {
    const DataType dtype = a.dtype();
    switch (op) {
    case Op::Add:
        return a + b;
    case Op::Subtract:
        return a - b;
    case Op::Multiply:
        return a * b;
    case Op::Divide:
        return arith::div(a, b);
    case Op::Mod:
        return relay::attrs<relay::ModAttrs>(attrs).fmod ? arith::mod(a, b) : floorModulo(a, b);
    case Op::Power:
        return power(a, b);
    case Op::Maximum:
        return dtype.isBool() ? arith::logicalOr(a, b) : arith::max(a, b);
    case Op::Minimum:
        return dtype.isBool() ? arith::logicalAnd(a, b) : arith::min(a, b);
    case Op::Equal:
        return arith::eq(a, b);
    case Op::NotEqual:
        return arith::ne(a, b);
    case Op::Less:
        return arith::lt(a, b);
    case Op::LessEqual:
        return arith::le(a, b);
    case Op::Greater:
        return arith::gt(a, b);
    case Op::GreaterEqual:
        return arith::ge(a, b);
    case Op::LogicalAnd:
        return arith::logicalAnd(a, b);
    case Op::LogicalOr:
        return arith::logicalOr(a, b);
    case Op::LogicalXor:
        return arith::ne(a, b);
    case Op::BitwiseAnd:
        return arith::make(ExprKind::BitAnd, {a, b}, dtype);
    case Op::BitwiseOr:
        return arith::make(ExprKind::BitOr, {a, b}, dtype);
    case Op::BitwiseXor:
        return arith::make(ExprKind::BitXor, {a, b}, dtype);
    case Op::LeftShift:
        return arith::make(ExprKind::Shl, {a, b}, dtype);
    case Op::RightShift:
        return arith::make(ExprKind::Shr, {a, b}, dtype);
    default:
        LATHE_ASSERT(false, "not a binary operator");
        return a;
    }
}

std::string nameOf(Op op) {
    return std::string(relay::info(op).name);
}

} // namespace

Tensors computeUnary(const CallContext& call) {
    const TensorPtr& x = call.args[0];
    const DataType dtype = resultTensor(call).dtype;
    return {te::compute(
        nameOf(call.op), x->shape,
        [&](const std::vector<Var>& i) {
            return convert(unary(call.op, widen((*x)(asIndices(i))), call.attrs), dtype);
        },
        call.origin)};
}

Tensors computeBinary(const CallContext& call) {
    const TensorPtr& a = call.args[0];
    TensorPtr b = call.args[1];
    const relay::TensorType& result = resultTensor(call);
    if ((call.op == Op::Divide || call.op == Op::Mod) && b->dtype.isInt())
        b = te::checked(
            nameOf(call.op) + "_divisor", b, tir::CheckKind::DivisionByZero, "integer division by zero",
            [](const std::vector<Var>&, Expr value) { return arith::ne(value, arith::zero(value.dtype())); },
            call.origin);
    return {te::compute(
        nameOf(call.op), result.shape,
        [&](const std::vector<Var>& i) {
            const Expr left = widen((*a)(broadcastIndices(a->shape, result.shape, i)));
            const Expr right = widen((*b)(broadcastIndices(b->shape, result.shape, i)));
            return convert(binary(call.op, left, right, call.attrs), result.dtype);
        },
        call.origin)};
}

Tensors computeWhere(const CallContext& call) {
    const relay::TensorType& result = resultTensor(call);
    return {te::compute(
        "where", result.shape,
        [&](const std::vector<Var>& i) {
            const auto at = [&](size_t arg) {
                return (*call.args[arg])(broadcastIndices(call.args[arg]->shape, result.shape, i));
            };
            return arith::select(at(0), at(1), at(2));
        },
        call.origin)};
}

} // namespace lathe::topi
