// SPDX-License-Identifier: Apache-2.0
//
// Expressions: constants, arithmetic, comparison, selection, reductions. A shared node is computed once a statement;
// a scope of the memo belongs to each branch, so nothing is used where it was not computed.
#include "abi/abi.h"
#include "codegen/llvm/emitter.h"

#include <bit>
#include <llvm/IR/Intrinsics.h>

namespace lathe::codegen {

Value* FunctionEmitter::value(const Expr& expr) {
    const bool root = memo_.empty();
    if (root)
        memo_.emplace_back();
    Value* result = nullptr;
    for (size_t i = memo_.size(); i-- > 0 && !result;) {
        auto it = memo_[i].find(expr.get());
        result = it == memo_[i].end() ? nullptr : it->second;
    }
    if (!result) {
        result = compute(expr);
        memo_.back()[expr.get()] = result;
    }
    if (root)
        memo_.pop_back();
    return result;
}

Value* FunctionEmitter::splat(Value* scalar, int lanes) {
    return lanes > 1 && !scalar->getType()->isVectorTy() ? b_.CreateVectorSplat(static_cast<unsigned>(lanes), scalar)
                                                         : scalar;
}

Value* FunctionEmitter::constant(const Expr& expr) {
    llvm::Type* type = m_.registerType(expr.dtype());
    if (expr.kind() == ExprKind::IntImm) {
        if (type->isPointerTy())
            return b_.CreateIntToPtr(b_.getInt64(static_cast<uint64_t>(expr->intValue)), type);
        llvm::APInt bits(64, static_cast<uint64_t>(expr->intValue));
        return llvm::ConstantInt::get(type, bits.zextOrTrunc(type->getScalarSizeInBits()));
    }
    LATHE_ASSERT(type->isFPOrFPVectorTy(), "a constant of " + toString(expr.dtype()) + " was not legalized");
    return llvm::ConstantFP::get(type, expr->floatValue);
}

Value* FunctionEmitter::compute(const Expr& expr) {
    switch (expr.kind()) {
    case ExprKind::IntImm:
    case ExprKind::FloatImm:
        return constant(expr);
    case ExprKind::Var: {
        auto it = vars.find(expr.get());
        LATHE_ASSERT(it != vars.end(), "variable " + expr->name + " has no value in " + m_.function.name);
        return it->second;
    }
    case ExprKind::Load:
        return load(expr);
    case ExprKind::Select:
        return select(expr->args[0], expr->args[1], expr->args[2]);
    case ExprKind::Cast:
        return cast(value(expr->args[0]), expr->args[0].dtype(), expr.dtype());
    case ExprKind::Call:
        return intrinsic(expr);
    case ExprKind::Broadcast:
        return splat(value(expr->args[0]), expr.dtype().lanes);
    case ExprKind::Ramp: {
        Value* base = splat(value(expr->args[0]), expr.dtype().lanes);
        Value* stride = splat(value(expr->args[1]), expr.dtype().lanes);
        std::vector<llvm::Constant*> steps;
        for (int i = 0; i < expr.dtype().lanes; ++i)
            steps.push_back(llvm::ConstantInt::get(base->getType()->getScalarType(), static_cast<uint64_t>(i)));
        return b_.CreateAdd(base, b_.CreateMul(stride, llvm::ConstantVector::get(steps)));
    }
    case ExprKind::Not:
    case ExprKind::BitNot:
        return b_.CreateNot(value(expr->args[0]));
    case ExprKind::And:
        if (readsMemory(expr->args[1]) && expr.dtype().lanes == 1)
            return branches(value(expr->args[0]), [&] { return value(expr->args[1]); }, [&] { return b_.getFalse(); });
        return b_.CreateAnd(value(expr->args[0]), value(expr->args[1]));
    case ExprKind::Or:
        if (readsMemory(expr->args[1]) && expr.dtype().lanes == 1)
            return branches(value(expr->args[0]), [&] { return b_.getTrue(); }, [&] { return value(expr->args[1]); });
        return b_.CreateOr(value(expr->args[0]), value(expr->args[1]));
    case ExprKind::Eq:
    case ExprKind::Ne:
    case ExprKind::Lt:
    case ExprKind::Le:
    case ExprKind::Gt:
    case ExprKind::Ge:
        return compare(expr);
    default:
        return arithmetic(expr);
    }
}

Value* FunctionEmitter::arithmetic(const Expr& expr) {
    const DataType type = expr.dtype();
    Value* a = value(expr->args[0]);
    Value* b = value(expr->args[1]);
    const bool floating = type.isFloat();
    // A mathematical integer: the entry checks sizes before it uses them (lower/sizes.h).
    const bool index = type.isIndex();
    switch (expr.kind()) {
    case ExprKind::Add:
        return floating ? b_.CreateFAdd(a, b) : b_.CreateAdd(a, b, "", false, index);
    case ExprKind::Sub:
        return floating ? b_.CreateFSub(a, b) : b_.CreateSub(a, b, "", false, index);
    case ExprKind::Mul:
        if (type.isBool())
            return b_.CreateAnd(a, b);
        return floating ? b_.CreateFMul(a, b) : b_.CreateMul(a, b, "", false, index);
    case ExprKind::Min:
        return minMax(false, expr, a, b);
    case ExprKind::Max:
        return minMax(true, expr, a, b);
    case ExprKind::BitAnd:
        return b_.CreateAnd(a, b);
    case ExprKind::BitOr:
        return b_.CreateOr(a, b);
    case ExprKind::BitXor:
        return b_.CreateXor(a, b);
    case ExprKind::Shl:
    case ExprKind::Shr:
        return shift(expr, a, b);
    default:
        break;
    }
    if (!floating)
        return integerDivision(expr, a, b);
    if (expr.kind() == ExprKind::Div)
        return b_.CreateFDiv(a, b);
    if (expr.kind() == ExprKind::FloorDiv)
        return b_.CreateUnaryIntrinsic(llvm::Intrinsic::floor, b_.CreateFDiv(a, b));
    Value* remainder = scalarMath(LATHE_MATH_FMOD, {a, b}, type);
    if (expr.kind() == ExprKind::Mod)
        return remainder;
    Value* zero = number(a, 0);
    Value* differ = b_.CreateXor(b_.CreateFCmpOLT(remainder, zero), b_.CreateFCmpOLT(b, zero));
    Value* fix = b_.CreateAnd(differ, b_.CreateFCmpONE(remainder, zero));
    return b_.CreateSelect(fix, b_.CreateFAdd(remainder, b), remainder);
}

/// Never traps: a divisor of 0 counts as 1 (checks and masks keep it from mattering), INT_MIN / -1 wraps.
Value* FunctionEmitter::integerDivision(const Expr& expr, Value* a, Value* b) {
    const ExprKind kind = expr.kind();
    const bool isSigned = expr.dtype().isSigned();
    const bool quotient = kind == ExprKind::Div || kind == ExprKind::FloorDiv;
    const bool floored = kind == ExprKind::FloorDiv || kind == ExprKind::FloorMod;
    std::optional<int64_t> c = arith::asInt(expr->args[1]);
    if (!c && expr->args[1].kind() == ExprKind::Broadcast)
        c = arith::asInt(expr->args[1]->args[0]);
    const bool power = c && *c > 0 && std::has_single_bit(static_cast<uint64_t>(*c));
    if (!isSigned || (c && *c > 0 && expr.dtype().isIndex() && expr.dtype().lanes == 1 &&
                      arith::bounds(expr->args[0], facts).lower >= 0)) {
        if (!c)
            b = b_.CreateSelect(b_.CreateICmpEQ(b, llvm::ConstantInt::get(b->getType(), 0)),
                                llvm::ConstantInt::get(b->getType(), 1), b);
        else if (*c == 0)
            b = llvm::ConstantInt::get(b->getType(), 1);
        return quotient ? b_.CreateUDiv(a, b) : b_.CreateURem(a, b);
    }
    if (power && floored) {
        auto bits = static_cast<uint64_t>(std::countr_zero(static_cast<uint64_t>(*c)));
        return quotient ? b_.CreateAShr(a, llvm::ConstantInt::get(a->getType(), bits))
                        : b_.CreateAnd(a, llvm::ConstantInt::get(a->getType(), static_cast<uint64_t>(*c - 1)));
    }
    llvm::Constant* zero = llvm::ConstantInt::get(a->getType(), 0);
    llvm::Constant* one = llvm::ConstantInt::get(a->getType(), 1);
    llvm::Constant* minusOne = llvm::ConstantInt::getSigned(a->getType(), -1);
    Value* negate = nullptr;
    Value* divisor = b;
    if (!c || *c == 0 || *c == -1) {
        negate = b_.CreateICmpEQ(b, minusOne);
        divisor = b_.CreateSelect(b_.CreateOr(negate, b_.CreateICmpEQ(b, zero)), one, b);
    }
    Value* q = b_.CreateSDiv(a, divisor);
    Value* r = b_.CreateSub(a, b_.CreateMul(q, divisor));
    if (floored) {
        Value* below = b_.CreateAnd(b_.CreateICmpNE(r, zero), b_.CreateICmpSLT(b_.CreateXor(r, divisor), zero));
        q = b_.CreateSelect(below, b_.CreateSub(q, one), q);
        r = b_.CreateSelect(below, b_.CreateAdd(r, divisor), r);
    }
    if (!quotient)
        return r; // of divisors 1 and -1: 0
    return negate ? b_.CreateSelect(negate, b_.CreateNeg(a), q) : q;
}

/// Floats: NaN if either is NaN, the first of equals. x86's min and max give their second operand when one is NaN, so an
/// operand that is a number by construction goes first and needs no further instruction. Else the first goes second: of a
/// reduction, what was accumulated, and only the new element, for which nothing waits, is asked whether it is NaN.
Value* FunctionEmitter::minMax(bool maximum, const Expr& expr, Value* a, Value* b) {
    const DataType type = expr.dtype();
    if (!type.isFloat()) {
        auto id = type.isSigned() ? (maximum ? llvm::Intrinsic::smax : llvm::Intrinsic::smin)
                                  : (maximum ? llvm::Intrinsic::umax : llvm::Intrinsic::umin);
        return b_.CreateBinaryIntrinsic(id, a, b);
    }
    auto isNumber = [](const Expr& e) {
        const Expr& inner = e.kind() == ExprKind::Broadcast ? e->args[0] : e;
        return inner.kind() == ExprKind::FloatImm && inner->floatValue == inner->floatValue;
    };
    const bool aNumber = isNumber(expr->args[0]), bNumber = isNumber(expr->args[1]);
    if (!aNumber)
        std::swap(a, b);
    Value* better = maximum ? b_.CreateFCmpOGT(a, b) : b_.CreateFCmpOLT(a, b);
    Value* result = b_.CreateSelect(better, a, b);
    return aNumber || bNumber ? result : b_.CreateSelect(b_.CreateFCmpUNO(a, a), a, result);
}

Value* FunctionEmitter::compare(const Expr& expr) {
    const DataType type = expr->args[0].dtype();
    Value* a = value(expr->args[0]);
    Value* b = value(expr->args[1]);
    using P = llvm::CmpInst::Predicate;
    const bool isSigned = type.isSigned();
    switch (expr.kind()) {
    case ExprKind::Eq:
        return type.isFloat() ? b_.CreateFCmpOEQ(a, b) : b_.CreateICmpEQ(a, b);
    case ExprKind::Ne:
        return type.isFloat() ? b_.CreateFCmpUNE(a, b) : b_.CreateICmpNE(a, b);
    case ExprKind::Lt:
        return type.isFloat() ? b_.CreateFCmpOLT(a, b) : b_.CreateICmp(isSigned ? P::ICMP_SLT : P::ICMP_ULT, a, b);
    case ExprKind::Le:
        return type.isFloat() ? b_.CreateFCmpOLE(a, b) : b_.CreateICmp(isSigned ? P::ICMP_SLE : P::ICMP_ULE, a, b);
    case ExprKind::Gt:
        return type.isFloat() ? b_.CreateFCmpOGT(a, b) : b_.CreateICmp(isSigned ? P::ICMP_SGT : P::ICMP_UGT, a, b);
    default:
        return type.isFloat() ? b_.CreateFCmpOGE(a, b) : b_.CreateICmp(isSigned ? P::ICMP_SGE : P::ICMP_UGE, a, b);
    }
}

/// A shift by the width or more gives 0, or the sign for an arithmetic shift right.
Value* FunctionEmitter::shift(const Expr& expr, Value* a, Value* b) {
    const unsigned width = a->getType()->getScalarSizeInBits();
    Value* inside = b_.CreateICmpULT(b, llvm::ConstantInt::get(b->getType(), width));
    Value* zero = llvm::ConstantInt::get(a->getType(), 0);
    if (expr.kind() == ExprKind::Shr && expr.dtype().isSigned()) {
        Value* amount = b_.CreateSelect(inside, b, llvm::ConstantInt::get(b->getType(), width - 1));
        return b_.CreateAShr(a, amount);
    }
    Value* amount = b_.CreateSelect(inside, b, llvm::ConstantInt::get(b->getType(), 0));
    Value* shifted = expr.kind() == ExprKind::Shl ? b_.CreateShl(a, amount) : b_.CreateLShr(a, amount);
    return b_.CreateSelect(inside, shifted, zero);
}

bool FunctionEmitter::readsMemory(const Expr& expr) {
    auto it = reads_.find(expr.get());
    if (it != reads_.end())
        return it->second;
    bool found = (expr.kind() == ExprKind::Load && !expr->masked) ||
                 (expr.kind() == ExprKind::Call && expr->intrinsic == Intrinsic::RtCall);
    for (const Expr& arg : expr->args)
        found = found || readsMemory(arg);
    reads_[expr.get()] = found;
    return found;
}

Value* FunctionEmitter::branches(Value* condition, const std::function<Value*()>& a, const std::function<Value*()>& b) {
    llvm::BasicBlock* yes = block("yes");
    llvm::BasicBlock* no = block("no");
    llvm::BasicBlock* merge = block("merge");
    b_.CreateCondBr(condition, yes, no);
    b_.SetInsertPoint(yes);
    memo_.emplace_back();
    Value* first = a();
    memo_.pop_back();
    llvm::BasicBlock* yesEnd = b_.GetInsertBlock();
    b_.CreateBr(merge);
    b_.SetInsertPoint(no);
    memo_.emplace_back();
    Value* second = b();
    memo_.pop_back();
    llvm::BasicBlock* noEnd = b_.GetInsertBlock();
    b_.CreateBr(merge);
    merge->moveAfter(noEnd);
    b_.SetInsertPoint(merge);
    llvm::PHINode* phi = b_.CreatePHI(first->getType(), 2);
    phi->addIncoming(first, yesEnd);
    phi->addIncoming(second, noEnd);
    return phi;
}

/// A side that reads memory runs only if it is chosen: the access may be valid only then (padding is written so).
Value* FunctionEmitter::select(const Expr& condition, const Expr& a, const Expr& b) {
    Value* chosen = value(condition);
    auto mustBranch = [&](const Expr& side) {
        for (const auto& scope : memo_)
            if (scope.contains(side.get()))
                return false;
        return readsMemory(side);
    };
    if (!chosen->getType()->isVectorTy() && (mustBranch(a) || mustBranch(b)))
        return branches(chosen, [&] { return value(a); }, [&] { return value(b); });
    return b_.CreateSelect(chosen, value(a), value(b));
}

/// Horizontal, in a fixed order: halves are combined while the number of lanes is even, the rest in sequence.
Value* FunctionEmitter::reduce(const Expr& expr) {
    DataType type = expr->args[0].dtype();
    Value* v = value(expr->args[0]);
    auto combine = [&](Value* a, Value* b) -> Value* {
        const bool floating = type.isFloat();
        switch (expr->intrinsic) {
        case Intrinsic::ReduceAdd:
            return type.isBool() ? b_.CreateOr(a, b) : floating ? b_.CreateFAdd(a, b) : b_.CreateAdd(a, b);
        case Intrinsic::ReduceMul:
            return type.isBool() ? b_.CreateAnd(a, b) : floating ? b_.CreateFMul(a, b) : b_.CreateMul(a, b);
        default: {
            const bool maximum = expr->intrinsic == Intrinsic::ReduceMax;
            Expr sides = arith::make(maximum ? ExprKind::Max : ExprKind::Min,
                                     {arith::var("a", type.scalar()), arith::var("b", type.scalar())}, type.scalar());
            return minMax(maximum, sides, a, b);
        }
        }
    };
    int lanes = type.lanes;
    for (; lanes > 1 && lanes % 2 == 0; lanes /= 2) {
        std::vector<int> low, high;
        for (int i = 0; i < lanes / 2; ++i) {
            low.push_back(i);
            high.push_back(lanes / 2 + i);
        }
        v = combine(b_.CreateShuffleVector(v, low), b_.CreateShuffleVector(v, high));
    }
    if (!v->getType()->isVectorTy())
        return v;
    Value* result = b_.CreateExtractElement(v, uint64_t{0});
    for (int i = 1; i < lanes; ++i)
        result = combine(result, b_.CreateExtractElement(v, static_cast<uint64_t>(i)));
    return result;
}

Value* FunctionEmitter::lanewise(int lanes, llvm::Type* resultElement, const std::vector<Value*>& args,
                                 const std::function<Value*(const std::vector<Value*>&)>& fn) {
    if (lanes == 1)
        return fn(args);
    Value* result = llvm::PoisonValue::get(llvm::FixedVectorType::get(resultElement, static_cast<unsigned>(lanes)));
    for (int i = 0; i < lanes; ++i) {
        std::vector<Value*> at;
        for (Value* arg : args)
            at.push_back(arg->getType()->isVectorTy() ? b_.CreateExtractElement(arg, static_cast<uint64_t>(i)) : arg);
        result = b_.CreateInsertElement(result, fn(at), static_cast<uint64_t>(i));
    }
    return result;
}

/// base ** exponent, wrapping, by repeated squaring. A negative exponent gives what truncated division of 1 would.
Value* FunctionEmitter::intPow(const Expr& expr) {
    const DataType type = expr.dtype();
    llvm::Type* element = m_.registerType(type.scalar());
    llvm::Constant* one = llvm::ConstantInt::get(element, 1);
    llvm::Constant* zero = llvm::ConstantInt::get(element, 0);
    return lanewise(type.lanes, element, {value(expr->args[0]), value(expr->args[1])},
                    [&](const std::vector<Value*>& args) -> Value* {
                        Value* exponent = b_.CreateIntCast(args[1], element, expr->args[1].dtype().isSigned());
                        llvm::BasicBlock* before = b_.GetInsertBlock();
                        llvm::BasicBlock* loop = block("pow");
                        llvm::BasicBlock* after = block("powered");
                        b_.CreateBr(loop);
                        b_.SetInsertPoint(loop);
                        llvm::PHINode* rest = b_.CreatePHI(element, 2);
                        llvm::PHINode* square = b_.CreatePHI(element, 2);
                        llvm::PHINode* product = b_.CreatePHI(element, 2);
                        Value* odd = b_.CreateICmpNE(b_.CreateAnd(rest, one), zero);
                        Value* multiplied = b_.CreateSelect(odd, b_.CreateMul(product, square), product);
                        Value* halved = b_.CreateLShr(rest, one);
                        Value* squared = b_.CreateMul(square, square);
                        b_.CreateCondBr(b_.CreateICmpNE(halved, zero), loop, after);
                        rest->addIncoming(exponent, before);
                        rest->addIncoming(halved, loop);
                        square->addIncoming(args[0], before);
                        square->addIncoming(squared, loop);
                        product->addIncoming(one, before);
                        product->addIncoming(multiplied, loop);
                        b_.SetInsertPoint(after);
                        if (!expr->args[1].dtype().isSigned())
                            return multiplied;
                        llvm::Constant* minusOne = llvm::ConstantInt::getSigned(element, -1);
                        Value* signedOne =
                            b_.CreateSelect(b_.CreateICmpNE(b_.CreateAnd(exponent, one), zero), minusOne, one);
                        Value* inverse =
                            b_.CreateSelect(b_.CreateICmpEQ(args[0], one), one,
                                            b_.CreateSelect(b_.CreateICmpEQ(args[0], minusOne), signedOne, zero));
                        return b_.CreateSelect(b_.CreateICmpSLT(exponent, zero), inverse, multiplied);
                    });
}

/// arith::randomBits: the finalizer of SplitMix64 over seed and counter, upper half.
Value* FunctionEmitter::randomBits(const Expr& expr) {
    const int lanes = expr.dtype().lanes;
    Value* seed = splat(value(expr->args[0]), lanes);
    Value* counter = splat(value(expr->args[1]), lanes);
    auto number64 = [&](uint64_t v) { return llvm::ConstantInt::get(counter->getType(), v); };
    Value* z = b_.CreateAdd(seed, b_.CreateMul(b_.CreateAdd(counter, number64(1)), number64(0x9e3779b97f4a7c15ull)));
    z = b_.CreateMul(b_.CreateXor(z, b_.CreateLShr(z, number64(30))), number64(0xbf58476d1ce4e5b9ull));
    z = b_.CreateMul(b_.CreateXor(z, b_.CreateLShr(z, number64(27))), number64(0x94d049bb133111ebull));
    z = b_.CreateXor(z, b_.CreateLShr(z, number64(31)));
    return b_.CreateTrunc(b_.CreateLShr(z, number64(32)), m_.registerType(expr.dtype()));
}

} // namespace lathe::codegen
