// SPDX-License-Identifier: Apache-2.0
//
// Float functions. For float32 the common ones are vector code of our own, with the error stated at each (worst over
// samples of all floats, measured by tests/codegen/test_intrinsics); the others and float64 are computed lane by lane by
// the runtime's table. Nothing here may become a call of a math library.
#include "codegen/llvm/emitter.h"
#include "runtime/abi.h"

#include <llvm/IR/Intrinsics.h>

namespace lathe::codegen {

Value* FunctionEmitter::number(Value* like, double value) {
    return llvm::ConstantFP::get(like->getType(), value);
}

Value* FunctionEmitter::integer(Value* like, int64_t value) {
    llvm::Type* element = llvm::Type::getInt32Ty(m_.context);
    llvm::Type* type = element;
    if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(like->getType()))
        type = llvm::FixedVectorType::get(element, vector->getNumElements());
    return llvm::ConstantInt::getSigned(type, value);
}

Value* FunctionEmitter::fma(Value* a, Value* b, Value* c) {
    if (m_.target.hasFma)
        return b_.CreateIntrinsic(llvm::Intrinsic::fma, {a->getType()}, {a, b, c});
    return b_.CreateFAdd(b_.CreateFMul(a, b), c);
}

Value* FunctionEmitter::polynomial(Value* x, std::initializer_list<double> highestFirst) {
    Value* sum = nullptr;
    for (double coefficient : highestFirst)
        sum = sum ? fma(sum, x, number(x, coefficient)) : number(x, coefficient);
    return sum;
}

/// 0.9 ulp, subnormal results included. 2^n * p(r) with x = n ln 2 + r, |r| <= ln 2 / 2; n comes from adding 1.5 * 2^23,
/// and 2^n is applied in two halves so that neither overflows.
Value* FunctionEmitter::exp32(Value* x) {
    Value* high = number(x, 89.0);
    Value* low = number(x, -104.5);
    Value* clamped = b_.CreateSelect(b_.CreateFCmpOGT(x, high), high, x);
    clamped = b_.CreateSelect(b_.CreateFCmpOLT(clamped, low), low, clamped);
    Value* magic = number(x, 12582912.0);
    Value* shifted = fma(clamped, number(x, 1.44269504088896341), magic);
    Value* n = b_.CreateFSub(shifted, magic);
    Value* r = fma(n, number(x, -0.693145751953125), clamped);
    r = fma(n, number(x, -1.42860682e-6), r);
    Value* p = polynomial(r, {0.00138139576, 0.00836906335, 0.0416684207, 0.166665178, 0.499999933});
    p = fma(b_.CreateFMul(r, r), p, r);
    p = b_.CreateFAdd(p, number(x, 1.0));
    Value* bits = b_.CreateSub(b_.CreateBitCast(shifted, integer(x, 0)->getType()), integer(x, 0x4b400000));
    Value* half = b_.CreateAShr(bits, integer(x, 1));
    auto power = [&](Value* exponent) {
        return b_.CreateBitCast(b_.CreateShl(b_.CreateAdd(exponent, integer(x, 127)), integer(x, 23)), x->getType());
    };
    return b_.CreateFMul(b_.CreateFMul(p, power(half)), power(b_.CreateSub(bits, half)));
}

/// 1 ulp. x = 2^e m with m in [sqrt(1/2), sqrt(2)); polynomial in m - 1 after Cephes' logf.
Value* FunctionEmitter::log32(Value* x) {
    Value* tiny = b_.CreateFCmpOLT(x, number(x, 1.17549435e-38));
    Value* scaled = b_.CreateSelect(tiny, b_.CreateFMul(x, number(x, 8388608.0)), x);
    Value* bits = b_.CreateBitCast(scaled, integer(x, 0)->getType());
    Value* exponent = b_.CreateAShr(b_.CreateSub(bits, integer(x, 0x3f3504f3)), integer(x, 23));
    Value* mantissa = b_.CreateBitCast(b_.CreateSub(bits, b_.CreateShl(exponent, integer(x, 23))), x->getType());
    exponent = b_.CreateSub(exponent, b_.CreateSelect(tiny, integer(x, 23), integer(x, 0)));
    Value* e = b_.CreateSIToFP(exponent, x->getType());
    Value* f = b_.CreateFSub(mantissa, number(x, 1.0));
    Value* z = b_.CreateFMul(f, f);
    Value* p = polynomial(f, {7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
                              -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1});
    p = b_.CreateFMul(b_.CreateFMul(p, f), z);
    p = fma(e, number(x, -2.12194440e-4), p);
    p = fma(z, number(x, -0.5), p);
    Value* result = fma(e, number(x, 0.693359375), b_.CreateFAdd(f, p));
    Value* infinity = number(x, std::numeric_limits<double>::infinity());
    result = b_.CreateSelect(b_.CreateFCmpOEQ(x, infinity), infinity, result);
    result = b_.CreateSelect(b_.CreateFCmpOEQ(x, number(x, 0)), b_.CreateFNeg(infinity), result);
    return b_.CreateSelect(b_.CreateFCmpULT(x, number(x, 0)), number(x, std::numeric_limits<double>::quiet_NaN()),
                           result);
}

