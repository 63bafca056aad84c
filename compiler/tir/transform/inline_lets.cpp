// SPDX-License-Identifier: Apache-2.0
//
// See inline_lets.h. Top-down, so that a value in which another name was inlined is looked at as it is then.
#include "tir/transform/inline_lets.h"

#include "arith/analysis.h"
#include "tir/structure.h"
#include "tir/transform/loop_facts.h"
#include "tir/visit.h"

namespace lathe::tir {
namespace {

constexpr uint32_t deepestInlined = 16; // deeper index arithmetic is worth its name

class Inlining : public Mutator {
public:
    using Mutator::mutate;

    Expr mutate(const Expr& expr) override { return map_.empty() ? expr : arith::substitute(expr, map_); }

    Stmt mutate(const Stmt& stmt) override {
        const Let* let = stmt ? stmt->as<Let>() : nullptr;
        if (!let)
            return descend(stmt);
        Expr value = mutate(let->value);
        const bool trivial = arith::isConst(value) || value.kind() == arith::ExprKind::Var;
        const bool arithmetic = value.dtype().isIndex() && !readsMemory(value) && value->depth <= deepestInlined;
        if (trivial || arithmetic) {
            map_[let->var.get()] = value;
            return mutate(let->body);
        }
        Stmt body = mutate(let->body);
        return value.same(let->value) && body == let->body ? stmt : makeStmt(Let{let->var, value, body}, stmt->origin);
    }

private:
    arith::VarMap map_;
};

} // namespace

PrimFuncPtr inlineLets(const PrimFuncPtr& function) {
    return withBody(function, Inlining().mutate(function->body));
}

} // namespace lathe::tir
