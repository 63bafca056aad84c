// SPDX-License-Identifier: Apache-2.0
//
// Equality and hashes of PrimFuncs. Vars and buffers correspond by the place where they are declared; those that no
// declaration covers by the order of their first use (up to names) or to themselves alone (identical).
#include "tir/structure.h"

#include "arith/structure.h"
#include "tir/visit.h"

namespace lathe::tir {
namespace {

class Comparer {
public:
    explicit Comparer(bool exact) : exact_(exact), matcher_(exact) {}

    bool equal(const PrimFunc& a, const PrimFunc& b) {
        if (exact_ && a.name != b.name)
            return false;
        if (a.params.size() != b.params.size() || a.outputs != b.outputs || a.isEntry != b.isEntry)
            return false;
        for (size_t i = 0; i < a.params.size(); ++i) {
            const Param& left = a.params[i];
            const Param& right = b.params[i];
            if ((left.buffer == nullptr) != (right.buffer == nullptr))
                return false;
            if (!left.buffer && !matcher_.bindVars(left.scalar, right.scalar))
                return false;
        }
        for (size_t i = 0; i < a.params.size(); ++i)
            if (a.params[i].buffer && !declare(*a.params[i].buffer, *b.params[i].buffer))
                return false;
        return equal(a.body, b.body);
    }

private:
    bool equal(const Expr& a, const Expr& b) { return matcher_.equal(a, b, !exact_); }

    bool equal(const std::vector<Expr>& a, const std::vector<Expr>& b) {
        if (a.size() != b.size())
            return false;
        for (size_t i = 0; i < a.size(); ++i)
            if (!equal(a[i], b[i]))
                return false;
        return true;
    }

    bool declare(const Buffer& a, const Buffer& b) {
        return a.dtype == b.dtype && a.scope == b.scope && a.alignment == b.alignment && equal(a.shape, b.shape) &&
               equal(a.strides, b.strides) && equal(a.offset, b.offset) && matcher_.bindStorages(&a, &b);
    }

    bool equal(const std::vector<Region>& a, const std::vector<Region>& b) {
        if (a.size() != b.size())
            return false;
        for (size_t i = 0; i < a.size(); ++i) {
            if (!matcher_.matches(a[i].buffer.get(), b[i].buffer.get(), !exact_) ||
                a[i].ranges.size() != b[i].ranges.size())
                return false;
            for (size_t j = 0; j < a[i].ranges.size(); ++j)
                if (!equal(a[i].ranges[j].first, b[i].ranges[j].first) ||
                    !equal(a[i].ranges[j].second, b[i].ranges[j].second))
                    return false;
        }
        return true;
    }

    bool equal(Stmt a, Stmt b) {
        while (a && b) {
            if (exact_ && a == b && matcher_.isIdentity())
                return true;
            if (a->value.index() != b->value.index() || (exact_ && a->origin != b->origin))
                return false;
            if (const auto* let = a->as<Let>()) {
                const auto* other = b->as<Let>();
                if (!equal(let->value, other->value) || !matcher_.bindVars(let->var, other->var))
                    return false;
                Stmt next = let->body;
                b = other->body;
                a = std::move(next);
            } else if (const auto* allocate = a->as<Allocate>()) {
                const auto* other = b->as<Allocate>();
                if (!declare(*allocate->buffer, *other->buffer))
                    return false;
                Stmt next = allocate->body;
                b = other->body;
                a = std::move(next);
            } else if (const auto* bind = a->as<BindBuffer>()) {
                const auto* other = b->as<BindBuffer>();
                if (!equal(bind->address, other->address) || !declare(*bind->buffer, *other->buffer))
                    return false;
                Stmt next = bind->body;
                b = other->body;
                a = std::move(next);
            } else {
                return equalOther(*a, *b);
            }
        }
        return !a && !b;
    }

