// SPDX-License-Identifier: Apache-2.0
//
// Slices whose bounds are data. The first kernel normalises the bounds as ONNX's Slice says (negative counts from the
// end, then clamped) and gives the sizes; the second copies.
#include "topi/expressions.h"
#include "topi/families.h"
#include "topi/loops.h"

namespace lathe::topi {

namespace {

struct Bounds {
    Expr begin, size; // int64
};

Bounds normalised(const Expr& start, const Expr& end, const Expr& step, const Expr& dim) {
    const auto fromEnd = [&](const Expr& value) {
        return arith::select(arith::lt(value, int64(0)), value + dim, value);
    };
    const Expr forward = arith::gt(step, int64(0));
    // Forward slices start and end in [0, dim], backward ones start in [0, dim - 1] and end in [-1, dim - 1].
    const Expr last = arith::select(forward, dim, dim - int64(1));
    const Expr begin = clamp(fromEnd(start), int64(0), last);
    const Expr stop = clamp(fromEnd(end), arith::select(forward, int64(0), int64(-1)), last);
    const Expr safeStep = arith::select(arith::eq(step, int64(0)), int64(1), step);
    const Expr count = int64(0) - arith::floorDiv(begin - stop, safeStep);
    const Expr empty = arith::eq(dim, int64(0));
    return {begin, arith::select(empty, int64(0), arith::max(count, int64(0)))};
}

} // namespace

DynamicKernel buildDynamicSlice(const std::string& name, const CallContext& call) {
    const auto& axes = relay::attrs<relay::AxesAttrs>(call.attrs).axes;
    const KernelBuffers buffers(call);
    const Loops l(call.origin);
    const BufferPtr &x = buffers.args[0], &y = buffers.results[0];
    const BufferPtr sizes = sizesBuffer(call);
    const BufferPtr begins = tir::makeBuffer("begins", types::Int64, {static_cast<int64_t>(axes.size())});
    const std::vector<Var> symbols = newSymbols(call);
    const auto stepOf = [&](size_t a) {
        const bool given = buffers.args.size() > 3 && buffers.args[3];
        return given ? convert(load(buffers.args[3], {static_cast<int64_t>(a)}), types::Int64) : int64(1);
    };

    std::vector<Stmt> measure;
    for (size_t a = 0; a < axes.size(); ++a) {
        const size_t d = axisOf(axes[a], x->shape.size());
        const Expr at = static_cast<int64_t>(a);
        const Expr dim = arith::cast(x->shape[d], types::Int64);
        const Bounds bounds = normalised(convert(load(buffers.args[1], {at}), types::Int64),
                                         convert(load(buffers.args[2], {at}), types::Int64), stepOf(a), dim);
        measure.push_back(
            l.check(arith::ne(stepOf(a), int64(0)), tir::CheckKind::InvalidValue, "a slice has a step of 0"));
        measure.push_back(l.store(begins, {at}, bounds.begin));
        for (size_t s = 0; s < symbols.size(); ++s)
            if (y->shape[d].same(symbols[s]))
                measure.push_back(l.store(sizes, {static_cast<int64_t>(s)}, bounds.size));
    }
    const Stmt fill = l.nest(
        "i", y->shape,
        [&](const std::vector<Var>& i) {
            Indices from = asIndices(i);
            for (size_t a = 0; a < axes.size(); ++a) {
                const size_t d = axisOf(axes[a], x->shape.size());
                from[d] = toIndex(load(begins, {static_cast<int64_t>(a)})) + i[d] * toIndex(stepOf(a));
            }
            return l.store(y, asIndices(i), load(x, from));
        },
        ForKind::Parallel);
    return buffers.dynamic(name, sizes, {begins}, l.all(std::move(measure)), fill);
}

} // namespace lathe::topi
