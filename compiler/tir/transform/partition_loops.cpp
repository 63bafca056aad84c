// SPDX-License-Identifier: Apache-2.0
//
// See partition_loops.h.
#include "tir/transform/partition_loops.h"

#include "tir/structure.h"
#include "tir/transform/copy.h"
#include "tir/transform/hoist_conditions.h"
#include "tir/transform/loop_bounds.h"
#include "tir/transform/loop_facts.h"
#include "tir/transform/simplify.h"
#include "tir/transform/version_extents.h"
#include "tir/visit.h"

namespace lathe::tir {
namespace {

/// Tightening lets the next loop out become a perfect nest. Loops further out stay as they are: right, but with their
/// conditions.
constexpr int mostTightenings = 4;

constexpr int64_t splitStatements = 2'000; // size of a loop body that is split in two

/// Step 1, bottom-up.
class Tightening : public LoopMutator {
    Stmt rewritten(const For& loop, const Stmt& stmt) override {
        const If* branch = loop.body->as<If>();
        if (!branch || branch->elseCase)
            return stmt;
        For result = loop;
        std::vector<Expr> rest;
        for (const Expr& part : arith::conjuncts(branch->condition)) {
            std::optional<Bound> bound = boundOf(part, loop.var, facts_);
            if (bound && bound->upper) {
                result.extent = arith::min(result.extent, bound->limit - result.min);
            } else if (bound && loop.kind == ForKind::Serial) {
                Expr min = arith::max(result.min, bound->limit);
                result.extent = result.min + result.extent - min;
                result.min = min;
            } else {
                rest.push_back(part);
            }
        }
        result.min = arith::simplify(result.min, facts_);
        result.extent = arith::simplify(result.extent, facts_);
        result.body = rest.empty()
                          ? branch->thenCase
                          : makeStmt(If{arith::conjunction(rest), branch->thenCase, nullptr}, loop.body->origin);
        return makeStmt(std::move(result), stmt->origin);
    }
};

/// Step 3, bottom-up.
class Splitting : public LoopMutator {
    Stmt rewritten(const For& loop, const Stmt& stmt) override { return split(loop, stmt); }

    Stmt split(const For& loop, const Stmt& stmt) {
        const If* branch = loop.kind == ForKind::Serial ? loop.body->as<If>() : nullptr;
        if (!branch || unrolledSize(loop.body) > splitStatements)
            return stmt;
        const Expr end = loop.min + loop.extent;
        Expr at;
        bool upper = true; // the condition holds below `at`, else from there on
        for (const Expr& part : arith::conjuncts(branch->condition)) {
            std::optional<Bound> bound = boundOf(part, loop.var, facts_);
            if (!bound || (at && bound->upper != upper))
                return stmt;
            upper = bound->upper;
            at = !at ? bound->limit : upper ? arith::min(at, bound->limit) : arith::max(at, bound->limit);
        }
        at = arith::simplify(arith::min(arith::max(at, loop.min), end), facts_);
        For below = loop, above = loop;
        below.extent = arith::simplify(at - loop.min, facts_);
        below.body = upper ? branch->thenCase : branch->elseCase;
        above.min = at;
        above.extent = arith::simplify(end - at, facts_);
        above.body = upper ? branch->elseCase : branch->thenCase;
        std::vector<Stmt> both;
        if (below.body)
            both.push_back(split(below, makeStmt(below, stmt->origin)));
        if (above.body)
            both.push_back(copyOf(split(above, makeStmt(above, stmt->origin))));
        return seq(std::move(both), stmt->origin);
    }
};

} // namespace

PrimFuncPtr partitionLoops(const PrimFuncPtr& function, const Checkpoint& checkpoint) {
    Stmt body = hoistConditions(function->body);
    for (int round = 0; round < mostTightenings; ++round) {
        Stmt next = hoistConditions(Tightening().mutate(body));
        if (next == body)
            break;
        body = next;
    }
    body = simplifyStmt(body, {}, checkpoint);
    body = versionExtents(body, checkpoint);
    body = simplifyStmt(body, {}, checkpoint);
    body = Splitting().mutate(body);
    return withBody(function, simplifyStmt(body, {}, checkpoint));
}

} // namespace lathe::tir
