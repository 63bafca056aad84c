// SPDX-License-Identifier: Apache-2.0
#include "frontend/common/reflections.h"

#include "frontend/common/iterate.h"
#include "frontend/common/matrices.h"

#include "relay/attrs.h"

namespace lathe::frontend {
namespace {

using namespace relay;

/// (I - tau v vᵀ) x of stacks: v [batch, m], tau [batch], x [batch, m, n].
Var reflectedBy(Builder& b, Var v, Var tau, Var x) {
    const Var products = reduce(b, "sum", mul(b, downRows(b, v), x), {1}, false);
    return sub(b, x, outerProducts(b, mul(b, v, unsqueeze(b, tau, {1})), products));
}

/// A column from row `at` on, the row itself being 1.
Var reflector(Builder& b, Var column, Var row, Var at) {
    const Var zero = scalarLike(b, 0, column), one = scalarLike(b, 1, column);
    return where(b, equal(b, row, at), one, where(b, less(b, row, at), zero, column));
}

} // namespace

Reflections reflected(Builder& b, Var a) {
    const Dims outer = outerDims(b, a);
    const Var stack = stacked(b, a);
    if (b.failed())
        return {};
    const Var row = placesOf(b, stack, 1), place = placesOf(b, stack, 2), zero = scalarLike(b, 0, stack);
    const auto step = [&](Var at, const std::vector<Var>& before) {
        const Var column = columnAt(b, before[0], at), first = elementAt(b, column, at);
        const Var isBelow = b.call(Op::Greater, {row, at}), below = where(b, isBelow, column, zero);
        const Var rest = reduce(b, "sum", mul(b, below, below), {1}, false);
        const Var length = b.call(Op::Sqrt, {add(b, mul(b, first, first), rest)});
        const Var isPlain = equal(b, rest, zero); // nothing is to be reflected
        const Var end = where(b, less(b, first, zero), length, b.call(Op::Negative, {length}));
        const Var one = scalarLike(b, 1, stack);
        const Var tau = where(b, isPlain, zero, div(b, sub(b, end, first), where(b, isPlain, one, end)));
        const Var divisor = where(b, isPlain, one, sub(b, first, end));
        const Var v = reflector(b, div(b, below, unsqueeze(b, divisor, {1})), row, at);
        const Var isOwn = equal(b, place, at), isDone = less(b, place, at); // columns that hold v, or held it before
        const Var turned = where(b, alongColumns(b, isDone), before[0], reflectedBy(b, v, tau, before[0]));
        const Var isKept = b.call(Op::LogicalAnd, {downRows(b, isBelow), alongColumns(b, isOwn)});
        return std::vector{where(b, isKept, downRows(b, v), turned), tau};
    };
    const Expr steps = arith::simplify(arith::min(dim(b, stack, 1), dim(b, stack, 2)));
    const Var loop = b.loop(b.scalarOf(steps), {}, {stack}, 1, step);
    if (b.failed())
        return {};
    return {unstacked(b, b.project(loop, 0), outer), unstacked(b, transpose(b, b.project(loop, 1), {1, 0}), outer)};
}

Var timesReflections(Builder& b, const Reflections& reflections, Var x, bool inverse) {
    if (!needRank(b, reflections.factors, 1))
        return {};
    const Var factors = unsqueeze(b, reflections.factors, {b.rank(reflections.factors)});
    const std::vector<Var> all = withSameOuter(b, {reflections.columns, factors, x});
    const Dims outer = outerDims(b, all[0]);
    if (b.failed())
        return {};
    const Var columns = stacked(b, all[0]), taus = squeeze(b, stacked(b, all[1]), {2});
    if (b.failed())
        return {};
    const Var row = placesOf(b, columns, 1);
    const Expr count = dim(b, taus, 1);
    const Var last = b.scalarOf(arith::simplify(count - 1));
    const std::vector<Var> result =
        repeated(b, {stacked(b, all[2])}, b.scalarOf(count), [&](Var iteration, const std::vector<Var>& before) {
            const Var at = inverse ? iteration : sub(b, last, iteration);
            return std::vector{
                reflectedBy(b, reflector(b, columnAt(b, columns, at), row, at), elementAt(b, taus, at), before[0])};
        });
    return unstacked(b, result[0], outer);
}

Var orthogonalColumns(Builder& b, const Reflections& reflections, const Expr& count) {
    if (b.failed())
        return {};
    const Var columns = reflections.columns;
    return timesReflections(b, reflections, identityMatrix(b, dim(b, columns, -2), count, b.dtype(columns)));
}

Var triangularFactor(Builder& b, const Reflections& reflections, const Expr& count) {
    if (!needRank(b, reflections.columns, 2))
        return {};
    TriluAttrs upper;
    upper.upper = true;
    upper.k = 0;
    return b.call(Op::Trilu, {sliceAxis(b, reflections.columns, b.rank(reflections.columns) - 2, 0, count)}, upper);
}

} // namespace lathe::frontend
