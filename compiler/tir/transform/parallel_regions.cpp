// SPDX-License-Identifier: Apache-2.0
//
// See parallel_regions.h. Top-down, with what is in scope: the number of chunks is said in terms of it.
#include "tir/transform/parallel_regions.h"

#include "arith/analysis.h"
#include "tir/structure.h"
#include "tir/transform/loop_facts.h"
#include "tir/visit.h"

#include <unordered_set>

namespace lathe::tir {
namespace {

using Names = std::unordered_set<const arith::ExprNode*>; // variables in scope

constexpr int64_t unknownExtent = 16;

/// Work of a statement in units of one vector instruction, over the variables in scope; others give way to bounds.
class WorkEstimate {
public:
    WorkEstimate(const Names& scope, const arith::Facts& facts) : scope_(scope), facts_(facts) {}

    Expr of(const Stmt& stmt) {
        if (!stmt)
            return Expr(0);
        if (const auto* loop = stmt->as<For>()) {
            bindLoop(facts_, *loop);
            Expr times = iterations(loop->extent);
            if (loop->kind == ForKind::Vectorized) // asked for earlier than the pass
                times = arith::ceilDiv(times, Expr(8));
            return arith::simplify(Expr(1) + times * of(loop->body));
        }
        if (const auto* block = stmt->as<Block>())
            return of(block->body);
        if (const auto* loop = stmt->as<While>())
            return arith::simplify(Expr(unknownExtent) * of(loop->body));
        int64_t here = 0;
        for (const Expr& e : exprsOf(*stmt))
            if (e)
                here += cost(e);
        Expr total(here);
        if (const auto* branch = stmt->as<If>())
            return arith::simplify(total + arith::max(of(branch->thenCase), of(branch->elseCase)));
        for (const Stmt& child : childrenOf(*stmt))
            total = total + of(child);
        return arith::simplify(total);
    }

private:
    const Names& scope_;
    arith::Facts facts_;

    Expr iterations(const Expr& extent) {
        for (const Var& var : arith::freeVars(extent))
            if (!scope_.contains(var.get())) {
                const int64_t upper = arith::bounds(extent, facts_).upper;
                return Expr(upper < (1 << 20) ? std::max<int64_t>(upper, 0) : unknownExtent);
            }
        return readsMemory(extent) ? Expr(unknownExtent) : arith::max(extent, Expr(0));
    }

    static int64_t cost(const Expr& root) {
        int64_t total = 0;
        arith::visit(root, [&](const Expr& e) {
            if (e.kind() == arith::ExprKind::IntImm || e.kind() == arith::ExprKind::FloatImm ||
                e.kind() == arith::ExprKind::Var)
                return false;
            if (e.kind() == arith::ExprKind::Call && e->intrinsic == arith::Intrinsic::Prefetch) {
                ++total;
                return false;
            }
            const int64_t vectors = std::max<int64_t>(1, int64_t{e.dtype().lanes} * e.dtype().bits / 256);
            total += e.kind() == arith::ExprKind::Call ? 16 * vectors : vectors;
            return true;
        });
        return total;
    }
};

class Chunking : public Mutator {
public:
    explicit Chunking(const PrimFunc& function) {
        for (const Param& param : function.params)
            if (!param.buffer)
                scope_.insert(param.scalar.get());
    }

    using Mutator::mutate;
    Stmt mutate(const Stmt& stmt) override {
        if (!stmt)
            return stmt;
        if (const auto* let = stmt->as<Let>())
            return within(let->var, stmt);
        const auto* loop = stmt->as<For>();
        if (!loop)
            return descend(stmt);
        if (loop->kind == ForKind::Parallel)
            return inRegion_ ? serial(*loop, stmt->origin) : region(*loop, stmt->origin);
        bindLoop(facts_, *loop);
        return within(loop->var, stmt);
    }

private:
    Names scope_;
    arith::Facts facts_;
    bool inRegion_ = false;

    Stmt within(const Var& var, const Stmt& stmt) {
        scope_.insert(var.get());
        Stmt result = descend(stmt);
        scope_.erase(var.get());
        return result;
    }

    Stmt serial(const For& loop, int origin) {
        For result = loop;
        result.kind = ForKind::Serial;
        result.grain = parallelGrain;
        result.body = mutate(loop.body);
        return makeStmt(std::move(result), origin);
    }

    Stmt region(const For& loop, int origin) {
        const Expr work = arith::max(WorkEstimate(scope_, facts_).of(loop.body), Expr(1));
        const Expr total = arith::simplify(work * loop.extent, facts_);
        const Expr worth = arith::min(arith::floorDiv(total, Expr(loop.grain)), Expr(parallelChunks));
        const Expr chunks =
            arith::simplify(arith::min(arith::max(worth, Expr(1)), arith::max(loop.extent, Expr(1))), facts_);
        if (arith::bounds(chunks, facts_).upper <= 1)
            return serial(loop, origin);

        inRegion_ = true;
        For inner = loop;
        inner.kind = ForKind::Serial;
        inner.grain = parallelGrain;
        inner.body = mutate(loop.body);
        inRegion_ = false;

        // Both are used in each chunk: names, so that they are computed once and before any of them runs.
        std::vector<Let> lets;
        const auto named = [&](const char* what, const Expr& value) -> Expr {
            if (arith::isConst(value) || value.kind() == arith::ExprKind::Var)
                return value;
            const Var name = arith::var(loop.var->name + what, value.dtype());
            lets.push_back({name, value, nullptr});
            return name;
        };
        const Expr extent = named("_extent", loop.extent), count = named("_chunks", chunks);
        const Var chunk = arith::var(loop.var->name + "_chunk", loop.var.dtype());
        const Expr begin = arith::floorDiv(chunk * extent, count);
        inner.min = arith::simplify(loop.min + begin);
        inner.extent = arith::simplify(arith::floorDiv((chunk + Expr(1)) * extent, count) - begin);
        Stmt result =
            makeStmt(For{chunk, Expr(0), count, ForKind::Parallel, makeStmt(std::move(inner), origin)}, origin);
        for (auto let = lets.rbegin(); let != lets.rend(); ++let)
            result = makeStmt(Let{let->var, let->value, result}, origin);
        return result;
    }
};

} // namespace

std::optional<int64_t> chunksOf(const For& loop, int64_t grain) {
    const Names none;
    const auto work = arith::asInt(WorkEstimate(none, {}).of(loop.body)), extent = arith::asInt(loop.extent);
    int64_t total = 0;
    if (!work || !extent || __builtin_mul_overflow(*work, *extent, &total))
        return std::nullopt;
    return std::max<int64_t>(1, std::min({total / grain, parallelChunks, *extent}));
}

PrimFuncPtr parallelRegions(const PrimFuncPtr& function) {
    return withBody(function, Chunking(*function).mutate(function->body));
}

} // namespace lathe::tir
