// SPDX-License-Identifier: Apache-2.0
//
// Intrinsics and calls of the runtime's table. The table's address is loaded once a function; `exec` goes along where the
// C signature has it. The signatures follow lathe_functions in abi/abi.h.
#include "abi/abi.h"
#include "codegen/llvm/emitter.h"

#include <llvm/IR/Intrinsics.h>

namespace lathe::codegen {
namespace {

enum class C : uint8_t { Void, I32, I64, F32, F64, Ptr };
struct Signature {
    C result;
    bool exec;
    std::vector<C> params; // without exec
};

const Signature& signatureOf(int ordinal) {
    static const std::vector<Signature> signatures = [] {
        std::vector<Signature> s(LATHE_FN_COUNT);
        s[LATHE_FN_PARALLEL] = {C::I32, true, {C::Ptr, C::Ptr, C::I64}};
        s[LATHE_FN_INPUT_DATA] = {C::Ptr, true, {C::I32}};
        s[LATHE_FN_INPUT_DIM] = {C::I64, true, {C::I32, C::I32}};
        s[LATHE_FN_CONSTANT] = {C::Ptr, true, {C::I32}};
        s[LATHE_FN_OUTPUT_DIM] = {C::Void, true, {C::I32, C::I32, C::I64}};
        s[LATHE_FN_OUTPUT_DATA] = {C::Ptr, true, {C::I32, C::I64}};
        s[LATHE_FN_ARENA_PUSH] = {C::Ptr, true, {C::I64}};
        s[LATHE_FN_ARENA_MARK] = {C::I64, true, {}};
        s[LATHE_FN_ARENA_RELEASE] = {C::Void, true, {C::I64}};
        s[LATHE_FN_FAIL] = {C::Void, true, {C::I32, C::I32}};
        s[LATHE_FN_PROFILE] = {C::Void, true, {C::I32, C::I32}};
        s[LATHE_FN_MATH32] = {C::F32, false, {C::I32, C::F32, C::F32, C::F32}};
        s[LATHE_FN_MATH64] = {C::F64, false, {C::I32, C::F64, C::F64, C::F64}};
        s[LATHE_FN_COPY] = {C::Void, false, {C::Ptr, C::Ptr, C::I64}};
        s[LATHE_FN_FILL] = {C::Void, false, {C::Ptr, C::I32, C::I64}};
        s[LATHE_FN_SEED] = {C::I64, true, {}};
        s[LATHE_FN_KEEP] = {C::Ptr, true, {C::I32, C::I64}};
        s[LATHE_FN_OBJECT_INPUT] = {C::Ptr, true, {C::I32}};
        s[LATHE_FN_OBJECT_OUTPUT] = {C::Void, true, {C::I32, C::Ptr}};
        s[LATHE_FN_OBJECT_TENSOR] = {C::Ptr, true, {C::I64, C::I32}};
        s[LATHE_FN_OBJECT_LIST] = {C::Ptr, true, {C::I32}};
        s[LATHE_FN_OBJECT_INSERT] = {C::Ptr, true, {C::Ptr, C::I64, C::Ptr}};
        s[LATHE_FN_OBJECT_ERASE] = {C::Ptr, true, {C::Ptr, C::I64}};
        s[LATHE_FN_OBJECT_AT] = {C::Ptr, true, {C::Ptr, C::I64}};
        s[LATHE_FN_OBJECT_LENGTH] = {C::I64, true, {C::Ptr}};
        s[LATHE_FN_OBJECT_TAG] = {C::I64, true, {C::Ptr}};
        s[LATHE_FN_OBJECT_DATA] = {C::Ptr, true, {C::Ptr}};
        s[LATHE_FN_OBJECT_DIM] = {C::I64, true, {C::Ptr, C::I32}};
        s[LATHE_FN_OBJECT_SET_DIM] = {C::Void, true, {C::Ptr, C::I32, C::I64}};
        s[LATHE_FN_OBJECT_EXTENT] = {C::I64, true, {C::Ptr, C::I32, C::I32}};
        s[LATHE_FN_OBJECT_JOIN] = {C::Void, true, {C::Ptr, C::I32, C::I32, C::I32, C::Ptr}};
        s[LATHE_FN_OBJECT_RETAIN] = {C::Void, true, {C::Ptr}};
        s[LATHE_FN_OBJECT_RELEASE] = {C::Void, true, {C::Ptr}};
        s[LATHE_FN_DECODE_IMAGE] = {C::I64, true, {C::Ptr, C::I64, C::I32}};
        s[LATHE_FN_IMAGE_PIXELS] = {C::Void, true, {C::Ptr, C::I64}};
        s[LATHE_FN_STRING] = {C::I64, true, {C::I32, C::I64, C::I64, C::I64}};
        return s;
    }();
    LATHE_ASSERT(ordinal >= 0 && ordinal < LATHE_FN_COUNT, "no such function of the runtime");
    return signatures[static_cast<size_t>(ordinal)];
}

llvm::Type* typeOf(C kind, llvm::LLVMContext& context) {
    switch (kind) {
    case C::Void:
        return llvm::Type::getVoidTy(context);
    case C::I32:
        return llvm::Type::getInt32Ty(context);
    case C::I64:
        return llvm::Type::getInt64Ty(context);
    case C::F32:
        return llvm::Type::getFloatTy(context);
    case C::F64:
        return llvm::Type::getDoubleTy(context);
    case C::Ptr:
        return llvm::PointerType::getUnqual(context);
    }
    return nullptr;
}

} // namespace

int mathOrdinal(Intrinsic which) {
    switch (which) {
    case Intrinsic::Exp:
        return LATHE_MATH_EXP;
    case Intrinsic::Log:
        return LATHE_MATH_LOG;
    case Intrinsic::Sin:
        return LATHE_MATH_SIN;
    case Intrinsic::Cos:
        return LATHE_MATH_COS;
    case Intrinsic::Tan:
        return LATHE_MATH_TAN;
    case Intrinsic::Asin:
        return LATHE_MATH_ASIN;
    case Intrinsic::Acos:
        return LATHE_MATH_ACOS;
    case Intrinsic::Atan:
        return LATHE_MATH_ATAN;
    case Intrinsic::Sinh:
        return LATHE_MATH_SINH;
    case Intrinsic::Cosh:
        return LATHE_MATH_COSH;
    case Intrinsic::Tanh:
        return LATHE_MATH_TANH;
    case Intrinsic::Asinh:
        return LATHE_MATH_ASINH;
    case Intrinsic::Acosh:
        return LATHE_MATH_ACOSH;
    case Intrinsic::Atanh:
        return LATHE_MATH_ATANH;
    case Intrinsic::Erf:
        return LATHE_MATH_ERF;
    case Intrinsic::Pow:
        return LATHE_MATH_POW;
    case Intrinsic::Log1p:
        return LATHE_MATH_LOG1P;
    case Intrinsic::Expm1:
        return LATHE_MATH_EXPM1;
    case Intrinsic::Fma:
        return LATHE_MATH_FMA;
    default:
        return -1;
    }
}

Value* FunctionEmitter::runtimeTable() {
    if (!table_) {
        llvm::BasicBlock& entry = f_->getEntryBlock();
        llvm::IRBuilder<> at(&entry, entry.begin());
        llvm::LoadInst* loaded = at.CreateLoad(at.getPtrTy(), m_.table, "runtime");
        loaded->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(m_.context, {}));
        table_ = loaded;
    }
    return table_;
}

