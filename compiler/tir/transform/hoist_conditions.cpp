// SPDX-License-Identifier: Apache-2.0
//
// See hoist_conditions.h. Bottom-up, so a condition climbs out of all loops that it does not depend on.
#include "tir/transform/hoist_conditions.h"

#include "tir/structure.h"
#include "tir/transform/copy.h"
#include "tir/transform/loop_facts.h"
#include "tir/visit.h"

namespace lathe::tir {
namespace {

constexpr int64_t duplicatedStatements = 64; // an else-case makes two loops; larger bodies are left

class Hoisting : public Mutator {
public:
    using Mutator::mutate;
    Stmt mutate(const Stmt& stmt) override {
        Stmt inner = descend(stmt);
        if (!inner)
            return inner;
        if (const For* loop = inner->as<For>())
            return hoist(*loop, inner);
        if (const Let* let = inner->as<Let>())
            return hoist(*let, inner);
        if (const Seq* list = inner->as<Seq>())
            return merge(*list, inner);
        return inner;
    }

private:
    static Stmt hoist(const For& loop, const Stmt& stmt) {
        const If* branch = loop.body->as<If>();
        if (!branch || (branch->elseCase && unrolledSize(loop.body) > duplicatedStatements))
            return stmt;
        std::vector<Expr> outside, inside;
        for (const Expr& part : arith::conjuncts(branch->condition))
            (arith::mentions(part, loop.var) || readsMemory(part) || part.dtype().lanes > 1 ? inside : outside)
                .push_back(part);
        if (outside.empty() || (branch->elseCase && !inside.empty()))
            return stmt;
        For kept = loop;
        kept.body = branch->thenCase;
        if (!inside.empty())
            kept.body = makeStmt(If{arith::conjunction(inside), branch->thenCase, nullptr}, loop.body->origin);
        // A branch in a branch climbs too.
        Stmt thenCase = hoist(kept, makeStmt(kept, stmt->origin)), elseCase;
        if (branch->elseCase) {
            For other = loop;
            other.body = branch->elseCase;
            elseCase = copyOf(hoist(other, makeStmt(other, stmt->origin)));
        }
        return makeStmt(If{arith::conjunction(outside), thenCase, elseCase}, stmt->origin);
    }

    static Stmt hoist(const Let& let, const Stmt& stmt) {
        const If* branch = let.body->as<If>();
        if (!branch || branch->elseCase || arith::mentions(branch->condition, let.var))
            return stmt;
        return makeStmt(
            If{branch->condition, makeStmt(Let{let.var, let.value, branch->thenCase}, stmt->origin), nullptr},
            stmt->origin);
    }

    static Stmt merge(const Seq& list, const Stmt& stmt) {
        std::vector<Stmt> result;
        bool changed = false;
        for (const Stmt& next : list.stmts) {
            const If* b = next->as<If>();
            const If* a = result.empty() ? nullptr : result.back()->as<If>();
            if (a && b && !a->elseCase && !b->elseCase && !readsMemory(a->condition) &&
                arith::structurallyEqual(a->condition, b->condition)) {
                Stmt body = seq({a->thenCase, b->thenCase}, next->origin);
                result.back() = makeStmt(If{a->condition, body, nullptr}, result.back()->origin);
                changed = true;
            } else {
                result.push_back(next);
            }
        }
        return changed ? seq(std::move(result), stmt->origin) : stmt;
    }
};

} // namespace

Stmt hoistConditions(const Stmt& stmt) {
    return Hoisting().mutate(stmt);
}

PrimFuncPtr hoistConditions(const PrimFuncPtr& function) {
    return withBody(function, hoistConditions(function->body));
}

} // namespace lathe::tir
