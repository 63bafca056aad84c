// SPDX-License-Identifier: Apache-2.0
//
// See vectorize_loops.h.
#include "tir/transform/vectorize_loops.h"

#include "tir/structure.h"
#include "tir/transform/copy.h"
#include "tir/transform/loop_facts.h"
#include "tir/transform/simplify.h"
#include "tir/transform/widen.h"
#include "tir/visit.h"

#include <algorithm>
#include <bit>

namespace lathe::tir {
namespace {

class Vectorizing : public LoopMutator {
public:
    explicit Vectorizing(int64_t lanes) : lanes_(std::clamp(lanes, int64_t{4}, int64_t{16})) {}

private:
    Stmt rewritten(const For& loop, const Stmt& stmt) override {
        if (loop.kind != ForKind::Vectorized)
            return stmt;
        Stmt result = vectorize(loop, stmt->origin);
        if (result)
            return result;
        For serial = loop;
        serial.kind = ForKind::Serial;
        return makeStmt(std::move(serial), stmt->origin);
    }

    Stmt vectorize(const For& loop, int origin) {
        Stmt body = loop.body;
        std::optional<int64_t> extent = arith::asInt(loop.extent);
        if (!extent) { // at most a constant: that many lanes, those beyond masked
            int64_t most = readsMemory(loop.extent) ? 0 : arith::bounds(loop.extent, facts_).upper;
            if (most < 1 || most > 2 * widestVector)
                return nullptr;
            body = makeStmt(If{arith::lt(loop.var, arith::simplify(loop.min + loop.extent, facts_)), body, nullptr},
                            origin);
            extent = most;
        }
        if (*extent < 1 ||
            !lanesIndependent(body, loop.var, static_cast<int>(std::min<int64_t>(*extent, 4096)), facts_))
            return nullptr;
        if (*extent == 1)
            return substitute(body, {{loop.var.get(), loop.min}});
        if (*extent <= lanes_ || (*extent <= widestVector && std::has_single_bit(static_cast<uint64_t>(*extent))))
            return widen(body, loop.var, loop.min, static_cast<int>(*extent), facts_);
        return pieces(loop, body, *extent, origin);
    }

    /// Too many lanes, or a number that LLVM would round up: whole vectors, in a loop if there are many, and the rest.
    Stmt pieces(const For& loop, const Stmt& body, int64_t extent, int origin) {
        const int64_t width = extent > 2 * widestVector ? widestVector : extent > 16 ? 16 : lanes_;
        const int64_t whole = extent / width, rest = extent % width;
        std::vector<Stmt> stmts;
        if (whole > 4) {
            Var piece = arith::var(loop.var->name + "_v");
            For outer{piece, Expr(0), Expr(whole), ForKind::Serial, {}};
            arith::Facts inner = facts_;
            bindLoop(inner, outer);
            outer.body =
                widen(body, loop.var, arith::simplify(loop.min + piece * Expr(width)), static_cast<int>(width), inner);
            if (!outer.body)
                return nullptr;
            stmts.push_back(makeStmt(std::move(outer), origin));
        } else {
            for (int64_t i = 0; i < whole; ++i)
                stmts.push_back(widen(body, loop.var, arith::simplify(loop.min + Expr(i * width)),
                                      static_cast<int>(width), facts_));
        }
        if (rest == 1)
            stmts.push_back(substitute(body, {{loop.var.get(), arith::simplify(loop.min + Expr(whole * width))}}));
        else if (rest > 1)
            stmts.push_back(
                widen(body, loop.var, arith::simplify(loop.min + Expr(whole * width)), static_cast<int>(rest), facts_));
        for (Stmt& s : stmts) {
            if (!s)
                return nullptr;
            s = copyOf(s);
        }
        return seq(std::move(stmts), origin);
    }

    int64_t lanes_;
};

} // namespace

PrimFuncPtr vectorizeLoops(const PrimFuncPtr& function, const Checkpoint& checkpoint, int lanes) {
    return withBody(function, simplifyStmt(Vectorizing(lanes).mutate(function->body), {}, checkpoint));
}

} // namespace lathe::tir
