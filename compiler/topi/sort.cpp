// SPDX-License-Identifier: Apache-2.0
//
// Bottom-up merge sort (Knuth, The Art of Computer Programming 3, 5.2.4) and TopK, which sorts each row and takes its
// first k. Equal elements keep their order, so that the lower index comes first.
#include "topi/sort.h"

#include "arith/analysis.h"
#include "topi/families.h"

namespace lathe::topi {

namespace {

Expr isNanIfFloat(const Expr& x) {
    return x.dtype().isFloat() ? arith::call(Intrinsic::IsNan, {x}, types::Bool) : arith::boolImm(false);
}

Expr comparable(const Expr& x) {
    return x.dtype().isBool() ? arith::cast(x, types::Int32) : widen(x);
}

Expr int64Of(const Expr& value) {
    return convert(value, types::Int64);
}

} // namespace

Expr ascending(const Expr& a, const Expr& b) {
    const Expr x = comparable(a), y = comparable(b);
    if (!x.dtype().isFloat())
        return arith::lt(x, y);
    return arith::logicalOr(arith::lt(x, y), arith::logicalAnd(isNanIfFloat(y), arith::logicalNot(isNanIfFloat(x))));
}

Expr descending(const Expr& a, const Expr& b) {
    const Expr x = comparable(a), y = comparable(b);
    if (!x.dtype().isFloat())
        return arith::gt(x, y);
    return arith::logicalOr(arith::gt(x, y), arith::logicalAnd(isNanIfFloat(x), arith::logicalNot(isNanIfFloat(y))));
}

PositionSort::PositionSort(const Loops& loops, BufferPtr positions, Indices prefix)
    : loops_(loops), positions_(std::move(positions)), prefix_(std::move(prefix)) {}

Indices PositionSort::index(const Expr& row, const Expr& i) const {
    Indices indices = prefix_;
    indices.push_back(row);
    indices.push_back(i);
    return indices;
}

Expr PositionSort::at(const Expr& i) const {
    return toIndex(load(positions_, index(toIndex(phase_()), i)));
}

Stmt PositionSort::put(const Expr& i, const Expr& position) const {
    return loops_.store(positions_, index(0, i), int64Of(position));
}

Stmt PositionSort::with(Stmt body) const {
    const Stmt begin = loops_.set(phase_, arith::intImm(0, types::Int64));
    return loops_.with({phase_, width_, start_, left_, right_, before_}, loops_.all({begin, std::move(body)}));
}

Stmt PositionSort::sort(const Expr& count, const std::function<Stmt(Expr, Expr, const Cell&)>& compare) const {
    const Loops& l = loops_;
    const Expr n = int64Of(count);
    const auto take = [&](const Cell& from, const Expr& k) {
        const Expr target = arith::intImm(1) - toIndex(phase_());
        return l.all({l.store(positions_, index(target, k), int64Of(at(toIndex(from())))), l.increment(from)});
    };
    const auto mergeRuns = [&](const Var& middle, const Var& end) {
        return l.loop("k", toIndex(end - start_()), [&](const Var& offset) {
            const Expr k = toIndex(start_()) + offset;
            const Expr bothLeft = arith::logicalAnd(arith::lt(left_(), middle), arith::lt(right_(), end));
            const Stmt decide = l.when(bothLeft, compare(at(toIndex(right_())), at(toIndex(left_())), before_),
                                       l.set(before_, arith::ge(left_(), middle)));
            return l.all({decide, l.when(before_(), take(right_, k), take(left_, k))});
        });
    };
    const Stmt mergePair = l.let("middle", arith::min(start_() + width_(), n), [&](const Var& middle) {
        return l.let("end", arith::min(middle + width_(), n), [&](const Var& end) {
            return l.all({l.set(left_, start_()), l.set(right_, middle), mergeRuns(middle, end), l.set(start_, end)});
        });
    });
    const Stmt pass =
        l.all({l.set(start_, arith::intImm(0, types::Int64)), l.repeat(arith::lt(start_(), n), mergePair),
               l.set(phase_, arith::intImm(1, types::Int64) - phase_()), l.set(width_, width_() + width_())});
    return l.all({l.set(width_, arith::intImm(1, types::Int64)), l.repeat(arith::lt(width_(), n), pass)});
}

tir::PrimFuncPtr buildTopK(const std::string& name, const CallContext& call) {
    const auto& attrs = relay::attrs<relay::TopKAttrs>(call.attrs);
    const KernelBuffers buffers(call);
    const Loops l(call.origin);
    const BufferPtr& x = buffers.args[0];
    const size_t axis = axisOf(attrs.axis, x->shape.size());
    const Expr n = x->shape[axis];
    const Expr k = buffers.results[0]->shape[axis];
    Shape rows = x->shape;
    rows.erase(rows.begin() + static_cast<long>(axis));
    Shape positionsShape = rows;
    positionsShape.push_back(2);
    positionsShape.push_back(n);
    const BufferPtr positions = tir::makeBuffer("positions", types::Int64, positionsShape, tir::Scope::Workspace);
    const auto body = [&](const std::vector<Var>& row) {
        const PositionSort sorted(l, positions, asIndices(row));
        const auto along = [&](const Expr& i) {
            Indices indices = asIndices(row);
            indices.insert(indices.begin() + static_cast<long>(axis), i);
            return indices;
        };
        const auto compare = [&](const Expr& a, const Expr& b, const Cell& result) {
            const Expr left = load(x, along(a)), right = load(x, along(b));
            return l.set(result, attrs.largest ? descending(left, right) : ascending(left, right));
        };
        const Stmt fill = l.loop("i", n, [&](const Var& i) { return sorted.put(i, i); });
        const Stmt copy = l.loop("i", k, [&](const Var& i) {
            return l.all({l.store(buffers.results[0], along(i), load(x, along(sorted.at(i)))),
                          l.store(buffers.results[1], along(i), int64Of(sorted.at(i)))});
        });
        return sorted.with(l.all({fill, sorted.sort(n, compare), copy}));
    };
    std::vector<Stmt> stmts;
    if (!arith::provablyTrue(arith::le(k, n)))
        stmts.push_back(
            l.check(arith::le(k, n), tir::CheckKind::ShapeMismatch, "top_k asks for more elements than there are"));
    stmts.push_back(l.allocate({positions}, l.nest("r", rows, body, ForKind::Parallel)));
    return buffers.kernel(name, l.all(std::move(stmts)));
}

} // namespace lathe::topi