    bool equalOther(const StmtNode& a, const StmtNode& b) {
        if (const auto* loop = a.as<For>()) {
            const auto* other = b.as<For>();
            return loop->kind == other->kind && loop->grain == other->grain && equal(loop->min, other->min) &&
                   equal(loop->extent, other->extent) && matcher_.bindVars(loop->var, other->var) &&
                   equal(loop->body, other->body);
        }
        if (const auto* block = a.as<Block>())
            return equalBlocks(*block, *b.as<Block>());
        if (const auto* store = a.as<Store>()) {
            const auto* other = b.as<Store>();
            return matcher_.matches(store->buffer.get(), other->buffer.get(), !exact_) &&
                   equal(store->indices, other->indices) && equal(store->value, other->value) &&
                   equal(store->mask, other->mask);
        }
        if (const auto* branch = a.as<If>()) {
            const auto* other = b.as<If>();
            return equal(branch->condition, other->condition) && equal(branch->thenCase, other->thenCase) &&
                   equal(branch->elseCase, other->elseCase);
        }
        if (const auto* loop = a.as<While>())
            return equal(loop->condition, b.as<While>()->condition) && equal(loop->body, b.as<While>()->body);
        if (const auto* list = a.as<Seq>()) {
            const auto* other = b.as<Seq>();
            if (list->stmts.size() != other->stmts.size())
                return false;
            for (size_t i = 0; i < list->stmts.size(); ++i)
                if (!equal(list->stmts[i], other->stmts[i]))
                    return false;
            return true;
        }
        if (const auto* check = a.as<Check>()) {
            const auto* other = b.as<Check>();
            return check->kind == other->kind && check->ordinal == other->ordinal && check->message == other->message &&
                   equal(check->condition, other->condition);
        }
        if (const auto* evaluate = a.as<Evaluate>())
            return equal(evaluate->value, b.as<Evaluate>()->value);
        const auto* call = a.as<CallKernel>();
        const auto* other = b.as<CallKernel>();
        return call->callee == other->callee && call->callId == other->callId && equal(call->args, other->args);
    }

    bool equalBlocks(const Block& a, const Block& b) {
        if (a.iters.size() != b.iters.size() || (exact_ && a.name != b.name))
            return false;
        for (size_t i = 0; i < a.iters.size(); ++i)
            if (a.iters[i].kind != b.iters[i].kind || !equal(a.iters[i].extent, b.iters[i].extent) ||
                !equal(a.iters[i].binding, b.iters[i].binding))
                return false;
        if (!equal(a.predicate, b.predicate))
            return false;
        for (size_t i = 0; i < a.iters.size(); ++i)
            if (!matcher_.bindVars(a.iters[i].var, b.iters[i].var))
                return false;
        return equal(a.reads, b.reads) && equal(a.writes, b.writes) && equal(a.init, b.init) && equal(a.body, b.body);
    }

    bool exact_ = false; // names and origins too
    arith::StructuralMatcher matcher_;
};

/// Feeds a function to a Hasher in one fixed order; numbers stand for Vars and buffers.
class FunctionHasher {
public:
    Hash128 hash(const PrimFunc& function) {
        hasher_.add(function.params.size());
        hasher_.add(static_cast<uint64_t>(function.outputs));
        hasher_.add(function.isEntry ? 1 : 0);
        for (const Param& param : function.params) {
            hasher_.add(param.buffer ? 1 : 0);
            if (!param.buffer)
                add(param.scalar);
        }
        for (const Param& param : function.params)
            if (param.buffer)
                declare(*param.buffer);
        add(function.body);
        return hasher_.finish();
    }

private:
    void add(const Expr& expr) {
        hasher_.add(expr ? 1 : 0);
        if (expr)
            arith::hashInto(hasher_, expr, numbering_);
    }

    void add(const std::vector<Expr>& exprs) {
        hasher_.add(exprs.size());
        for (const Expr& expr : exprs)
            add(expr);
    }

    void use(const Buffer& buffer) {
        hasher_.add(
            numbering_.try_emplace(static_cast<const arith::Storage*>(&buffer), numbering_.size()).first->second);
    }

    void declare(const Buffer& buffer) {
        hasher_.add((static_cast<uint64_t>(buffer.dtype.code) << 32) |
                    (static_cast<uint64_t>(buffer.dtype.bits) << 16) | buffer.dtype.lanes);
        hasher_.add((static_cast<uint64_t>(buffer.scope) << 32) | static_cast<uint32_t>(buffer.alignment));
        add(buffer.shape);
        add(buffer.strides);
        add(buffer.offset);
        use(buffer);
    }

