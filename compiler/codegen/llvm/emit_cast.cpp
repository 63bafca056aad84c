// SPDX-License-Identifier: Apache-2.0
//
// Conversions between types that have arithmetic. Float to integer truncates and saturates, NaN gives 0; to 2 and 4 bits
// it wraps; anything to bool asks for non-zero. Narrow floats were lowered before ("legalize data types"), except
// float16 on targets that convert it in hardware.
#include "codegen/llvm/emitter.h"

#include <llvm/IR/Intrinsics.h>

namespace lathe::codegen {

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
        llvm::Type* wide = to.bits < 8 ? llvm::Type::getInt32Ty(m_.context) : nullptr;
        if (wide) {
            llvm::Type* lanes = from.lanes > 1 ? llvm::FixedVectorType::get(wide, from.lanes) : wide;
            result = b_.CreateTrunc(b_.CreateIntrinsic(llvm::Intrinsic::fptosi_sat, {lanes, v->getType()}, {v}), type);
        } else {
            auto id = to.isSigned() ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat;
            result = b_.CreateIntrinsic(id, {type, v->getType()}, {v});
        }
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
