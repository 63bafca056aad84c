// SPDX-License-Identifier: Apache-2.0
//
// Determinants by LU decomposition with partial pivoting (Golub and Van Loan, Matrix Computations, 3.4), one matrix a
// parallel iteration, in a copy of the operand.
#include "topi/families.h"
#include "topi/loops.h"

namespace lathe::topi {

tir::PrimFuncPtr buildDet(const std::string& name, const CallContext& call) {
    const KernelBuffers buffers(call);
    const Loops l(call.origin);
    const BufferPtr &x = buffers.args[0], &y = buffers.results[0];
    const DataType dtype = computeType(x->dtype);
    const Expr n = x->shape.back();
    const Shape batch(x->shape.begin(), x->shape.end() - 2);
    const BufferPtr lu = tir::makeBuffer("lu", dtype, x->shape, tir::Scope::Workspace);
    const auto body = [&](const std::vector<Var>& b) {
        const auto at = [&](const Expr& row, const Expr& column) {
            Indices indices = asIndices(b);
            indices.push_back(row);
            indices.push_back(column);
            return indices;
        };
        const auto element = [&](const Expr& row, const Expr& column) { return load(lu, at(row, column)); };
        const auto magnitude = [&](const Expr& value) { return arith::call(Intrinsic::Abs, {value}, dtype); };
        const Cell det("det", dtype), pivot("pivot", types::Int64), keep("keep", dtype);
        const Stmt copy = l.nest("c", {n, n}, [&](const std::vector<Var>& c) {
            Indices indices = at(c[0], c[1]);
            return l.store(lu, indices, convert(load(x, indices), dtype));
        });
        const Stmt eliminate = l.loop("k", n, [&](const Var& k) {
            const Stmt search = l.loop("i", n - 1 - k, [&](const Var& i) {
                const Expr row = k + 1 + i;
                return l.when(arith::gt(magnitude(element(row, k)), magnitude(element(toIndex(pivot()), k))),
                              l.set(pivot, arith::cast(row, types::Int64)));
            });
            const Stmt swap =
                l.when(arith::ne(toIndex(pivot()), k),
                       l.all({l.loop("j", n,
                                     [&](const Var& j) {
                                         return l.all({l.set(keep, element(k, j)),
                                                       l.store(lu, at(k, j), element(toIndex(pivot()), j)),
                                                       l.store(lu, at(toIndex(pivot()), j), keep())});
                                     }),
                              l.set(det, arith::zero(dtype) - det())}));
            const Stmt reduceRows = l.loop("i", n - 1 - k, [&](const Var& i) {
                const Expr row = k + 1 + i;
                return l.let("factor", arith::div(element(row, k), element(k, k)), [&](const Var& factor) {
                    return l.loop("j", n - 1 - k, [&](const Var& j) {
                        const Expr column = k + 1 + j;
                        return l.store(lu, at(row, column), element(row, column) - factor * element(k, column));
                    });
                });
            });
            return l.all({l.set(pivot, arith::cast(k, types::Int64)), search, swap, l.set(det, det() * element(k, k)),
                          l.when(arith::ne(element(k, k), arith::zero(dtype)), reduceRows)});
        });
        return l.with({det, pivot, keep}, l.all({l.set(det, arith::one(dtype)), copy, eliminate,
                                                 l.store(y, asIndices(b), convert(det(), y->dtype))}));
    };
    return buffers.kernel(name, l.allocate({lu}, l.nest("b", batch, body, ForKind::Parallel)));
}

} // namespace lathe::topi
