// SPDX-License-Identifier: Apache-2.0
//
// Estimated work of a computation, for the profile, the pass strip and costs: floating-point operations and bytes of
// parameters moved once. Loads in address arithmetic and index operations do not count; a fused multiply-add is two.
#include "lower/lower.h"
#include "tir/visit.h"

namespace lathe::lower {
namespace {

double operations(const Expr& expr) {
    double count = 0;
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

/// Times the statement runs its stores, 0 if a size is not constant.
double flopsOf(const tir::Stmt& stmt, double times) {
    double total = 0;
    tir::visitStmts(stmt, [&](const tir::Stmt& node) {
        if (const auto* loop = node->as<tir::For>()) {
            auto extent = arith::asInt(loop->extent);
            total += extent ? flopsOf(loop->body, times * static_cast<double>(*extent)) : 0;
            return false;
        }
        if (const auto* block = node->as<tir::Block>()) { // its init is not counted
            total += flopsOf(block->body, times);
            return false;
        }
        if (const auto* store = node->as<tir::Store>())
            total += times * operations(store->value);
        return true;
    });
    return total;
}

} // namespace

double estimateFlops(const tir::PrimFunc& computation) {
    return flopsOf(computation.body, 1);
}

double estimateBytes(const tir::PrimFunc& computation) {
    double total = 0;
    for (const tir::Param& param : computation.params) {
        if (!param.buffer)
            continue;
        double bytes = param.buffer->dtype.bytes();
        for (const Expr& dim : param.buffer->shape) {
            auto extent = arith::asInt(dim);
            if (!extent)
                return 0;
            bytes *= static_cast<double>(*extent);
        }
        total += bytes;
    }
    return total;
}

} // namespace lathe::lower
