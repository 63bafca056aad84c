// SPDX-License-Identifier: Apache-2.0
//
// Estimated work of a computation, for the profile, the pass strip and costs: floating-point operations and bytes of
// parameters moved once. Loads in address arithmetic and index operations do not count; a fused multiply-add is two.
#include "arith/analysis.h"
#include "lower/lower.h"
#include "tir/visit.h"

#include <algorithm>

namespace lathe::lower {

int64_t operationsOf(const Expr& expr) {
    int64_t count = 0;
    arith::visit(expr, [&](const Expr& node) {
        switch (node.kind()) {
        case arith::ExprKind::Load:
            return false; // its indices are addresses
        case arith::ExprKind::Add:
        case arith::ExprKind::Sub:
        case arith::ExprKind::Mul:
        case arith::ExprKind::Div:
        case arith::ExprKind::Min:
        case arith::ExprKind::Max:
        case arith::ExprKind::Call:
            count += node.dtype().isFloat() ? 1 : 0;
            return true;
        default:
            return true;
        }
    });
    return count;
}

namespace {

class Counter {
public:
    explicit Counter(const tir::PrimFunc& function) {
        for (const tir::Param& param : function.params)
            if (!param.buffer)
                known_.push_back(param.scalar);
    }

    /// Of one run of the statement.
    Expr flopsOf(const tir::Stmt& stmt) {
        Expr total = 0;
        tir::visitStmts(stmt, [&](const tir::Stmt& node) {
            if (const auto* loop = node->as<tir::For>()) {
                if (isKnown(loop->extent))
                    total = total + flopsOf(loop->body) * loop->extent;
                return false;
            }
            if (const auto* block = node->as<tir::Block>()) { // its init is not counted
                total = total + flopsOf(block->body);
                return false;
            }
            if (const auto* store = node->as<tir::Store>())
                total = total + operationsOf(store->value);
            return true;
        });
        return total;
    }

private:
    /// Whether an extent is an expression over the function's scalars alone.
    bool isKnown(const Expr& extent) const {
        bool known = true;
        arith::visit(extent, [&](const Expr& node) {
            known &= node.kind() != arith::ExprKind::Load;
            return known;
        });
        for (const arith::Var& var : arith::freeVars(extent))
            known &= std::any_of(known_.begin(), known_.end(), [&](const arith::Var& own) { return own.same(var); });
        return known;
    }

    std::vector<arith::Var> known_;
};

} // namespace

Expr estimateFlops(const tir::PrimFunc& computation) {
    return arith::simplify(Counter(computation).flopsOf(computation.body));
}

Expr estimateBytes(const tir::PrimFunc& computation) {
    Expr total = 0;
    for (const tir::Param& param : computation.params) {
        if (!param.buffer)
            continue;
        Expr bytes = param.buffer->dtype.bytes();
        for (const Expr& dim : param.buffer->shape)
            bytes = bytes * dim;
        total = total + bytes;
    }
    return arith::simplify(total);
}

} // namespace lathe::lower
