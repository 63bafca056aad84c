// SPDX-License-Identifier: Apache-2.0
//
// See copy.h.
#include "tir/transform/copy.h"

#include "tir/visit.h"

namespace lathe::tir {
namespace {

class Copier : public Mutator {
public:
    explicit Copier(arith::VarMap map) : vars_(std::move(map)) {}

    Stmt mutate(const Stmt& stmt) override {
        if (!stmt)
            return stmt;
        const int origin = stmt->origin;
        if (const For* loop = stmt->as<For>()) {
            For copy = *loop;
            copy.min = mutate(loop->min);
            copy.extent = mutate(loop->extent);
            copy.var = fresh(loop->var);
            copy.body = mutate(loop->body);
            return makeStmt(std::move(copy), origin);
        }
        if (const Let* let = stmt->as<Let>()) {
            Expr value = mutate(let->value);
            Var var = fresh(let->var);
            return makeStmt(Let{var, value, mutate(let->body)}, origin);
        }
        if (const Allocate* allocate = stmt->as<Allocate>()) {
            BufferPtr buffer = fresh(allocate->buffer);
            return makeStmt(Allocate{buffer, mutate(allocate->body)}, origin);
        }
        if (const BindBuffer* bind = stmt->as<BindBuffer>()) {
            Expr address = mutate(bind->address);
            BufferPtr buffer = fresh(bind->buffer);
            return makeStmt(BindBuffer{buffer, address, mutate(bind->body)}, origin);
        }
        return descend(stmt);
    }

    Expr mutate(const Expr& expr) override {
        return arith::rewrite(expr, [&](const Expr& e) -> Expr {
            if (e.kind() == arith::ExprKind::Var) {
                auto found = vars_.find(e.get());
                return found == vars_.end() ? e : found->second;
            }
            if (e.kind() != arith::ExprKind::Load)
                return e;
            auto found = buffers_.find(e->storage.get());
            if (found == buffers_.end())
                return e;
            std::vector<Expr> args = e->args;
            if (!e->masked)
                return arith::load(found->second, std::move(args));
            Expr mask = args.back();
            args.pop_back();
            return arith::loadMasked(found->second, std::move(args), mask, e.dtype());
        });
    }

    BufferPtr mutate(const BufferPtr& buffer) override {
        auto found = buffers_.find(buffer.get());
        return found == buffers_.end() ? buffer : found->second;
    }

private:
    arith::VarMap vars_;
    std::unordered_map<const arith::Storage*, BufferPtr> buffers_;

    Var fresh(const Var& var) {
        Var made = arith::var(var->name, var.dtype(), var->lower, var->upper);
        vars_[var.get()] = made;
        return made;
    }

    BufferPtr fresh(const BufferPtr& buffer) {
        auto made = std::make_shared<Buffer>(*buffer);
        for (Expr& dim : made->shape)
            dim = mutate(dim);
        for (Expr& stride : made->strides)
            stride = mutate(stride);
        if (made->offset)
            made->offset = mutate(made->offset);
        buffers_[buffer.get()] = made;
        return made;
    }
};

} // namespace

Stmt copyOf(const Stmt& stmt, arith::VarMap map) {
    return Copier(std::move(map)).mutate(stmt);
}

int64_t unrolledSize(const Stmt& stmt) {
    if (!stmt)
        return 0;
    int64_t size = 1;
    for (const Stmt& child : childrenOf(*stmt))
        size += unrolledSize(child);
    const For* loop = stmt->as<For>();
    if (loop && loop->kind == ForKind::Unrolled)
        size *= std::max<int64_t>(1, arith::asInt(loop->extent).value_or(1));
    return size;
}

bool isNothing(const Stmt& stmt) {
    return !stmt || (stmt->as<Seq>() && stmt->as<Seq>()->stmts.empty());
}

} // namespace lathe::tir
