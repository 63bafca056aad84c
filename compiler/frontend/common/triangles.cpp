// SPDX-License-Identifier: Apache-2.0
#include "frontend/common/triangles.h"

#include "frontend/common/iterate.h"
#include "frontend/common/matrices.h"

#include "relay/attrs.h"

namespace lathe::frontend {
namespace {

using namespace relay;

/// Of a stack that is to be square.
Var squareStack(Builder& b, Var matrices) {
    const Var stack = stacked(b, matrices);
    return b.failed() ? Var{} : withDims(b, stack, {dim(b, stack, 0), dim(b, stack, 2), dim(b, stack, 2)});
}

Var isPlace(Builder& b, Var places, Var place) {
    return equal(b, places, place);
}
Var isBehind(Builder& b, Var places, Var place) {
    return b.call(Op::Greater, {places, place});
}
Var zeroLike(Builder& b, Var x) {
    return scalarLike(b, 0, x);
}

/// x [batch, rows] or [batch, rows, columns] with rows in another order, int64[batch, rows].
Var reordered(Builder& b, Var x, Var order) {
    if (b.failed())
        return {};
    AxisAttrs attrs;
    attrs.axis = 1;
    return b.call(Op::GatherElements, {x, b.rank(x) == 2 ? order : expand(b, downRows(b, order), b.shape(x))}, attrs);
}

/// The state of an elimination of [batch, m, n] before column `at`: factors, rows [batch, m], sign [batch]; gives them
/// after it, and the pivot's row [batch].
std::vector<Var> eliminatedColumn(Builder& b, Var at, const std::vector<Var>& before) {
    const Var row = placesOf(b, before[0], 1), column = placesOf(b, before[0], 2);
    ArgReduceAttrs largest;
    largest.axis = 1;
    const Var size = b.call(Op::Abs, {columnAt(b, before[0], at)});
    const Var pivot =
        b.call(Op::ArgReduce, {where(b, less(b, row, at), scalarLike(b, -1, size), size)}, largest); // [batch]
    const Var other = unsqueeze(b, pivot, {1});
    const Var order = where(b, isPlace(b, row, at), other, where(b, equal(b, row, other), at, row));
    const Var a = reordered(b, before[0], order), rows = reordered(b, before[1], order);
    const Var sign = where(b, equal(b, pivot, at), before[2], b.call(Op::Negative, {before[2]}));
    const Var pivotRow = rowAt(b, a, at), divisor = unsqueeze(b, elementAt(b, pivotRow, at), {1}),
              zero = zeroLike(b, a);
    const Var counts = b.call(Op::LogicalAnd, {isBehind(b, row, at), b.call(Op::NotEqual, {divisor, zero})});
    const Var factor = where(b, counts, div(b, columnAt(b, a, at), divisor), zero);
    const Var rest = sub(b, a, outerProducts(b, factor, where(b, isBehind(b, column, at), pivotRow, zero)));
    const Var isFactor =
        b.call(Op::LogicalAnd, {downRows(b, isBehind(b, row, at)), alongColumns(b, isPlace(b, column, at))});
    return {where(b, isFactor, downRows(b, factor), rest), rows, sign, pivot};
}

/// Of a square stack: [batch, n].
Var diagonalOfStack(Builder& b, Var stack) {
    const Var size = placesOf(b, stack, 2);
    const Var isOn = equal(b, downRows(b, size), alongColumns(b, size));
    return reduce(b, "sum", where(b, isOn, stack, zeroLike(b, stack)), {1}, false);
}

} // namespace

Elimination eliminated(Builder& b, Var a) {
    const Dims outer = outerDims(b, a);
    const Var stack = stacked(b, a);
    if (b.failed())
        return {};
    const Expr batch = dim(b, stack, 0), rows = dim(b, stack, 1);
    const Var places = iota(b, {batch, rows}, 1, types::Int64), sign = full(b, scalarLike(b, 1, stack), {batch});
    const Expr steps = arith::simplify(arith::min(rows, dim(b, stack, 2)));
    const Var loop =
        b.loop(b.scalarOf(steps), {}, {stack, places, sign}, 1,
               [&](Var iteration, const std::vector<Var>& before) { return eliminatedColumn(b, iteration, before); });
    if (b.failed())
        return {};
    return {unstacked(b, b.project(loop, 0), outer), unstacked(b, b.project(loop, 1), outer),
            unstacked(b, transpose(b, b.project(loop, 3), {1, 0}), outer), unstacked(b, b.project(loop, 2), outer)};
}

Var firstZeroPivot(Builder& b, const Elimination& elimination) {
    const Dims outer = outerDims(b, elimination.factors);
    const Var stack = squareStack(b, elimination.factors);
    const Var isZero = equal(b, diagonalOfStack(b, stack), zeroLike(b, stack));
    ArgReduceAttrs first;
    first.axis = 1;
    const Var place = b.call(Op::ArgReduce, {cast(b, isZero, types::Int32)}, first);
    const Var any = reduce(b, "or", isZero, {1}, false);
    return unstacked(b, where(b, any, addTo(b, place, 1), b.scalarInt(0)), outer);
}

Var rowsOfPivots(Builder& b, Var pivots, const Expr& rows) {
    if (!needRank(b, pivots, 1))
        return {};
    Dims outer = b.shape(pivots);
    const Expr count = outer.back();
    outer.pop_back();
    const Expr batch = product(outer);
    const Var all = cast(b, reshape(b, pivots, {batch, count}), types::Int64);
    const Var row = iota(b, {rows}, 0, types::Int64);
    const Var order = repeated(
        b, {iota(b, {batch, rows}, 1, types::Int64)}, b.scalarOf(count), [&](Var at, const std::vector<Var>& before) {
            const Var other = unsqueeze(b, addTo(b, elementAt(b, all, at), -1), {1});
            const Var from = where(b, isPlace(b, row, at), other, where(b, equal(b, row, other), at, row));
            return std::vector{reordered(b, before[0], from)};
        })[0];
    return unstacked(b, order, outer);
}

Var solvedTriangle(Builder& b, Var triangular, Var right, Triangle kind) {
    const std::vector<Var> both = withSameOuter(b, {triangular, right});
    const Dims outer = outerDims(b, both[0]);
    const Var t = squareStack(b, both[0]);
    if (b.failed())
        return {};
    const Expr size = dim(b, t, 1);
    const Var stack = stacked(b, both[1]), x = withDims(b, stack, {dim(b, t, 0), size, dim(b, stack, 2)});
    const Var row = placesOf(b, t, 1), last = b.scalarOf(arith::simplify(size - 1));
    const std::vector<Var> result =
        repeated(b, {x}, b.scalarOf(size), [&](Var iteration, const std::vector<Var>& before) {
            const Var at = kind.upper ? sub(b, last, iteration) : iteration;
            const Var column = columnAt(b, t, at), given = rowAt(b, before[0], at);
            const Var known = kind.unit ? given : div(b, given, unsqueeze(b, elementAt(b, column, at), {1}));
            const Var isLeft = kind.upper ? less(b, row, at) : isBehind(b, row, at);
            const Var rest = sub(b, before[0], outerProducts(b, where(b, isLeft, column, zeroLike(b, t)), known));
            return std::vector{where(b, downRows(b, isPlace(b, row, at)), alongColumns(b, known), rest)};
        });
    return unstacked(b, result[0], outer);
}

Var solvedBy(Builder& b, const Elimination& elimination, Var right) {
    if (!needRank(b, right, 2))
        return {};
    const Var order = unsqueeze(b, elimination.rows, {static_cast<int64_t>(b.rank(elimination.rows))});
    const std::vector<Var> both = withSameOuter(b, {order, right});
    const Dims outer = outerDims(b, both[1]);
    if (b.failed())
        return {};
    const Var rows = stacked(b, both[0]);
    const Var x = unstacked(b, reordered(b, stacked(b, both[1]), squeeze(b, rows, {2})), outer);
    const Var lower = solvedTriangle(b, elimination.factors, x, {.upper = false, .unit = true});
    return solvedTriangle(b, elimination.factors, lower, {.upper = true, .unit = false});
}

Var solved(Builder& b, Var a, Var right) {
    return solvedBy(b, eliminated(b, a), right);
}

Var inverted(Builder& b, Var a) {
    return b.failed() ? Var{} : solved(b, a, identityMatrix(b, dim(b, a, -1), dim(b, a, -1), b.dtype(a)));
}

Determinant determinant(Builder& b, const Elimination& elimination) {
    const Dims outer = outerDims(b, elimination.factors);
    const Var diagonal = diagonalOfStack(b, squareStack(b, elimination.factors));
    const Var sign = reduce(b, "prod", b.call(Op::Sign, {diagonal}), {1}, false);
    const Var logarithm = reduce(b, "sum", b.call(Op::Log, {b.call(Op::Abs, {diagonal})}), {1}, false);
    return {mul(b, unstacked(b, sign, outer), elimination.sign), unstacked(b, logarithm, outer)};
}

CholeskyFactor choleskyFactor(Builder& b, Var a) {
    const Dims outer = outerDims(b, a);
    const Var stack = squareStack(b, a);
    if (b.failed())
        return {};
    const Var row = placesOf(b, stack, 1), zero = zeroLike(b, stack);
    const std::vector<Var> first = {stack, full(b, zero, b.shape(stack)), full(b, b.scalarInt(0), {dim(b, stack, 0)})};
    const std::vector<Var> result =
        repeated(b, first, b.scalarOf(dim(b, stack, 1)), [&](Var at, const std::vector<Var>& before) {
            const Var column = columnAt(b, before[0], at), square = elementAt(b, column, at);
            const Var root = unsqueeze(b, b.call(Op::Sqrt, {square}), {1});
            const Var own = where(b, less(b, row, at), zero, div(b, column, root));
            const Var isBad = b.call(Op::LogicalNot, {b.call(Op::Greater, {square, zero})});
            const Var isFirst = b.call(Op::LogicalAnd, {isBad, equal(b, before[2], b.scalarInt(0))});
            return std::vector{sub(b, before[0], outerProducts(b, own, own)),
                               where(b, alongColumns(b, isPlace(b, row, at)), downRows(b, own), before[1]),
                               where(b, isFirst, addTo(b, at, 1), before[2])};
        });
    return {unstacked(b, result[1], outer), unstacked(b, result[2], outer)};
}

} // namespace lathe::frontend
