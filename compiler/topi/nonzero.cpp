// SPDX-License-Identifier: Apache-2.0
//
// Operators that keep what a condition selects: a first kernel counts (and for Compress notes positions), a second
// fills.
#include "topi/expressions.h"
#include "topi/families.h"
#include "topi/loops.h"

namespace lathe::topi {

namespace {

Expr nonZero(const Expr& value) {
    return value.dtype().isBool() ? value : arith::ne(widen(value), number(0, computeType(value.dtype())));
}

} // namespace

DynamicKernel buildNonZero(const std::string& name, const CallContext& call) {
    const KernelBuffers buffers(call);
    const Loops l(call.origin);
    const BufferPtr &x = buffers.args[0], &y = buffers.results[0];
    const BufferPtr sizes = sizesBuffer(call);
    const Cell count("count", types::Int64);
    const auto forEach = [&](const std::function<Stmt(const std::vector<Var>&)>& found) {
        const Stmt scan = l.nest("i", x->shape, [&](const std::vector<Var>& i) {
            return l.when(nonZero(load(x, asIndices(i))), l.all({found(i), l.increment(count)}));
        });
        return l.all({l.set(count, int64(0)), scan});
    };
    const Stmt measure = l.with(
        {count}, l.all({forEach([](const std::vector<Var>&) { return nullptr; }), storeSize(l, sizes, count())}));
    const Stmt fill = l.with({count}, forEach([&](const std::vector<Var>& i) {
                                 std::vector<Stmt> stores;
                                 for (size_t d = 0; d < i.size(); ++d)
                                     stores.push_back(l.store(y, {static_cast<int64_t>(d), toIndex(count())},
                                                              arith::cast(i[d], types::Int64)));
                                 return l.all(std::move(stores));
                             }));
    return buffers.dynamic(name, sizes, {}, measure, fill);
}

DynamicKernel buildCompress(const std::string& name, const CallContext& call) {
    const int64_t axis = relay::attrs<relay::AxisAttrs>(call.attrs).axis;
    const KernelBuffers buffers(call);
    const Loops l(call.origin);
    const BufferPtr &x = buffers.args[0], &condition = buffers.args[1], &y = buffers.results[0];
    const BufferPtr sizes = sizesBuffer(call);
    const Expr available = axis < 0 ? product(x->shape) : x->shape[static_cast<size_t>(axis)];
    const Expr entries = arith::min(condition->shape[0], available);
    const BufferPtr kept = tir::makeBuffer("kept", types::Int64, {condition->shape[0]});
    const Cell count("count", types::Int64);
    const Stmt scan = l.loop("i", entries, [&](const Var& i) {
        const Stmt note = l.all({l.store(kept, {toIndex(count())}, arith::cast(i, types::Int64)), l.increment(count)});
        return l.when(load(condition, {i}), note);
    });
    const Stmt measure = l.with({count}, l.all({l.set(count, int64(0)), scan, storeSize(l, sizes, count())}));
    const Stmt fill = l.nest("i", y->shape, [&](const std::vector<Var>& i) {
        const size_t d = axis < 0 ? 0 : static_cast<size_t>(axis);
        const Expr from = toIndex(load(kept, {i[d]}));
        Indices at = asIndices(i);
        at[d] = from;
        return l.store(y, asIndices(i), load(x, axis < 0 ? unflatten(from, x->shape) : at));
    });
    return buffers.dynamic(name, sizes, {kept}, measure, fill);
}

} // namespace lathe::topi