    void add(const std::vector<Region>& regions) {
        hasher_.add(regions.size());
        for (const Region& region : regions) {
            use(*region.buffer);
            for (const auto& [start, extent] : region.ranges) {
                add(start);
                add(extent);
            }
        }
    }

    void add(Stmt stmt) {
        while (stmt) {
            hasher_.add(stmt->value.index() + 1);
            if (const auto* let = stmt->as<Let>()) {
                add(let->value);
                add(let->var);
                stmt = Stmt(let->body);
            } else if (const auto* allocate = stmt->as<Allocate>()) {
                declare(*allocate->buffer);
                stmt = Stmt(allocate->body);
            } else if (const auto* bind = stmt->as<BindBuffer>()) {
                add(bind->address);
                declare(*bind->buffer);
                stmt = Stmt(bind->body);
            } else {
                addOther(*stmt);
                return;
            }
        }
        hasher_.add(0);
    }

    void addOther(const StmtNode& stmt) {
        if (const auto* loop = stmt.as<For>()) {
            hasher_.add(static_cast<uint64_t>(loop->kind));
            if (loop->grain != parallelGrain)
                hasher_.add(static_cast<uint64_t>(loop->grain));
            add(loop->min);
            add(loop->extent);
            add(loop->var);
            add(loop->body);
        } else if (const auto* block = stmt.as<Block>()) {
            hasher_.add(block->iters.size());
            for (const IterVar& iter : block->iters) {
                hasher_.add(static_cast<uint64_t>(iter.kind));
                add(iter.extent);
                add(iter.binding);
            }
            add(block->predicate);
            for (const IterVar& iter : block->iters)
                add(iter.var);
            add(block->reads);
            add(block->writes);
            add(block->init);
            add(block->body);
        } else if (const auto* store = stmt.as<Store>()) {
            use(*store->buffer);
            add(store->indices);
            add(store->value);
            add(store->mask);
        } else if (const auto* branch = stmt.as<If>()) {
            add(branch->condition);
            add(branch->thenCase);
            add(branch->elseCase);
        } else if (const auto* whileLoop = stmt.as<While>()) {
            add(whileLoop->condition);
            add(whileLoop->body);
        } else if (const auto* list = stmt.as<Seq>()) {
            hasher_.add(list->stmts.size());
            for (const Stmt& child : list->stmts)
                add(child);
        } else if (const auto* check = stmt.as<Check>()) {
            hasher_.add(static_cast<uint64_t>(check->kind));
            hasher_.add(static_cast<uint64_t>(check->ordinal));
            hasher_.add(std::string_view(check->message));
            add(check->condition);
        } else if (const auto* evaluate = stmt.as<Evaluate>()) {
            add(evaluate->value);
        } else if (const auto* call = stmt.as<CallKernel>()) {
            hasher_.add(std::string_view(call->callee));
            hasher_.add(static_cast<uint64_t>(call->callId));
            add(call->args);
        }
    }

    Hasher hasher_;
    std::unordered_map<const void*, uint64_t> numbering_;
};

} // namespace

bool structurallyEqual(const PrimFunc& a, const PrimFunc& b) {
    return Comparer(false).equal(a, b);
}

bool identical(const PrimFunc& a, const PrimFunc& b) {
    return &a == &b || Comparer(true).equal(a, b);
}

PrimFuncPtr unlessIdentical(const PrimFuncPtr& before, PrimFuncPtr after) {
    return identical(*before, *after) ? before : std::move(after);
}

PrimFuncPtr withBody(const PrimFuncPtr& before, Stmt body) {
    if (body == before->body)
        return before;
    auto after = std::make_shared<PrimFunc>(*before);
    after->body = std::move(body);
    return unlessIdentical(before, std::move(after));
}

Hash128 structuralHash(const PrimFunc& function) {
    return FunctionHasher().hash(function);
}

} // namespace lathe::tir
