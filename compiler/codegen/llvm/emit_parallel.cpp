// SPDX-License-Identifier: Apache-2.0
//
// Parallel loops. The body becomes an internal function of (closure, chunk, exec) that runs a range of consecutive
// iterations; the closure holds the variables and addresses that the body uses. How many chunks there are follows from
// the extent and an estimate of the work, never from the number of threads, so threads cannot change a result. A region
// too small to pay runs as one chunk, without the runtime (docs/performance.md has the cost of waking threads).
#include "codegen/llvm/emitter.h"
#include "runtime/abi.h"
#include "tir/transform/loop_facts.h"
#include "tir/visit.h"

namespace lathe::codegen {
namespace {

constexpr int64_t grainUnits = 16384; // about 4 us at a quarter of a nanosecond a unit
constexpr int64_t maxChunks = 64;
constexpr int64_t unknownExtent = 16;

/// Work of a statement in units of one vector instruction, over the variables that `known` has; others give way to bounds.
class WorkEstimate {
public:
    WorkEstimate(const std::unordered_map<const arith::ExprNode*, Value*>& known, const arith::Facts& facts)
        : known_(known), facts_(facts) {}

    Expr of(const tir::Stmt& stmt) {
        if (!stmt)
            return Expr(0);
        Expr total(0);
        if (const auto* loop = stmt->as<tir::For>()) {
            tir::bindLoop(facts_, *loop);
            return arith::simplify(Expr(1) + outside(loop->extent) * of(loop->body));
        }
        if (const auto* node = stmt->as<tir::While>())
            return arith::simplify(Expr(unknownExtent) * of(node->body));
        int64_t here = 0;
        for (const Expr& e : tir::exprsOf(*stmt))
            if (e)
                here += cost(e);
        total = Expr(here);
        for (const tir::Stmt& child : tir::childrenOf(*stmt))
            total = total + of(child);
        return arith::simplify(total);
    }

private:
    const std::unordered_map<const arith::ExprNode*, Value*>& known_;
    arith::Facts facts_;

    Expr outside(const Expr& extent) {
        for (const arith::Var& var : arith::freeVars(extent))
            if (!known_.contains(var.get())) {
                int64_t upper = arith::bounds(extent, facts_).upper;
                return Expr(upper < (1 << 20) ? std::max<int64_t>(upper, 0) : unknownExtent);
            }
        bool loads = false;
        arith::visit(extent, [&](const Expr& e) {
            loads = loads || e.kind() == ExprKind::Load;
            return !loads;
        });
        return loads ? Expr(unknownExtent) : arith::max(extent, Expr(0));
    }

    static int64_t cost(const Expr& root) {
        int64_t total = 0;
        arith::visit(root, [&](const Expr& e) {
            if (e.kind() == ExprKind::IntImm || e.kind() == ExprKind::FloatImm || e.kind() == ExprKind::Var)
                return false;
            int64_t vectors = std::max<int64_t>(1, int64_t{e.dtype().lanes} * e.dtype().bits / 256);
            total += e.kind() == ExprKind::Call ? 16 * vectors : vectors;
            return true;
        });
        return total;
    }
};

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
    Value* min = value(loop.min);
    Value* extent = value(loop.extent);
    Expr work = arith::max(WorkEstimate(vars, facts).of(loop.body), Expr(1));
    Expr total = arith::simplify(work * loop.extent, facts);
    Expr pieces = arith::max(arith::min(arith::floorDiv(total, Expr(grainUnits)), Expr(maxChunks)), Expr(1));
    Expr chunkCount = arith::simplify(arith::min(pieces, arith::max(loop.extent, Expr(1))), facts);
    if (arith::isConst(chunkCount, 1) || arith::bounds(chunkCount, facts).upper <= 1) {
        emitLoop(loop.var, min, extent, loop.body);
        return;
    }
    made_.push_back(chunkCount);
    Value* chunks = value(chunkCount);

    Captured captured = capture(loop.body, vars, addresses);
    std::vector<Value*> fields{min, extent, chunks};
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
            inner.vars[captured.vars[i]] = loaded[3 + i];
        for (size_t i = 0; i < captured.buffers.size(); ++i)
            inner.addresses[captured.buffers[i]] = loaded[3 + captured.vars.size() + i];
        Value* chunk = task->getArg(1);
        Value* begin = b.CreateUDiv(b.CreateNUWMul(chunk, loaded[1]), loaded[2]);
        Value* end = b.CreateUDiv(b.CreateNUWMul(b.CreateAdd(chunk, b.getInt64(1)), loaded[1]), loaded[2]);
        inner.emitLoop(loop.var, b.CreateNSWAdd(loaded[0], begin), b.CreateNSWSub(end, begin), loop.body);
        inner.finish();
    }

    Value* single = b_.CreateICmpEQ(chunks, b_.getInt64(1));
    Value* status = branches(
        single, [&] { return b_.CreateCall(task, {closure, b_.getInt64(0), exec}); },
        [&] { return runtimeCall(LATHE_FN_PARALLEL, {task, closure, chunks}); });
    fail(b_.CreateICmpNE(status, b_.getInt32(0)), -1, status);
}

} // namespace lathe::codegen
