// SPDX-License-Identifier: Apache-2.0
//
// Running sums and products along an axis: one pass a row, rows in parallel. Narrow floats accumulate in float32.
#include "topi/families.h"
#include "topi/loops.h"

namespace lathe::topi {

tir::PrimFuncPtr buildCumSum(const std::string& name, const CallContext& call) {
    const auto& attrs = relay::attrs<relay::CumAttrs>(call.attrs);
    const KernelBuffers buffers(call);
    const Loops l(call.origin);
    const BufferPtr &x = buffers.args[0], &y = buffers.results[0];
    const size_t axis = axisOf(attrs.axis, x->shape.size());
    const DataType dtype = computeType(x->dtype);
    Shape rows = x->shape;
    rows.erase(rows.begin() + static_cast<long>(axis));
    const Stmt body = l.nest(
        "r", rows,
        [&](const std::vector<Var>& row) {
            const Cell total("total", dtype);
            const Stmt scan = l.loop("i", x->shape[axis], [&](const Var& i) {
                Indices at = asIndices(row);
                at.insert(at.begin() + static_cast<long>(axis), attrs.reverse ? x->shape[axis] - 1 - i : Expr(i));
                const Expr element = convert(load(x, at), dtype);
                const Stmt add = l.set(total, attrs.product ? total() * element : total() + element);
                const Stmt put = l.store(y, at, convert(total(), y->dtype));
                return attrs.exclusive ? l.all({put, add}) : l.all({add, put});
            });
            return l.with({total}, l.all({l.set(total, number(attrs.product ? 1 : 0, dtype)), scan}));
        },
        ForKind::Parallel);
    return buffers.kernel(name, body);
}

} // namespace lathe::topi
