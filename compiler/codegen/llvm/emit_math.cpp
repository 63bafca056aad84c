// SPDX-License-Identifier: Apache-2.0
//
// Float functions. For float32 the common ones are vector code of our own, with the error stated at each (worst over
// samples of all floats, measured by tests/codegen/test_intrinsics); the others and float64 are computed lane by lane by
// the runtime's table. Nothing here may become a call of a math library.
#include "abi/abi.h"
#include "codegen/llvm/emitter.h"

#include <array>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>

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

/// The same in fewer steps that wait for each other: pairs of coefficients, which then are those of x^2.
Value* FunctionEmitter::polynomial(Value* x, Value* square, std::span<const double> highestFirst) {
    Value* sum = highestFirst.size() % 2 == 1 ? number(x, highestFirst.front()) : nullptr;
    for (size_t i = highestFirst.size() % 2; i < highestFirst.size(); i += 2) {
        Value* pair = fma(number(x, highestFirst[i]), x, number(x, highestFirst[i + 1]));
        sum = sum ? fma(sum, square, pair) : pair;
    }
    return sum;
}

Value* FunctionEmitter::bitsOf(Value* x) {
    return b_.CreateBitCast(x, integer(x, 0)->getType());
}

Value* FunctionEmitter::atMost(Value* x, double bound) {
    return b_.CreateSelect(b_.CreateFCmpOGT(x, number(x, bound)), number(x, bound), x);
}

Value* FunctionEmitter::atLeast(Value* x, double bound) {
    return b_.CreateSelect(b_.CreateFCmpOLT(x, number(x, bound)), number(x, bound), x);
}

/// 1 ulp, subnormal results included.
Value* FunctionEmitter::exp32(Value* x) {
    return exp32Within(atLeast(atMost(x, 89.0), -104.5), -104.5, 89.0);
}

/// 2^n * p(r) with x = n ln 2 + r, |r| <= ln 2 / 2. n comes from adding 1.5 * 2^23, and with it the bias of an exponent: the
/// last bits of the sum, shifted, are 2^n. Where 2^n may be no normal float, it is applied in two halves, each with its bias.
Value* FunctionEmitter::exp32Within(Value* x, double low, double high) {
    const bool isNormal = low >= -87.0 && high <= 88.0;
    Value* magic = number(x, isNormal ? 12582912.0 + 127 : 12582912.0 + 254);
    Value* shifted = fma(x, number(x, 1.44269504088896341), magic);
    Value* n = b_.CreateFSub(shifted, magic);
    Value* r = fma(n, number(x, -0.693145751953125), x);
    r = fma(n, number(x, -1.42860682e-6), r);
    Value* square = b_.CreateFMul(r, r);
    Value* p = polynomial(r, square, std::array{0.00138139576, 0.00836906335, 0.0416684207, 0.166665178, 0.499999933});
    p = b_.CreateFAdd(fma(square, p, r), number(x, 1.0));
    const auto power = [&](Value* exponent) {
        return b_.CreateBitCast(b_.CreateShl(exponent, integer(x, 23)), x->getType());
    };
    Value* exponent = bitsOf(shifted);
    if (isNormal)
        return b_.CreateFMul(p, power(exponent));
    if (Value* scaled = scaledByPower(p, n))
        return scaled;
    Value* half = b_.CreateLShr(exponent, integer(x, 1));
    return b_.CreateFMul(b_.CreateFMul(p, power(half)), power(b_.CreateSub(exponent, half)));
}