Value* FunctionEmitter::runtimeFunction(int ordinal) {
    Value* slot = b_.CreateConstInBoundsGEP1_64(b_.getPtrTy(), runtimeTable(), static_cast<uint64_t>(ordinal));
    llvm::LoadInst* function = b_.CreateLoad(b_.getPtrTy(), slot);
    function->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(m_.context, {}));
    return function;
}

Value* FunctionEmitter::runtimeCall(int ordinal, const std::vector<Value*>& args) {
    const Signature& signature = signatureOf(ordinal);
    LATHE_ASSERT(args.size() == signature.params.size(), "a call of the runtime with a wrong number of arguments");
    std::vector<llvm::Type*> types;
    std::vector<Value*> passed;
    if (signature.exec) {
        types.push_back(b_.getPtrTy());
        passed.push_back(exec);
    }
    for (size_t i = 0; i < args.size(); ++i) {
        llvm::Type* type = typeOf(signature.params[i], m_.context);
        Value* arg = args[i];
        if (type->isIntegerTy() && arg->getType()->isIntegerTy())
            arg = b_.CreateSExtOrTrunc(arg, type);
        else if (type->isFloatingPointTy() && arg->getType()->isFloatingPointTy())
            arg = b_.CreateFPCast(arg, type);
        LATHE_ASSERT(arg->getType() == type, "a call of the runtime with a wrong argument");
        types.push_back(type);
        passed.push_back(arg);
    }
    auto* type = llvm::FunctionType::get(typeOf(signature.result, m_.context), types, false);
    llvm::CallInst* call = b_.CreateCall(type, runtimeFunction(ordinal), passed);
    call->setDoesNotThrow();
    return call;
}

Value* FunctionEmitter::scalarMath(int ordinal, const std::vector<Value*>& args, DataType type) {
    const bool isDouble = type.bits == 64;
    llvm::Type* element = m_.registerType(type.scalar());
    LATHE_ASSERT(element->isFloatTy() || element->isDoubleTy(), "math of " + toString(type) + " was not legalized");
    return lanewise(type.lanes, element, args, [&](const std::vector<Value*>& lane) {
        std::vector<Value*> all{b_.getInt32(static_cast<uint32_t>(ordinal))};
        for (size_t i = 0; i < 3; ++i)
            all.push_back(i < lane.size() ? lane[i] : llvm::ConstantFP::get(element, 0.0));
        return runtimeCall(isDouble ? LATHE_FN_MATH64 : LATHE_FN_MATH32, all);
    });
}

