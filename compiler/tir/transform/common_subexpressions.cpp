// SPDX-License-Identifier: Apache-2.0
//
// See common_subexpressions.h. Nodes are found again by a hash of kind, type, value and the identities of their (already
// shared) arguments.
#include "tir/transform/common_subexpressions.h"

#include "arith/analysis.h"
#include "tir/structure.h"
#include "tir/visit.h"

#include <bit>

namespace lathe::tir {
namespace {

class Sharing : public Mutator {
public:
    using Mutator::mutate;

    Stmt mutate(const Stmt& stmt) override {
        if (!stmt)
            return stmt;
        if (!stmt->as<Store>() && !stmt->as<Let>() && !stmt->as<Check>())
            return descend(stmt);
        // The statement's own expressions share one table; what lies below a Let gets its own.
        auto outer = std::exchange(known_, {});
        Stmt result = descend(stmt);
        known_ = std::move(outer);
        return result;
    }

    Expr mutate(const Expr& expr) override {
        return arith::rewrite(expr, [&](const Expr& e) { return shared(e); });
    }

private:
    std::unordered_multimap<uint64_t, Expr> known_;

    static uint64_t hashOf(const Expr& e) {
        Hasher hasher;
        hasher.add(static_cast<uint64_t>(e.kind()));
        hasher.add(static_cast<uint64_t>(e->intrinsic));
        hasher.add(static_cast<uint64_t>(e->intValue));
        hasher.add(std::bit_cast<uint64_t>(e->floatValue));
        hasher.add(reinterpret_cast<uint64_t>(e->storage.get()));
        for (const Expr& arg : e->args)
            hasher.add(reinterpret_cast<uint64_t>(arg.get()));
        return hasher.finish().low;
    }

    static bool equal(const Expr& a, const Expr& b) {
        bool same = a.kind() == b.kind() && a.dtype() == b.dtype() && a->intrinsic == b->intrinsic &&
                    a->masked == b->masked && a->intValue == b->intValue &&
                    std::bit_cast<uint64_t>(a->floatValue) == std::bit_cast<uint64_t>(b->floatValue) &&
                    a->storage == b->storage && a->args.size() == b->args.size();
        for (size_t i = 0; same && i < a->args.size(); ++i)
            same = a->args[i].same(b->args[i]);
        return same;
    }

    Expr shared(const Expr& e) {
        const bool effect = e.kind() == arith::ExprKind::Call && e->intrinsic == arith::Intrinsic::RtCall;
        if (e.kind() == arith::ExprKind::Var || effect)
            return e;
        const uint64_t hash = hashOf(e);
        auto [begin, end] = known_.equal_range(hash);
        for (auto it = begin; it != end; ++it)
            if (equal(it->second, e))
                return it->second;
        known_.emplace(hash, e);
        return e;
    }
};

} // namespace

PrimFuncPtr commonSubexpressions(const PrimFuncPtr& function) {
    return withBody(function, Sharing().mutate(function->body));
}

} // namespace lathe::tir