/// x * 2^n, rounded once, of whole registers of AVX-512: one instruction in the place of six, with the same bits. Null elsewhere.
Value* FunctionEmitter::scaledByPower(Value* x, Value* n) {
    constexpr int half = 8, whole = 16, currentRounding = 4;
    const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(x->getType());
    const int lanes = type ? static_cast<int>(type->getNumElements()) : 1;
    // A machine of 32 registers has the instruction for vectors of 256 bits, and not always for those of 512.
    const int each = lanes == half || m_.target.vectorBits < 512 ? half : whole;
    if (m_.target.architecture != Architecture::X86_64 || m_.target.vectorRegisters < 32 || lanes % each != 0)
        return nullptr;
    llvm::SmallVector<Value*> parts;
    for (int first = 0; first < lanes; first += each) {
        const auto part = [&](Value* all) {
            return b_.CreateShuffleVector(
                all, llvm::createSequentialMask(static_cast<unsigned>(first), static_cast<unsigned>(each), 0));
        };
        Value *value = part(x), *power = part(n);
        parts.push_back(each == half ? b_.CreateIntrinsic(llvm::Intrinsic::x86_avx512_mask_scalef_ps_256, {},
                                                          {value, power, value, b_.getInt8(0xff)})
                                     : b_.CreateIntrinsic(
                                           llvm::Intrinsic::x86_avx512_mask_scalef_ps_512, {},
                                           {value, power, value, b_.getInt16(0xffff), b_.getInt32(currentRounding)}));
    }
    return llvm::concatenateVectors(b_, parts);
}

/// e ln 2 + log(1 + f) with f between sqrt(1/2) - 1 and sqrt(2) - 1, after Cephes' logf.
Value* FunctionEmitter::log32Of(Value* f, Value* exponent) {
    Value* e = b_.CreateSIToFP(exponent, f->getType());
    Value* z = b_.CreateFMul(f, f);
    Value* p =
        polynomial(f, z,
                   std::array{7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
                              -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1});
    p = b_.CreateFMul(p, b_.CreateFMul(f, z));
    p = fma(e, number(f, -2.12194440e-4), p);
    p = fma(z, number(f, -0.5), p);
    return fma(e, number(f, 0.693359375), b_.CreateFAdd(f, p));
}

/// What is not a positive, normal float below 2^limit.
Value* FunctionEmitter::exceptNormal(Value* x, int limit) {
    // What is larger or negative wraps around the largest integer.
    const int64_t shift = int64_t{129 - limit} << 23;
    return b_.CreateICmpSLT(b_.CreateAdd(bitsOf(x), integer(x, shift)), integer(x, shift + (1 << 23)));
}

Value* FunctionEmitter::anyOf(Value* lanes) {
    return lanes->getType()->isVectorTy() ? b_.CreateOrReduce(lanes) : lanes;
}

/// 1 ulp. x = 2^e m with m in [sqrt(1/2), sqrt(2)). Zeros, subnormals, infinities and NaN are rare.
Value* FunctionEmitter::log32(Value* x) {
    const auto ofNormal = [&](Value* normal, Value* lessExponent) {
        Value* bits = bitsOf(normal);
        Value* exponent = b_.CreateAShr(b_.CreateSub(bits, integer(x, 0x3f3504f3)), integer(x, 23));
        Value* m = b_.CreateBitCast(b_.CreateSub(bits, b_.CreateShl(exponent, integer(x, 23))), x->getType());
        return log32Of(b_.CreateFSub(m, number(x, 1.0)), b_.CreateSub(exponent, lessExponent));
    };
    Value* size = b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
    Value* result = branches(
        anyOf(exceptNormal(size, 128)),
        [&] {
            Value* tiny = b_.CreateFCmpOLT(size, number(x, 1.17549435e-38));
            Value* scaled = b_.CreateSelect(tiny, b_.CreateFMul(x, number(x, 8388608.0)), x);
            Value* log = ofNormal(scaled, b_.CreateSelect(tiny, integer(x, 23), integer(x, 0)));
            Value* infinity = number(x, std::numeric_limits<double>::infinity());
            log = b_.CreateSelect(b_.CreateFCmpOLT(size, infinity), log, x);
            return b_.CreateSelect(b_.CreateFCmpOEQ(x, number(x, 0)), b_.CreateFNeg(infinity), log);
        },
        [&] { return ofNormal(x, integer(x, 0)); });
    return b_.CreateSelect(b_.CreateFCmpOLT(x, number(x, 0)), number(x, std::numeric_limits<double>::quiet_NaN()),
                           result);
}

