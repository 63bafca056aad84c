// SPDX-License-Identifier: Apache-2.0
//
// See simplify.h.
#include "tir/transform/simplify.h"

#include "tir/structure.h"
#include "tir/transform/copy.h"
#include "tir/transform/loop_facts.h"
#include "tir/visit.h"

namespace lathe::tir {
namespace {

class Simplifier : public Mutator {
public:
    Simplifier(arith::Facts facts, const Checkpoint& checkpoint) : facts_(std::move(facts)), checkpoint_(checkpoint) {}

    Expr mutate(const Expr& expr) override { return known().simplify(expr); }

    Stmt mutate(const Stmt& stmt) override {
        if (!stmt)
            return stmt;
        if (checkpoint_)
            checkpoint_();
        if (const For* loop = stmt->as<For>())
            return simplifyFor(*loop, stmt);
        if (const If* branch = stmt->as<If>())
            return simplifyIf(*branch, stmt);
        if (const Let* let = stmt->as<Let>()) {
            Expr value = mutate(let->value);
            if (let->var.dtype().isIndex()) {
                const arith::Interval range = known().bounds(value);
                forget(let->var);
                facts_.bind(let->var, range);
            }
            Stmt body = mutate(let->body);
            if (isNothing(body))
                return nothing(stmt->origin);
            return value.same(let->value) && body == let->body ? stmt
                                                               : makeStmt(Let{let->var, value, body}, stmt->origin);
        }
        if (const Store* store = stmt->as<Store>()) {
            if (store->mask && arith::isConst(mutate(store->mask), 0))
                return nothing(stmt->origin);
        }
        Stmt result = descend(stmt);
        const Allocate* allocate = result->as<Allocate>();
        return allocate && isNothing(allocate->body) ? nothing(stmt->origin) : result;
    }

private:
    arith::Facts facts_;
    std::optional<arith::Analyzer> known_; // of facts_, until another condition holds
    const Checkpoint& checkpoint_;

    arith::Analyzer& known() { return known_ ? *known_ : known_.emplace(facts_); }

    /// A variable that stands side by side twice has another range now; what was concluded from the first is void.
    void forget(const Var& var) {
        if (facts_.ranges.contains(var.get()))
            known_.reset();
    }

    Stmt under(const Expr& condition, const Stmt& stmt) {
        if (!stmt)
            return stmt;
        const arith::Facts saved = facts_;
        assume(facts_, condition);
        known_.reset();
        Stmt result = mutate(stmt);
        facts_ = saved;
        known_.reset();
        return result;
    }

    Stmt simplifyFor(const For& loop, const Stmt& stmt) {
        For result = loop;
        result.min = mutate(loop.min);
        result.extent = mutate(loop.extent);
        arith::Interval extent = known().bounds(result.extent);
        if (extent.upper <= 0)
            return nothing(stmt->origin);
        if (arith::isConst(result.extent, 1))
            return mutate(substitute(loop.body, {{loop.var.get(), result.min}}));
        forget(loop.var);
        bindLoop(facts_, result);
        result.body = mutate(loop.body);
        if (isNothing(result.body))
            return nothing(stmt->origin);
        bool same = result.min.same(loop.min) && result.extent.same(loop.extent) && result.body == loop.body;
        return same ? stmt : makeStmt(std::move(result), stmt->origin);
    }

    Stmt simplifyIf(const If& branch, const Stmt& stmt) {
        std::vector<Expr> parts;
        for (const Expr& part : arith::conjuncts(branch.condition)) {
            Expr simple = mutate(part);
            if (arith::isConst(simple, 0) || known().provablyFalse(simple))
                return branch.elseCase ? mutate(branch.elseCase) : nothing(stmt->origin);
            if (!arith::isConst(simple, 1) && !known().provablyTrue(simple))
                parts.push_back(simple);
        }
        if (parts.empty())
            return mutate(branch.thenCase);
        Expr condition = arith::conjunction(parts);
        Stmt thenCase = under(condition, branch.thenCase);
        Stmt elseCase = parts.size() == 1 ? under(negation(parts[0]), branch.elseCase) : mutate(branch.elseCase);
        if (isNothing(thenCase) && isNothing(elseCase))
            return nothing(stmt->origin);
        if (isNothing(elseCase))
            elseCase = nullptr;
        return makeStmt(If{condition, thenCase, elseCase}, stmt->origin);
    }
};

} // namespace

PrimFuncPtr simplify(const PrimFuncPtr& function, const Checkpoint& checkpoint) {
    return withBody(function, simplifyStmt(function->body, {}, checkpoint));
}

Stmt simplifyStmt(const Stmt& stmt, const arith::Facts& facts, const Checkpoint& checkpoint) {
    return Simplifier(facts, checkpoint).mutate(stmt);
}

} // namespace lathe::tir
