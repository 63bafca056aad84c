// SPDX-License-Identifier: Apache-2.0
//
// Non-maximum suppression as ONNX defines it. For each batch and class, in parallel: boxes above the score threshold
// are sorted by score (equal scores: lower index first), then taken greedily unless a taken box overlaps them too much.
// The first kernel does all that and counts; the second writes (batch, class, box) in order.
#include "topi/expressions.h"
#include "topi/families.h"
#include "topi/sort.h"

namespace lathe::topi {

namespace {

/// Corners and area of a box in either format.
struct Box {
    Expr top, left, bottom, right;

    Box(const BufferPtr& boxes, const Expr& batch, const Expr& index, bool center) {
        const auto part = [&](int64_t i) { return convert(load(boxes, {batch, index, i}), types::Float32); };
        if (center) {
            const Expr half = arith::floatImm(0.5, types::Float32);
            const Expr halfWidth = part(2) * half, halfHeight = part(3) * half;
            left = part(0) - halfWidth, right = part(0) + halfWidth;
            top = part(1) - halfHeight, bottom = part(1) + halfHeight;
        } else {
            top = arith::min(part(0), part(2)), bottom = arith::max(part(0), part(2));
            left = arith::min(part(1), part(3)), right = arith::max(part(1), part(3));
        }
    }
    Expr area() const { return (right - left) * (bottom - top); }
};

/// Whether intersection over union exceeds the threshold; boxes without area never do.
Expr overlaps(const Box& a, const Box& b, const Expr& threshold) {
    const Expr zero = arith::zero(types::Float32);
    const Expr width = arith::min(a.right, b.right) - arith::max(a.left, b.left);
    const Expr height = arith::min(a.bottom, b.bottom) - arith::max(a.top, b.top);
    const Expr intersection = width * height;
    const Expr all = a.area() + b.area() - intersection;
    Expr result = arith::gt(arith::div(intersection, all), threshold);
    for (const Expr& positive : {width, height, a.area(), b.area(), all})
        result = arith::logicalAnd(arith::gt(positive, zero), result);
    return result;
}

} // namespace

DynamicKernel buildNonMaxSuppression(const std::string& name, const CallContext& call) {
    const bool center = relay::attrs<relay::NmsAttrs>(call.attrs).centerBox;
    const KernelBuffers buffers(call);
    const Loops l(call.origin);
    const BufferPtr &boxes = buffers.args[0], &scores = buffers.args[1], &y = buffers.results[0];
    const BufferPtr sizes = sizesBuffer(call);
    const Expr batches = scores->shape[0], classes = scores->shape[1], n = scores->shape[2];
    const auto scalar = [&](size_t arg, const Expr& otherwise) {
        if (arg >= buffers.args.size() || !buffers.args[arg])
            return otherwise;
        return convert(load(buffers.args[arg], Indices(buffers.args[arg]->shape.size(), Expr(0))), otherwise.dtype());
    };
    const Expr limit = scalar(2, int64(0));
    const Expr overlapThreshold = scalar(3, arith::zero(types::Float32));
    const bool hasScoreThreshold = buffers.args.size() > 4 && buffers.args[4];

    const BufferPtr chosen = tir::makeBuffer("chosen", types::Int64, {batches, classes, n});
    const BufferPtr counts = tir::makeBuffer("counts", types::Int64, {batches, classes});
    const BufferPtr positions =
        tir::makeBuffer("positions", types::Int64, {batches, classes, 2, n}, tir::Scope::Workspace);

    const auto select = [&](const std::vector<Var>& row) {
        const Expr b = row[0], c = row[1];
        const PositionSort sorted(l, positions, asIndices(row));
        const Cell candidates("candidates", types::Int64), count("count", types::Int64), next("next", types::Int64),
            other("other", types::Int64), free("free", types::Bool);
        const auto score = [&](const Expr& box) { return load(scores, {b, c, box}); };
        const Stmt gather = l.loop("i", n, [&](const Var& i) {
            const Stmt add = l.all({sorted.put(toIndex(candidates()), i), l.increment(candidates)});
            return hasScoreThreshold ? l.when(arith::gt(widen(score(i)), scalar(4, arith::zero(types::Float32))), add)
                                     : add;
        });
        // A score that is no number stands last.
        const Stmt sort = sorted.sort(toIndex(candidates()), [&](const Expr& p, const Expr& q, const Cell& result) {
            const Expr left = widen(score(p)), right = widen(score(q));
            return l.set(result, ascending(arith::zero(left.dtype()) - left, arith::zero(right.dtype()) - right));
        });
        const Stmt against = l.let("box", sorted.at(toIndex(next())), [&](const Var& box) {
            const Expr taken = toIndex(load(chosen, {b, c, toIndex(other())}));
            const Stmt compare =
                l.all({l.set(free, arith::logicalNot(overlaps(Box(boxes, b, box, center), Box(boxes, b, taken, center),
                                                              overlapThreshold))),
                       l.increment(other)});
            const Stmt take =
                l.all({l.store(chosen, {b, c, toIndex(count())}, arith::cast(box, types::Int64)), l.increment(count)});
            return l.all({l.set(other, int64(0)), l.set(free, arith::boolImm(true)),
                          l.repeat(arith::logicalAnd(arith::lt(other(), count()), free()), compare),
                          l.when(free(), take), l.increment(next)});
        });
        const Expr more = arith::logicalAnd(arith::lt(next(), candidates()), arith::lt(count(), limit));
        return l.with(
            {candidates, count, next, other, free},
            sorted.with(l.all({l.set(candidates, int64(0)), l.set(count, int64(0)), l.set(next, int64(0)), gather, sort,
                               l.repeat(more, against), l.store(counts, asIndices(row), count())})));
    };
    const Cell total("total", types::Int64);
    const Stmt sum = l.nest("r", {batches, classes}, [&](const std::vector<Var>& row) {
        return l.set(total, total() + load(counts, asIndices(row)));
    });
    const Stmt measure = l.allocate(
        {positions},
        l.with({total}, l.all({l.set(total, int64(0)), l.nest("r", {batches, classes}, select, ForKind::Parallel), sum,
                               storeSize(l, sizes, total())})));
    const Stmt write = l.nest("r", {batches, classes}, [&](const std::vector<Var>& row) {
        return l.loop("i", toIndex(load(counts, asIndices(row))), [&](const Var& i) {
            const Expr at = toIndex(total());
            return l.all({l.store(y, {at, 0}, arith::cast(row[0], types::Int64)),
                          l.store(y, {at, 1}, arith::cast(row[1], types::Int64)),
                          l.store(y, {at, 2}, load(chosen, {row[0], row[1], i})), l.increment(total)});
        });
    });
    const Stmt fill = l.with({total}, l.all({l.set(total, int64(0)), write}));
    return buffers.dynamic(name, sizes, {chosen, counts}, measure, fill);
}

} // namespace lathe::topi
