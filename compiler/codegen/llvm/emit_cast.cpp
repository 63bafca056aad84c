// SPDX-License-Identifier: Apache-2.0
//
// Conversions between types that have arithmetic. Float to integer truncates and saturates, NaN gives 0; to 2 and 4 bits
// it wraps; anything to bool asks for non-zero. Narrow floats were lowered before ("legalize data types"), except
// float16 on targets that convert it in hardware.
#include "codegen/llvm/emitter.h"

#include <cmath>

namespace lathe::codegen {

/// The nearest integer towards zero that has so many bits, 0 of NaN. Written out: of vectors LLVM's own saturating
/// conversions go lane by lane.
Value* FunctionEmitter::saturated(Value* v, unsigned bits, bool isSigned) {
    const auto lanesOf = [](Value* like, llvm::Type* element) -> llvm::Type* {
        auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(like->getType());
        return vector ? llvm::FixedVectorType::get(element, vector->getNumElements()) : element;
    };
    if (v->getType()->getScalarType()->isHalfTy())
        v = b_.CreateFPExt(v, lanesOf(v, b_.getFloatTy()));
    llvm::Type* type = lanesOf(v, b_.getIntNTy(bits));
    if (bits <= 16) { // the limits are floats
        const auto most = static_cast<double>((int64_t{1} << (isSigned ? bits - 1 : bits)) - 1);
        Value* low = number(v, isSigned ? -most - 1 : 0);
        Value* high = number(v, most);
        v = b_.CreateSelect(b_.CreateFCmpUNO(v, v), number(v, 0), v);
        v = b_.CreateSelect(b_.CreateFCmpOGT(v, high), high, v);
        v = b_.CreateSelect(b_.CreateFCmpOLT(v, low), low, v);
        return b_.CreateTrunc(b_.CreateFPToSI(v, lanesOf(v, b_.getInt32Ty())), type);
    }
    if (bits == 64 && isSigned && type->isVectorTy() && m_.target.architecture == Architecture::X86_64 &&
        m_.target.vectorRegisters < 32) {
        // No instruction of x86 before AVX-512 converts vectors to int64. Below 2^51 the last bits of 1.5 * 2^52 + v are v's.
        Value* size = b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, v);
        Value* large = b_.CreateFCmpUGE(size, number(v, 0x1p51));
        return branches(
            anyOf(large), [&] { return saturatedAny(v, type, bits, isSigned); },
            [&] {
                Value* whole = b_.CreateUnaryIntrinsic(llvm::Intrinsic::trunc, v);
                Value* wide = b_.CreateFPExt(whole, lanesOf(v, b_.getDoubleTy()));
                Value* magic = number(wide, 0x1.8p52);
                return b_.CreateSub(b_.CreateBitCast(b_.CreateFAdd(wide, magic), type), b_.CreateBitCast(magic, type));
            });
    }
    return saturatedAny(v, type, bits, isSigned);
}

/// The same however large, of more bits than any limit is a float of.
Value* FunctionEmitter::saturatedAny(Value* v, llvm::Type* type, unsigned bits, bool isSigned) {
    const llvm::APInt least = isSigned ? llvm::APInt::getSignedMinValue(bits) : llvm::APInt::getMinValue(bits);
    const llvm::APInt most = isSigned ? llvm::APInt::getSignedMaxValue(bits) : llvm::APInt::getMaxValue(bits);
    Value* below = b_.CreateFCmpOLT(v, number(v, isSigned ? least.signedRoundToDouble() : 0.0));
    Value* above = b_.CreateFCmpOGE(v, number(v, std::ldexp(1.0, static_cast<int>(isSigned ? bits - 1 : bits))));
    Value* outside = b_.CreateOr(b_.CreateOr(below, above), b_.CreateFCmpUNO(v, v));
    Value* inside = b_.CreateSelect(outside, number(v, 0), v);
    Value* result = isSigned ? b_.CreateFPToSI(inside, type) : b_.CreateFPToUI(inside, type);
    result = b_.CreateSelect(above, llvm::ConstantInt::get(type, most), result);
    return b_.CreateSelect(below, llvm::ConstantInt::get(type, least), result);
}

Value* FunctionEmitter::cast(Value* v, DataType from, DataType to) {
    if (from == to)
        return v;
    llvm::Type* type = m_.registerType(to.withLanes(from.lanes));
    auto arithmeticType = [](DataType t) { return t.isInt() || t.isBool() || t.code == TypeCode::Float; };
    LATHE_ASSERT(arithmeticType(from) && arithmeticType(to),
                 "a cast from " + toString(from) + " to " + toString(to) + " was not legalized");
    Value* result = nullptr;
    if (to.isBool())
        result = from.isFloat() ? b_.CreateFCmpUNE(v, number(v, 0))
                                : b_.CreateICmpNE(v, llvm::ConstantInt::get(v->getType(), 0));
    else if (to.isFloat()) {
        if (from.isFloat())
            result = b_.CreateFPCast(v, type);
        else
            result = from.isSigned() ? b_.CreateSIToFP(v, type) : b_.CreateUIToFP(v, type);
    } else if (from.isFloat()) {
        result = to.bits < 8 ? b_.CreateTrunc(saturated(v, 32, true), type) : saturated(v, to.bits, to.isSigned());
    } else {
        result = b_.CreateIntCast(v, type, from.isSigned());
    }
    return splat(result, to.lanes);
}

Value* FunctionEmitter::reinterpret(Value* v, DataType from, DataType to) {
    llvm::Type* type = m_.registerType(to);
    if (v->getType() == type)
        return v;
    if (v->getType()->isPointerTy())
        return b_.CreatePtrToInt(v, type);
    if (from.isBool() || (from.isInt() && from.bits < 8))
        v = toStorage(v, from);
    llvm::Type* storage = m_.storageType(to);
    LATHE_ASSERT(v->getType()->getScalarSizeInBits() == storage->getScalarSizeInBits(),
                 "reinterpret between sizes: " + toString(from) + " as " + toString(to));
    return toRegister(b_.CreateBitCast(v, storage), to);
}

} // namespace lathe::codegen
