// SPDX-License-Identifier: Apache-2.0
//
// See remove_no_ops.h. Rounds of one sweep each, until nothing changes: a store that goes may have been a buffer's last
// reader.
#include "tir/transform/remove_no_ops.h"

#include "arith/analysis.h"
#include "tir/transform/copy.h"
#include "tir/transform/loop_facts.h"
#include "tir/visit.h"

#include <unordered_set>

namespace lathe::tir {
namespace {

class Removing : public Mutator {
public:
    explicit Removing(const Stmt& body) {
        auto note = [&](const Expr& root) {
            arith::visit(root, [&](const Expr& e) {
                if (e.kind() == arith::ExprKind::Load)
                    read_.insert(e->storage.get());
                return true;
            });
        };
        visitExprs(body, note);
        visitStmts(body, [&](const Stmt& stmt) {
            if (const Allocate* allocate = stmt->as<Allocate>())
                local_.insert(allocate->buffer.get());
            return true;
        });
    }

    using Mutator::mutate;
    Stmt mutate(const Stmt& stmt) override {
        Stmt inner = descend(stmt);
        if (!inner)
            return inner;
        const int origin = inner->origin;
        if (const For* loop = inner->as<For>())
            return isNothing(loop->body) ? nothing(origin) : inner;
        if (const Let* let = inner->as<Let>())
            return isNothing(let->body) && !hasEffect(let->value) ? nothing(origin) : inner;
        if (const Evaluate* evaluate = inner->as<Evaluate>())
            return hasEffect(evaluate->value) ? inner : nothing(origin);
        if (const Allocate* allocate = inner->as<Allocate>())
            return isNothing(allocate->body) || !read_.contains(allocate->buffer.get()) ? allocate->body : inner;
        if (const If* branch = inner->as<If>()) {
            if (isNothing(branch->thenCase) && isNothing(branch->elseCase))
                return nothing(origin);
            if (isNothing(branch->thenCase))
                return makeStmt(If{negation(branch->condition), branch->elseCase, nullptr}, origin);
            if (branch->elseCase && isNothing(branch->elseCase))
                return makeStmt(If{branch->condition, branch->thenCase, nullptr}, origin);
        }
        if (const Store* store = inner->as<Store>()) {
            const bool unread = local_.contains(store->buffer.get()) && !read_.contains(store->buffer.get());
            if (unread || (store->mask && arith::isConst(store->mask, 0)))
                return nothing(origin);
        }
        return inner;
    }

private:
    std::unordered_set<const arith::Storage*> read_, local_;

    static bool hasEffect(const Expr& expr) {
        bool found = false;
        arith::visit(expr, [&](const Expr& e) {
            found = found || (e.kind() == arith::ExprKind::Call &&
                              (e->intrinsic == arith::Intrinsic::RtCall || e->intrinsic == arith::Intrinsic::Prefetch));
            return !found;
        });
        return found;
    }
};

} // namespace

PrimFuncPtr removeNoOps(const PrimFuncPtr& function) {
    auto result = std::make_shared<PrimFunc>(*function);
    for (int round = 0; round < 4; ++round) {
        Stmt next = Removing(result->body).mutate(result->body);
        if (next == result->body)
            break;
        result->body = next;
    }
    return result;
}

} // namespace lathe::tir