/// 2 ulp. log(u) + (x - (u - 1)) / u with u = 1 + x rounded.
Value* FunctionEmitter::log1p32(Value* x) {
    Value* u = b_.CreateFAdd(x, number(x, 1.0));
    Value* correction = b_.CreateFDiv(b_.CreateFSub(x, b_.CreateFSub(u, number(x, 1.0))), u);
    Value* finite = b_.CreateFCmpONE(b_.CreateFSub(correction, correction), number(x, 1.0));
    correction = b_.CreateSelect(finite, correction, number(x, 0));
    Value* result = b_.CreateFAdd(log32(u), correction);
    return b_.CreateSelect(b_.CreateFCmpOEQ(x, number(x, 0)), x, result);
}

/// 1.5 ulp. Below 0.625 a polynomial (Cephes' tanhf), else 1 - 2 / (exp(2|x|) + 1).
Value* FunctionEmitter::tanh32(Value* x) {
    Value* t = b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
    Value* s = b_.CreateFMul(x, x);
    Value* p =
        polynomial(s, {-5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2, 1.33314422036e-1, -3.33332819422e-1});
    Value* near = fma(b_.CreateFMul(p, s), x, x);
    Value* e = exp32(b_.CreateFAdd(t, t));
    Value* far = b_.CreateFSub(number(x, 1.0), b_.CreateFDiv(number(x, 2.0), b_.CreateFAdd(e, number(x, 1.0))));
    Value* result = b_.CreateSelect(b_.CreateFCmpOLT(t, number(x, 0.625)), near, far);
    return b_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, result, x);
}

/// 1.2 ulp of the result everywhere. After N. Juffa's erff: x + x p(x^2) near 0, 1 - exp(q(|x|)) else.
Value* FunctionEmitter::erf32(Value* x) {
    Value* t = b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
    Value* bounded = b_.CreateSelect(b_.CreateFCmpOGT(t, number(x, 4.0)), number(x, 4.0), t);
    Value* s = b_.CreateFMul(bounded, bounded);
    Value* r = fma(number(x, -1.72853470e-5), bounded, number(x, 3.83197126e-4));
    Value* u = fma(number(x, -3.88396438e-3), bounded, number(x, 2.42546219e-2));
    r = fma(r, s, u);
    for (double coefficient : {-1.06777877e-1, -6.34846687e-1, -1.28717512e-1})
        r = fma(r, bounded, number(x, coefficient));
    r = fma(r, bounded, b_.CreateFNeg(bounded));
    Value* far = b_.CreateFSub(number(x, 1.0), exp32(r));
    far = b_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, far, x);
    Value* near =
        polynomial(s, {-5.96761703e-4, 4.99119423e-3, -2.67681349e-2, 1.12819925e-1, -3.76125336e-1, 1.28379166e-1});
    near = fma(near, x, x);
    return b_.CreateSelect(b_.CreateFCmpOGT(t, number(x, 0.927734375)), far, near);
}

/// 2 ulp, subnormal results included: 1 / (1 + exp(-|x|)), times exp(-|x|) for negative x.
Value* FunctionEmitter::sigmoid32(Value* x) {
    Value* t = b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
    Value* e = exp32(b_.CreateFNeg(t));
    Value* numerator = b_.CreateSelect(b_.CreateFCmpOLT(x, number(x, 0)), e, number(x, 1.0));
    return b_.CreateFDiv(numerator, b_.CreateFAdd(e, number(x, 1.0)));
}

