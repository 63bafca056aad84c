// SPDX-License-Identifier: Apache-2.0
#include "tir/transform/move_tile.h"

#include "arith/analysis.h"
#include "tir/visit.h"

#include <algorithm>
#include <unordered_set>

namespace lathe::tir {
namespace {

class Move : public Mutator {
public:
    Move(const Var& tile, int64_t rows, const Expr& start) : tile_(tile), rows_(rows), start_(start) {}

    bool failed = false;

    using Mutator::mutate;
    Expr mutate(const Expr& expr) override {
        if (failed || !expr || !arith::mentions(expr, tile_))
            return expr;
        if (expr.kind() == arith::ExprKind::Mul && expr.dtype() == types::Index)
            return product(expr);
        if (expr->args.empty()) { // the tile itself
            failed = true;
            return expr;
        }
        std::vector<Expr> args;
        for (const Expr& arg : expr->args)
            args.push_back(mutate(arg));
        return arith::withArgs(expr, std::move(args));
    }

private:
    const Var& tile_;
    int64_t rows_;
    const Expr& start_;

    Expr product(const Expr& expr) {
        int64_t scale = 1;
        std::vector<Expr> factors;
        addFactors(expr, scale, factors);
        Expr result = start_;
        bool found = false;
        for (const Expr& factor : factors) {
            if (tile_.same(factor) && !found)
                found = true;
            else
                result = result * mutate(factor);
        }
        failed |= !found || scale % rows_ != 0;
        return failed ? expr : arith::simplify(result * Expr(scale / rows_));
    }

    void addFactors(const Expr& expr, int64_t& scale, std::vector<Expr>& factors) const {
        if (expr.kind() == arith::ExprKind::Mul) {
            addFactors(expr->args[0], scale, factors);
            addFactors(expr->args[1], scale, factors);
        } else if (const std::optional<int64_t> value = arith::asInt(expr)) {
            scale *= *value;
        } else {
            factors.push_back(expr);
        }
    }
};

/// Whether running it elsewhere, and again, leaves the right memory: it reads nothing that it stores outside of its own
/// buffers, and stores there where `tile` says.
bool isRepeatable(const Stmt& body, const Var& tile) {
    std::unordered_set<const arith::Storage*> own, stored, loaded;
    std::unordered_set<const arith::ExprNode*> places = {tile.get()}; // and what is computed from it
    const auto placed = [&](const Expr& index) {
        return std::ranges::any_of(arith::freeVars(index), [&](const Var& var) { return places.contains(var.get()); });
    };
    bool plain = true;
    visitStmts(body, [&](const Stmt& stmt) {
        if (const Allocate* allocate = stmt->as<Allocate>())
            own.insert(allocate->buffer.get());
        if (const Let* let = stmt->as<Let>(); let && placed(let->value))
            places.insert(let->var.get());
        if (const Store* store = stmt->as<Store>()) {
            stored.insert(store->buffer.get());
            plain &= own.contains(store->buffer.get()) ||
                     std::ranges::any_of(store->indices, [&](const Expr& index) { return placed(index); });
        }
        plain &= !stmt->as<While>() && !stmt->as<Check>() && !stmt->as<Evaluate>() && !stmt->as<CallKernel>() &&
                 !stmt->as<BindBuffer>();
        return plain;
    });
    visitExprs(body, [&](const Expr& root) {
        arith::visit(root, [&](const Expr& e) {
            if (e.kind() == arith::ExprKind::Load)
                loaded.insert(e->storage.get());
            return true;
        });
    });
    for (const arith::Storage* buffer : stored)
        plain &= own.contains(buffer) || !loaded.contains(buffer);
    return plain;
}

} // namespace

std::optional<Stmt> movedTile(const Stmt& body, const Var& tile, int64_t rows, const Expr& start) {
    if (!isRepeatable(body, tile))
        return std::nullopt;
    Move move(tile, rows, start);
    Stmt result = move.mutate(body);
    return move.failed ? std::nullopt : std::optional<Stmt>(std::move(result));
}

} // namespace lathe::tir
