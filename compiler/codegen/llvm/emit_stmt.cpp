// SPDX-License-Identifier: Apache-2.0
//
// Statements. Lets, bindings and allocations in tail position are followed in a loop, so that a model's entry, which is
// one long chain of them, does not recurse over its length. Loops test at the bottom.
#include "abi/abi.h"
#include "codegen/llvm/emitter.h"
#include "tir/transform/flatten_buffers.h"
#include "tir/transform/loop_facts.h"

#include <algorithm>
#include <llvm/IR/MDBuilder.h>

namespace lathe::codegen {

FunctionEmitter::FunctionEmitter(ModuleEmitter& module, llvm::Function* function, bool inParallel)
    : m_(module), f_(function), b_(llvm::BasicBlock::Create(module.context, "entry", function)),
      inParallel_(inParallel) {
    b_.setFastMathFlags(module.floats);
    exec = function->arg_empty() ? nullptr : function->getArg(0);
    // Instructions before the first statement (arguments, the closure) need a location too: calls are verified for it.
    b_.SetCurrentDebugLocation(llvm::DILocation::get(module.context, 0, 0, function->getSubprogram()));
}

void FunctionEmitter::finish() {
    b_.CreateRet(b_.getInt32(0));
}

llvm::BasicBlock* FunctionEmitter::block(const char* name) {
    return llvm::BasicBlock::Create(m_.context, name, f_);
}

Value* FunctionEmitter::alloca(llvm::Type* type) {
    llvm::BasicBlock& entry = f_->getEntryBlock();
    llvm::IRBuilder<> at(&entry, entry.begin());
    llvm::AllocaInst* memory = at.CreateAlloca(type);
    memory->setAlignment(llvm::Align(64));
    return memory;
}

void FunctionEmitter::emit(const tir::Stmt& root) {
    const tir::StmtNode* stmt = root.get();
    int origin = stmt ? stmt->origin : -1;
    while (stmt) {
        if (stmt->origin >= 0)
            origin = stmt->origin;
        if (const auto* node = stmt->as<tir::Seq>()) {
            if (node->stmts.empty())
                return;
            const auto isStore = [](const tir::Stmt& each) { return each && each->as<tir::Store>(); };
            auto next = node->stmts.begin();
            while (node->stmts.end() - next > 1) {
                const auto run = std::find_if_not(next, node->stmts.end(), isStore);
                if (run - next > 1) {
                    prepareLoads({next, run});
                    for (; next != run; ++next) {
                        pickFromStretches((*next)->as<tir::Store>()->value);
                        emit(*next);
                    }
                    loaded_.clear();
                    stretches_.clear();
                    stretchOf_.clear();
                } else {
                    emit(*next++);
                }
            }
            if (next == node->stmts.end())
                return;
            stmt = next->get();
            continue;
        }
        b_.SetCurrentDebugLocation(m_.locationOf(*stmt, origin, f_));
        if (const auto* node = stmt->as<tir::Let>()) {
            vars[node->var.get()] = value(node->value);
            stmt = node->body.get();
        } else if (const auto* node = stmt->as<tir::BindBuffer>()) {
            addresses[node->buffer.get()] = value(node->address);
            stmt = node->body.get();
        } else if (const auto* node = stmt->as<tir::Allocate>()) {
            emitAllocate(*node->buffer);
            stmt = node->body.get();
        } else {
            if (const auto* node = stmt->as<tir::Store>())
                store(*node);
            else if (const auto* node = stmt->as<tir::For>())
                emitFor(*node, origin);
            else if (const auto* node = stmt->as<tir::If>())
                emitIf(*node);
            else if (const auto* node = stmt->as<tir::While>())
                emitWhile(*node);
            else if (const auto* node = stmt->as<tir::Check>())
                emitCheck(*node);
            else if (const auto* node = stmt->as<tir::Evaluate>())
                value(node->value);
            else if (const auto* node = stmt->as<tir::CallKernel>())
                emitCall(*node);
            else
                internalError(__FILE__, __LINE__, "lowered", "a block reached code generation in " + m_.function.name);
            return;
        }
    }
}

void FunctionEmitter::emitFor(const tir::For& loop, int) {
    tir::bindLoop(facts, loop);
    if (arith::isConst(loop.extent, 1)) {
        vars[loop.var.get()] = value(loop.min);
        emit(loop.body);
        return;
    }
    if (loop.kind == tir::ForKind::Parallel && !inParallel_) {
        emitParallel(loop);
        return;
    }
    emitLoop(loop.var, value(loop.min), value(loop.extent), loop.body);
}

void FunctionEmitter::emitLoop(const arith::Var& var, Value* min, Value* extent, const tir::Stmt& body) {
    llvm::BasicBlock* loop = block("loop");
    llvm::BasicBlock* after = block("done");
    llvm::Type* type = min->getType();
    Value* end = b_.CreateNSWAdd(min, extent);
    Value* any = b_.CreateICmpSGT(extent, llvm::ConstantInt::get(type, 0));
    b_.CreateCondBr(any, loop, after);
    llvm::BasicBlock* before = b_.GetInsertBlock();
    llvm::DebugLoc location = b_.getCurrentDebugLocation();

    b_.SetInsertPoint(loop);
    llvm::PHINode* iv = b_.CreatePHI(type, 2, var->name);
    iv->addIncoming(min, before);
    vars[var.get()] = iv;
    emit(body);
    b_.SetCurrentDebugLocation(location);
    Value* next = b_.CreateNSWAdd(iv, llvm::ConstantInt::get(type, 1));
    iv->addIncoming(next, b_.GetInsertBlock());
    b_.CreateCondBr(b_.CreateICmpSLT(next, end), loop, after);
    after->moveAfter(b_.GetInsertBlock());
    b_.SetInsertPoint(after);
}

void FunctionEmitter::emitIf(const tir::If& node) {
    Value* condition = value(node.condition);
    llvm::BasicBlock* yes = block("then");
    llvm::BasicBlock* no = node.elseCase ? block("else") : nullptr;
    llvm::BasicBlock* after = block("endif");
    b_.CreateCondBr(condition, yes, no ? no : after);
    arith::Facts saved = facts;
    tir::assume(facts, node.condition);
    b_.SetInsertPoint(yes);
    emit(node.thenCase);
    b_.CreateBr(after);
    facts = std::move(saved);
    if (no) {
        b_.SetInsertPoint(no);
        emit(node.elseCase);
        b_.CreateBr(after);
    }
    after->moveAfter(b_.GetInsertBlock());
    b_.SetInsertPoint(after);
}

void FunctionEmitter::emitWhile(const tir::While& node) {
    llvm::BasicBlock* test = block("while");
    llvm::BasicBlock* body = block("do");
    llvm::BasicBlock* after = block("done");
    b_.CreateBr(test);
    b_.SetInsertPoint(test);
    b_.CreateCondBr(value(node.condition), body, after);
    b_.SetInsertPoint(body);
    emit(node.body);
    b_.CreateBr(test);
    after->moveAfter(b_.GetInsertBlock());
    b_.SetInsertPoint(after);
}

/// Leaves the function with `status` where the condition holds; in an entry after noting which call it was, unless it is of a
/// function that has done so itself.
void FunctionEmitter::fail(Value* condition, std::optional<int32_t> call, Value* status) {
    llvm::BasicBlock* failed = block("failed");
    llvm::BasicBlock* good = block("good");
    b_.CreateCondBr(condition, failed, good, llvm::MDBuilder(m_.context).createBranchWeights(1, 1 << 20));
    b_.SetInsertPoint(failed);
    if (m_.function.isEntry && !inParallel_ && call) {
        runtimeCall(LATHE_FN_FAIL, {b_.getInt32(static_cast<uint32_t>(*call)), status});
        b_.CreateRet(b_.getInt32(1));
    } else {
        b_.CreateRet(status);
    }
    b_.SetInsertPoint(good);
}

void FunctionEmitter::emitCheck(const tir::Check& check) {
    LATHE_ASSERT(check.ordinal >= 0, "checks of " + m_.function.name + " are not numbered");
    Value* wrong = b_.CreateNot(value(check.condition));
    fail(wrong, -1, b_.getInt32(static_cast<uint32_t>(check.ordinal) + 1));
}

void FunctionEmitter::emitCall(const tir::CallKernel& call) {
    std::vector<Value*> args{exec};
    std::vector<llvm::Type*> types{exec->getType()};
    for (const Expr& arg : call.args) {
        Value* passed = arg.kind() == ExprKind::Load ? addressOf(arg) : toStorage(value(arg), arg.dtype());
        args.push_back(passed);
        types.push_back(passed->getType());
    }
    auto callee = m_.module.getOrInsertFunction(call.callee, llvm::FunctionType::get(b_.getInt32Ty(), types, false));
    const bool isKernel = call.callId >= 0;
    Value* id = b_.getInt32(static_cast<uint32_t>(call.callId));
    if (isKernel)
        runtimeCall(LATHE_FN_PROFILE, {id, b_.getInt32(0)});
    llvm::CallInst* status = b_.CreateCall(callee, args);
    status->setDoesNotThrow();
    if (isKernel)
        runtimeCall(LATHE_FN_PROFILE, {id, b_.getInt32(1)});
    fail(b_.CreateICmpNE(status, b_.getInt32(0)), isKernel ? std::optional(call.callId) : std::nullopt, status);
}

void FunctionEmitter::emitAllocate(const tir::Buffer& buffer) {
    std::optional<int64_t> elements = arith::asInt(tir::flatExtent(buffer));
    LATHE_ASSERT(elements && buffer.scope != tir::Scope::Workspace,
                 "buffer " + buffer.name + " has no place: flatten buffers places workspace and unbounded sizes");
    auto count = static_cast<uint64_t>(std::max<int64_t>(*elements, 1));
    addresses[&buffer] = alloca(llvm::ArrayType::get(m_.storageType(buffer.dtype.scalar()), count));
}

} // namespace lathe::codegen
