// SPDX-License-Identifier: Apache-2.0
//
// See unroll_loops.h.
#include "tir/transform/unroll_loops.h"

#include "tir/structure.h"
#include "tir/transform/copy.h"
#include "tir/transform/simplify.h"
#include "tir/visit.h"

namespace lathe::tir {
namespace {

class Unrolling : public Mutator {
public:
    using Mutator::mutate;
    Stmt mutate(const Stmt& stmt) override {
        Stmt inner = descend(stmt);
        const For* loop = inner ? inner->as<For>() : nullptr;
        if (!loop || loop->kind != ForKind::Unrolled)
            return inner;
        std::optional<int64_t> extent = arith::asInt(loop->extent);
        if (!extent || unrolledSize(loop->body) * std::max<int64_t>(*extent, 1) > unrollLimit) {
            For serial = *loop;
            serial.kind = ForKind::Serial;
            return makeStmt(std::move(serial), inner->origin);
        }
        std::vector<Stmt> iterations;
        for (int64_t i = 0; i < *extent; ++i)
            iterations.push_back(copyOf(loop->body, {{loop->var.get(), arith::simplify(loop->min + Expr(i))}}));
        return seq(std::move(iterations), inner->origin);
    }
};

} // namespace

PrimFuncPtr unrollLoops(const PrimFuncPtr& function, const Checkpoint& checkpoint) {
    return withBody(function, simplifyStmt(Unrolling().mutate(function->body), {}, checkpoint));
}

} // namespace lathe::tir