/// 1 ulp. 1 + x = 2^e m; what is lost in 1 + x is not in m - 1 = 2^-e x + (2^-e - 1). Where 2^-e is no normal float, x is as
/// good as 1 + x.
Value* FunctionEmitter::log1p32(Value* x) {
    Value* u = b_.CreateFAdd(x, number(x, 1.0));
    Value* exponent = b_.CreateAShr(b_.CreateSub(bitsOf(u), integer(x, 0x3f3504f3)), integer(x, 23));
    Value* scale =
        b_.CreateBitCast(b_.CreateSub(integer(x, 0x3f800000), b_.CreateShl(exponent, integer(x, 23))), x->getType());
    Value* normal = log32Of(fma(x, scale, b_.CreateFSub(scale, number(x, 1.0))), exponent);
    Value* others = exceptNormal(u, 126);
    Value* result =
        branches(anyOf(others), [&] { return b_.CreateSelect(others, log32(u), normal); }, [&] { return normal; });
    return b_.CreateSelect(b_.CreateFCmpOEQ(x, number(x, 0)), x, result);
}

/// 1.5 ulp. Below 0.625 a polynomial (Cephes' tanhf), else 1 - 2 / (exp(2|x|) + 1), which is 1 from 9.02.
Value* FunctionEmitter::tanh32(Value* x) {
    Value* t = b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
    Value* s = b_.CreateFMul(x, x);
    Value* p =
        polynomial(s, {-5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2, 1.33314422036e-1, -3.33332819422e-1});
    Value* near = fma(b_.CreateFMul(p, s), t, t);
    Value* e = exp32Within(atMost(b_.CreateFAdd(t, t), 20.0), 0, 20.0);
    Value* far = b_.CreateFSub(number(x, 1.0), b_.CreateFDiv(number(x, 2.0), b_.CreateFAdd(e, number(x, 1.0))));
    return withSignOf(b_.CreateSelect(b_.CreateFCmpOLT(t, number(x, 0.625)), near, far), x);
}

/// A number that is not negative, with the sign of another.
Value* FunctionEmitter::withSignOf(Value* positive, Value* x) {
    Value* sign = b_.CreateAnd(bitsOf(x), integer(x, std::numeric_limits<int32_t>::min()));
    return b_.CreateBitCast(b_.CreateOr(bitsOf(positive), sign), x->getType());
}

/// 1.2 ulp of the result everywhere. After N. Juffa's erff: x + x p(x^2) near 0, 1 - exp(q(|x|)) else.
Value* FunctionEmitter::erf32(Value* x) {
    Value* t = b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
    Value* bounded = atMost(t, 4.0);
    Value* s = b_.CreateFMul(bounded, bounded);
    Value* r = polynomial(bounded, s,
                          std::array{-1.72853470e-5, 3.83197126e-4, -3.88396438e-3, 2.42546219e-2, -1.06777877e-1,
                                     -6.34846687e-1, -1.28717512e-1});
    r = fma(r, bounded, b_.CreateFNeg(bounded));
    Value* far = withSignOf(b_.CreateFSub(number(x, 1.0), exp32Within(r, -20.0, 0)), x);
    Value* near =
        polynomial(s, {-5.96761703e-4, 4.99119423e-3, -2.67681349e-2, 1.12819925e-1, -3.76125336e-1, 1.28379166e-1});
    near = fma(near, x, x);
    return b_.CreateSelect(b_.CreateFCmpOGT(t, number(x, 0.927734375)), far, near);
}

/// 2 ulp, subnormal results included: 1 / (1 + exp(-|x|)), times exp(-|x|) for negative x.
Value* FunctionEmitter::sigmoid32(Value* x) {
    Value* t = b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
    Value* e = exp32Within(atLeast(b_.CreateFNeg(t), -104.5), -104.5, 0);
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
        anyOf(large), [&] { return b_.CreateSelect(large, scalarMath(mathOrdinal(which), {x}, type), result); },
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
