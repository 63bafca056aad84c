// SPDX-License-Identifier: Apache-2.0
//
// See lower_blocks.h. One bottom-up rewrite; nested blocks are lowered before the block around them substitutes.
#include "tir/transform/lower_blocks.h"

#include "arith/analysis.h"
#include "tir/structure.h"
#include "tir/visit.h"

namespace lathe::tir {
namespace {

class Lowering : public Mutator {
public:
    using Mutator::mutate;
    Stmt mutate(const Stmt& stmt) override {
        Stmt inner = descend(stmt);
        const Block* block = inner ? inner->as<Block>() : nullptr;
        if (!block)
            return inner;
        const int origin = inner->origin;
        arith::VarMap map;
        Expr first;
        for (const IterVar& iter : block->iters) {
            Expr binding = arith::simplify(iter.binding);
            map[iter.var.get()] = binding;
            if (iter.kind == IterKind::Reduce) {
                Expr atZero = arith::eq(binding, arith::zero(binding.dtype()));
                first = first ? arith::logicalAnd(first, atZero) : atZero;
            }
        }
        std::vector<Stmt> stmts;
        if (block->init) {
            Stmt init = substitute(block->init, map);
            stmts.push_back(first ? makeStmt(If{first, init, nullptr}, origin) : init);
        }
        stmts.push_back(substitute(block->body, map));
        Stmt result = seq(std::move(stmts), origin);
        if (block->predicate && !arith::isConst(block->predicate, 1))
            result = makeStmt(If{block->predicate, result, nullptr}, origin);
        return result;
    }
};

} // namespace

PrimFuncPtr lowerBlocks(const PrimFuncPtr& function) {
    return withBody(function, Lowering().mutate(function->body));
}

} // namespace lathe::tir