Value* FunctionEmitter::floatFunction(Intrinsic which, const std::vector<Value*>& args, DataType type) {
    const llvm::IRBuilderBase::FastMathFlagGuard outside(b_);
    b_.setFastMathFlags(m_.floatFunctions);
    Value* x = args[0];
    auto unary = [&](llvm::Intrinsic::ID id) { return b_.CreateUnaryIntrinsic(id, x); };
    switch (which) {
    case Intrinsic::Sqrt:
        return unary(llvm::Intrinsic::sqrt);
    case Intrinsic::Rsqrt:
        return b_.CreateFDiv(number(x, 1.0), unary(llvm::Intrinsic::sqrt));
    case Intrinsic::Floor:
        return unary(llvm::Intrinsic::floor);
    case Intrinsic::Ceil:
        return unary(llvm::Intrinsic::ceil);
    case Intrinsic::Trunc:
        return unary(llvm::Intrinsic::trunc);
    case Intrinsic::RoundEven:
        return unary(llvm::Intrinsic::roundeven);
    case Intrinsic::Abs:
        return unary(llvm::Intrinsic::fabs);
    case Intrinsic::CopySign:
        return b_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, x, args[1]);
    case Intrinsic::IsNan:
        return b_.CreateFCmpUNO(x, x);
    case Intrinsic::IsInf:
        return b_.CreateFCmpOEQ(unary(llvm::Intrinsic::fabs), number(x, std::numeric_limits<double>::infinity()));
    case Intrinsic::Fma:
        if (m_.target.hasFma)
            return fma(x, args[1], args[2]);
        break;
    case Intrinsic::Sigmoid:
        if (type.bits == 64) {
            Value* e = scalarMath(LATHE_MATH_EXP, {b_.CreateFNeg(x)}, type);
            return b_.CreateFDiv(number(x, 1.0), b_.CreateFAdd(e, number(x, 1.0)));
        }
        return sigmoid32(x);
    default:
        break;
    }
    if (type.bits == 32) {
        switch (which) {
        case Intrinsic::Exp:
            return exp32(x);
        case Intrinsic::Log:
            return log32(x);
        case Intrinsic::Log1p:
            return log1p32(x);
        case Intrinsic::Tanh:
            return tanh32(x);
        case Intrinsic::Erf:
            return erf32(x);
        case Intrinsic::Sin:
        case Intrinsic::Cos:
        case Intrinsic::Tan:
            return trigonometric32(which, x, type);
        default:
            break;
        }
    }
    int ordinal = mathOrdinal(which);
    LATHE_ASSERT(ordinal >= 0, "an intrinsic of floats that code generation does not know");
    return scalarMath(ordinal, args, type);
}

Value* FunctionEmitter::intrinsic(const Expr& expr) {
    const DataType type = expr.dtype();
    switch (expr->intrinsic) {
    case Intrinsic::AddressOf:
        return addressOf(expr->args[0]);
    case Intrinsic::Prefetch:
        return prefetch(expr->args[0]);
    case Intrinsic::PtrOffset:
        return b_.CreateInBoundsGEP(b_.getInt8Ty(), value(expr->args[0]), value(expr->args[1]));
    case Intrinsic::RtCall: {
        std::optional<int64_t> ordinal = arith::asInt(expr->args[0]);
        LATHE_ASSERT(ordinal, "a call of the runtime names its function by a constant");
        std::vector<Value*> args;
        for (size_t i = 1; i < expr->args.size(); ++i)
            args.push_back(value(expr->args[i]));
        Value* result = runtimeCall(static_cast<int>(*ordinal), args);
        llvm::Type* wanted = m_.registerType(type);
        return wanted->isIntegerTy() && result->getType()->isIntegerTy() ? b_.CreateSExtOrTrunc(result, wanted)
                                                                         : result;
    }
    case Intrinsic::Reinterpret:
        return reinterpret(value(expr->args[0]), expr->args[0].dtype(), type);
    case Intrinsic::PopCount:
        return b_.CreateZExtOrTrunc(b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, value(expr->args[0])),
                                    m_.registerType(type));
    case Intrinsic::IntPow:
        return intPow(expr);
    case Intrinsic::RandomBits:
        return randomBits(expr);
    case Intrinsic::ReduceAdd:
    case Intrinsic::ReduceMax:
    case Intrinsic::ReduceMin:
    case Intrinsic::ReduceMul:
        return reduce(expr);
    case Intrinsic::Abs:
        if (!type.isFloat())
            return b_.CreateBinaryIntrinsic(llvm::Intrinsic::abs, value(expr->args[0]), b_.getFalse());
        break;
    case Intrinsic::Pow:
        return type.bits == 32 ? pow32(expr->args[1], value(expr->args[0]), value(expr->args[1]), type)
                               : scalarMath(LATHE_MATH_POW, {value(expr->args[0]), value(expr->args[1])}, type);
    default:
        break;
    }
    std::vector<Value*> args;
    for (const Expr& arg : expr->args)
        args.push_back(value(arg));
    return floatFunction(expr->intrinsic, args, expr->args[0].dtype());
}

} // namespace lathe::codegen