/// Sin, Cos and Tan: 0.6 ulp. In float64 a quarter turn has 25 bits, which any n of up to 28 bits multiplies exactly, and
/// the rest; so x = n pi/2 + r, |r| <= pi/4, is right without a fused multiply-add. n comes from adding 1.5 * 2^52. Lanes
/// that are larger ask the runtime, infinities are NaN by themselves.
Value* FunctionEmitter::trigonometric32(Intrinsic which, Value* x, DataType type) {
    const auto withElement = [&](llvm::Type* element) -> llvm::Type* {
        return type.lanes > 1 ? llvm::FixedVectorType::get(element, static_cast<unsigned>(type.lanes)) : element;
    };
    Value* wide = b_.CreateFPExt(x, withElement(b_.getDoubleTy()));
    Value* magic = number(wide, 6755399441055744.0);
    Value* shifted = b_.CreateFAdd(b_.CreateFMul(wide, number(wide, 0.63661977236758134)), magic);
    Value* n = b_.CreateFSub(shifted, magic);
    Value* r = fma(n, number(wide, -0x1.921fb5p+0), wide);
    r = fma(n, number(wide, -1.5893254773528196e-8), r);
    Value* z = b_.CreateFMul(r, r);
    Value* sine = b_.CreateFMul(polynomial(z, {2.7183042435520073e-6, -1.9839334084620407e-4, 8.3333293835872492e-3,
                                               -1.6666666641607042e-1, 1.0}),
                                r);
    Value* cosine = polynomial(
        z, {2.4390369054481011e-5, -1.3886762947959699e-3, 4.1666623298408478e-2, -4.9999999724888605e-1, 1.0});
    llvm::Type* words = withElement(b_.getInt64Ty());
    const auto word = [&](uint64_t value) { return llvm::ConstantInt::get(words, value); };
    Value* quarter = b_.CreateBitCast(shifted, words);
    if (which == Intrinsic::Cos)
        quarter = b_.CreateAdd(quarter, word(1));
    Value* odd = b_.CreateICmpNE(b_.CreateAnd(quarter, word(1)), word(0));
    Value* result = b_.CreateSelect(odd, cosine, sine);
    Value* sign = b_.CreateShl(b_.CreateAnd(quarter, word(2)), word(62));
    if (which == Intrinsic::Tan) {
        result = b_.CreateFDiv(result, b_.CreateSelect(odd, sine, cosine));
        sign = b_.CreateShl(quarter, word(63));
    }
    result = b_.CreateBitCast(b_.CreateXor(b_.CreateBitCast(result, words), sign), wide->getType());
    result = b_.CreateFPTrunc(result, x->getType());

    Value* size = b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
    Value* large = b_.CreateAnd(b_.CreateFCmpOGT(size, number(x, 1e8)),
                                b_.CreateFCmpOLT(size, number(x, std::numeric_limits<double>::infinity())));
    return branches(
        type.lanes > 1 ? b_.CreateOrReduce(large) : large,
        [&] { return b_.CreateSelect(large, scalarMath(mathOrdinal(which), {x}, type), result); },
        [&] { return result; });
}

/// Small constant exponents as products and roots; everything else by the runtime.
Value* FunctionEmitter::pow32(const Expr& exponent, Value* x, Value* y, DataType type) {
    const Expr& inner = exponent.kind() == ExprKind::Broadcast ? exponent->args[0] : exponent;
    if (inner.kind() == ExprKind::FloatImm) {
        const double e = inner->floatValue;
        if (e == 1)
            return x;
        if (e == 2)
            return b_.CreateFMul(x, x);
        if (e == -1)
            return b_.CreateFDiv(number(x, 1.0), x);
        if (e == 3)
            return b_.CreateFMul(b_.CreateFMul(x, x), x);
        if (e == 0.5) { // pow(-inf, 0.5) is inf, pow(-0, 0.5) is +0
            Value* root =
                b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, b_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x));
            Value* infinity = number(x, std::numeric_limits<double>::infinity());
            return b_.CreateSelect(b_.CreateFCmpOEQ(x, b_.CreateFNeg(infinity)), infinity, root);
        }
    }
    return scalarMath(LATHE_MATH_POW, {x, y}, type);
}

} // namespace lathe::codegen
