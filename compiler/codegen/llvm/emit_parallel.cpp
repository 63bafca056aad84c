// SPDX-License-Identifier: Apache-2.0
//
// Parallel loops: each iteration is a task of the runtime's threads. The body becomes an internal function of (closure,
// task, exec); the closure holds the variables and addresses that the body uses. A loop of one iteration runs in place.
// What an iteration should be is decided before (tir/transform/parallel_regions.h).
#include "abi/abi.h"
#include "codegen/llvm/emitter.h"
#include "tir/visit.h"

namespace lathe::codegen {
namespace {

/// What the body uses of what is in scope, in order of occurrence.
struct Captured {
    std::vector<const arith::ExprNode*> vars;
    std::vector<const arith::Storage*> buffers;
};

Captured capture(const tir::Stmt& body, const std::unordered_map<const arith::ExprNode*, Value*>& vars,
                 const std::unordered_map<const arith::Storage*, Value*>& addresses) {
    Captured captured;
    std::unordered_set<const void*> seen;
    auto buffer = [&](const arith::Storage* storage) {
        if (addresses.contains(storage) && seen.insert(storage).second)
            captured.buffers.push_back(storage);
    };
    auto expr = [&](const Expr& root) {
        arith::visit(root, [&](const Expr& e) {
            if (e.kind() == ExprKind::Var && vars.contains(e.get()) && seen.insert(e.get()).second)
                captured.vars.push_back(e.get());
            if (e.kind() == ExprKind::Load) {
                buffer(e->storage.get());
                const tir::Buffer& read = tir::bufferOf(e);
                for (const Expr& part : read.strides)
                    for (const arith::Var& var : arith::freeVars(part))
                        if (vars.contains(var.get()) && seen.insert(var.get()).second)
                            captured.vars.push_back(var.get());
            }
            return true;
        });
    };
    tir::visitExprs(body, [&](const Expr& e) {
        if (e)
            expr(e);
    });
    tir::visitStmts(body, [&](const tir::Stmt& stmt) {
        if (const auto* store = stmt->as<tir::Store>())
            buffer(store->buffer.get());
        return true;
    });
    return captured;
}

} // namespace

void FunctionEmitter::emitParallel(const tir::For& loop) {
    Captured captured = capture(loop.body, vars, addresses);
    std::vector<Value*> fields{value(loop.min)};
    for (const arith::ExprNode* var : captured.vars)
        fields.push_back(vars.at(var));
    for (const arith::Storage* storage : captured.buffers)
        fields.push_back(addresses.at(storage));
    std::vector<llvm::Type*> types;
    for (Value* field : fields)
        types.push_back(field->getType());
    auto* closureType = llvm::StructType::get(m_.context, types);
    Value* closure = alloca(closureType);
    for (unsigned i = 0; i < fields.size(); ++i)
        b_.CreateStore(fields[i], b_.CreateStructGEP(closureType, closure, i));

    llvm::Type* pointer = b_.getPtrTy();
    llvm::Function* task = m_.makeFunction(m_.function.name + ".parallel" + std::to_string(m_.nextOutlined()),
                                           {pointer, b_.getInt64Ty(), pointer}, true);
    {
        FunctionEmitter inner(m_, task, true);
        inner.exec = task->getArg(2);
        inner.facts = facts;
        llvm::IRBuilder<>& b = inner.builder();
        std::vector<Value*> loaded;
        for (unsigned i = 0; i < types.size(); ++i)
            loaded.push_back(b.CreateLoad(types[i], b.CreateStructGEP(closureType, task->getArg(0), i)));
        for (size_t i = 0; i < captured.vars.size(); ++i)
            inner.vars[captured.vars[i]] = loaded[1 + i];
        for (size_t i = 0; i < captured.buffers.size(); ++i)
            inner.addresses[captured.buffers[i]] = loaded[1 + captured.vars.size() + i];
        inner.vars[loop.var.get()] = b.CreateNSWAdd(loaded[0], task->getArg(1));
        inner.emit(loop.body);
        inner.finish();
    }

    Value* tasks = value(loop.extent);
    Value* single = b_.CreateICmpEQ(tasks, b_.getInt64(1));
    Value* status = branches(
        single, [&] { return b_.CreateCall(task, {closure, b_.getInt64(0), exec}); },
        [&] { return runtimeCall(LATHE_FN_PARALLEL, {task, closure, tasks}); });
    fail(b_.CreateICmpNE(status, b_.getInt32(0)), -1, status);
}

} // namespace lathe::codegen
