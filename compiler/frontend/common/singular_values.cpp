// SPDX-License-Identifier: Apache-2.0
//
// Rotations of columns in pairs make all of them orthogonal: then their lengths are the singular values, and the product
// of the rotations is the right factor. As many pairs as there are at once are turned in a round, and change partners
// behind it, as in a tournament where everybody meets everybody. R. Brent and F. Luk, "The Solution of Singular-Value
// and Symmetric Eigenvalue Problems on Multiprocessor Arrays"; the angles: G. Golub and C. Van Loan, "Matrix
// Computations", 8.6.3.
#include "frontend/common/singular_values.h"

#include "frontend/common/iterate.h"
#include "frontend/common/matrices.h"
#include "frontend/common/reflections.h"

#include "relay/attrs.h"

#include <fmt/format.h>

#include <limits>

namespace lathe::frontend {
namespace {

using namespace relay;

/// Rounds of a tournament that are enough for any matrix: mostly it takes less than twelve.
constexpr int64_t mostSweeps = 40;

/// Columns [batch, rows, half], each with the partner at its place in the other half.
struct Pairs {
    Var left, right;
};

Var part(Builder& b, Var x, int64_t begin, int64_t size) {
    return sliceAxis(b, x, 2, begin, size);
}

/// One behind the other, so that each has another partner: all go round in a ring but the first one.
Var withOtherPartners(Builder& b, const Pairs& pairs, int64_t half) {
    if (half == 1)
        return concat(b, {pairs.left, pairs.right}, 2);
    std::vector<Var> parts = {part(b, pairs.left, 0, 1), part(b, pairs.right, 0, 1)};
    if (half > 2)
        parts.push_back(part(b, pairs.left, 1, half - 2));
    parts.push_back(part(b, pairs.right, 1, half - 1));
    parts.push_back(part(b, pairs.left, half - 1, 1));
    return concat(b, std::move(parts), 2);
}

/// By which each pair is turned, so that its columns are orthogonal; and whether they were not, but for rounding. What
/// lies below `least`, by the size of all columns, does not count.
struct Rotations {
    Var cosine, sine, isNeeded; // [batch, 1, half]
};
Rotations rotationsOf(Builder& b, const Pairs& pairs, Var least) {
    const auto products = [&](Var x, Var y) { return reduce(b, "sum", mul(b, x, y), {1}, true); };
    const Var left = products(pairs.left, pairs.left), right = products(pairs.right, pairs.right);
    const Var both = products(pairs.left, pairs.right), size = b.call(Op::Abs, {both});
    const double rounding = b.failed() || b.dtype(both) == types::Float64 ? 1e-15 : 5e-7;
    const Var alike = mulBy(b, mul(b, b.call(Op::Sqrt, {left}), b.call(Op::Sqrt, {right})), rounding);
    const Var isNeeded = b.call(Op::Greater, {size, maximum(b, alike, least)});
    const Var zero = scalarLike(b, 0, both), one = scalarLike(b, 1, both);
    const Var slope = div(b, sub(b, right, left), mulBy(b, where(b, isNeeded, both, one), 2));
    const Var distance = add(b, b.call(Op::Abs, {slope}), b.call(Op::Sqrt, {addTo(b, mul(b, slope, slope), 1)}));
    const Var tangent = div(b, where(b, less(b, slope, zero), scalarLike(b, -1, both), one), distance);
    const Var turned = where(b, isNeeded, tangent, zero);
    const Var cosine = b.call(Op::Reciprocal, {b.call(Op::Sqrt, {addTo(b, mul(b, turned, turned), 1)})});
    return {cosine, mul(b, cosine, turned), isNeeded};
}

/// Columns of a stack [batch, m, n] with those of the identity below them, turned until the upper ones are orthogonal.
/// n is even; rows: m.
Var orthogonalized(Builder& b, Var columns, int64_t rows, int64_t n) {
    const int64_t half = n / 2;
    const Var upper = sliceAxis(b, columns, 1, 0, rows);
    const double tiny = b.dtype(columns) == types::Float64 ? 1e-32 : 1e-14;
    const Var least = mulBy(b, reduce(b, "sum", mul(b, upper, upper), {1, 2}, true), tiny);
    // Counts rounds in which nothing had to be turned: after a whole tournament of them all are orthogonal.
    return iterated(b, {columns, b.scalarInt(0)}, mostSweeps * (n - 1), [&](Var, const std::vector<Var>& before) {
        const Pairs all = {part(b, before[0], 0, half), part(b, before[0], half, half)};
        const Pairs counted = {sliceAxis(b, all.left, 1, 0, rows), sliceAxis(b, all.right, 1, 0, rows)};
        const Rotations turn = rotationsOf(b, counted, least);
        const Pairs turned = {sub(b, mul(b, turn.cosine, all.left), mul(b, turn.sine, all.right)),
                              add(b, mul(b, turn.sine, all.left), mul(b, turn.cosine, all.right))};
        const Var quiet = where(b, anywhere(b, turn.isNeeded), b.scalarInt(0), addTo(b, before[1], 1));
        return std::vector{withOtherPartners(b, turned, half), quiet, less(b, quiet, b.scalarInt(n - 1))};
    })[0];
}

/// A stack's columns, orthogonal and the longest first, their lengths and the right factor. m >= n.
struct Lengths {
    Var columns, values, right; // [batch, m, n], [batch, n], [batch, n, n]
};
Lengths lengthsOf(Builder& b, Var stack, int64_t rows, int64_t n) {
    const int64_t even = n + n % 2; // one without a partner gets a column of zeros, which nothing turns
    const Var columns = pad(b, stack, "constant", {0, 0, 0}, {0, 0, even - n});
    const Var identity = identityMatrix(b, even, even, b.failed() ? types::Float64 : b.dtype(stack));
    if (b.failed())
        return {};
    const Var below = expand(b, identity, {dim(b, stack, 0), even, even});
    const Var all = orthogonalized(b, concat(b, {columns, below}, 1), rows, even);
    const Var upper = sliceAxis(b, all, 1, 0, rows);
    Var lengths = b.call(Op::Sqrt, {reduce(b, "sum", mul(b, upper, upper), {1}, false)});
    if (even > n) { // and it stands behind all others
        const Var last = reduce(b, "sum", sliceAxis(b, all, 1, rows + n, 1), {1}, false);
        lengths = where(b, equal(b, last, scalarLike(b, 0, last)), lengths, scalarLike(b, -1, last));
    }
    TopKAttrs order;
    order.axis = 1;
    order.k = n;
    const Var sorted = b.call(Op::TopK, {lengths}, order);
    if (b.failed())
        return {};
    AxisAttrs axis;
    axis.axis = 2;
    const Var places = expand(b, alongColumns(b, b.project(sorted, 1)), {dim(b, stack, 0), rows + n, n});
    const Var ordered = b.call(Op::GatherElements, {sliceAxis(b, all, 1, 0, rows + n), places}, axis);
    return {sliceAxis(b, ordered, 1, 0, rows), b.project(sorted, 0), sliceAxis(b, ordered, 1, rows, n)};
}

/// A matrix's rows and columns; nothing, and a refusal, if they are not known or too many.
struct Extent {
    int64_t rows = 0, columns = 0;
};
std::optional<Extent> extentOf(Builder& b, Var matrices) {
    if (!needRank(b, matrices, 2))
        return std::nullopt;
    const auto rows = arith::asInt(dim(b, matrices, -2)), columns = arith::asInt(dim(b, matrices, -1));
    constexpr int64_t most = 1 << 14;
    if (rows && columns && *rows <= most && *columns <= most)
        return Extent{*rows, *columns};
    b.fail(fmt::format("singular values of matrices {}", text(b.shape(matrices))),
           "matrices need sizes that are known, and at most 16384: --shape NAME=SIZES", ErrorKind::Unsupported);
    return std::nullopt;
}

/// The left factor of columns that are orthogonal: by reflections, which give orthogonal columns for those of zeros too.
Var leftFactor(Builder& b, Var columns, int64_t count) {
    const Reflections r = reflected(b, columns);
    if (b.failed())
        return {};
    const Var row = placesOf(b, columns, 1), place = placesOf(b, columns, 2), zero = scalarLike(b, 0, columns);
    const Var isOn = equal(b, downRows(b, row), alongColumns(b, place));
    const Var diagonal = reduce(b, "sum", where(b, isOn, r.columns, zero), {1}, false);
    const Var sign = where(b, less(b, diagonal, zero), scalarLike(b, -1, columns), scalarLike(b, 1, columns));
    const int64_t more = count - arith::asInt(dim(b, columns, 2)).value_or(count);
    const Var signs = pad(b, sign, "constant", {0, 0}, {0, more}, {}, scalarLike(b, 1, columns));
    return mul(b, orthogonalColumns(b, r, count), alongColumns(b, signs));
}

/// Of a matrix without elements: no values, and factors of the identity's columns.
SingularValues emptyFactors(Builder& b, Var a, const Extent& extent, bool isComplete) {
    const Dims outer = outerDims(b, a);
    const auto columns = [&](int64_t size) {
        Dims shape = outer;
        shape.push_back(size);
        shape.push_back(isComplete ? size : 0);
        return expand(b, identityMatrix(b, size, isComplete ? size : 0, b.dtype(a)), shape);
    };
    Dims none = outer;
    none.push_back(0);
    return {columns(extent.rows), full(b, scalarLike(b, 0, a), none), columns(extent.columns)};
}

} // namespace

SingularValues singularValues(Builder& b, Var a, bool isComplete) {
    const auto extent = extentOf(b, a);
    if (!extent)
        return {};
    const auto [rows, columns] = *extent;
    if (rows == 0 || columns == 0)
        return emptyFactors(b, a, *extent, isComplete);
    if (rows < columns) {
        const SingularValues turned = singularValues(b, transposed(b, a), isComplete);
        return {turned.right, turned.values, turned.left};
    }
    const Dims outer = outerDims(b, a);
    const Lengths lengths = lengthsOf(b, stacked(b, a), rows, columns);
    const Var left = leftFactor(b, lengths.columns, isComplete ? rows : columns);
    return {unstacked(b, left, outer), unstacked(b, lengths.values, outer), unstacked(b, lengths.right, outer)};
}

Var singularValuesOnly(Builder& b, Var a) {
    const auto extent = extentOf(b, a);
    if (!extent)
        return {};
    const auto [rows, columns] = *extent;
    if (rows == 0 || columns == 0)
        return emptyFactors(b, a, *extent, false).values;
    const Var tall = rows < columns ? transposed(b, a) : a;
    const Lengths lengths = lengthsOf(b, stacked(b, tall), std::max(rows, columns), std::min(rows, columns));
    return unstacked(b, lengths.values, outerDims(b, a));
}

Eigenvalues symmetricEigenvalues(Builder& b, Var a, bool upper) {
    const auto extent = extentOf(b, a);
    if (!extent)
        return {};
    const int64_t n = extent->columns;
    if (extent->rows != n) {
        b.fail(fmt::format("eigenvalues of matrices {}", text(b.shape(a))), "they must have as many rows as columns");
        return {};
    }
    if (n == 0) {
        const SingularValues none = emptyFactors(b, a, *extent, true);
        return {none.values, none.left};
    }
    const Dims outer = outerDims(b, a);
    const Var stack = stacked(b, a), row = placesOf(b, stack, 1);
    const Var isMirrored = b.call(upper ? Op::Greater : Op::Less, {downRows(b, row), alongColumns(b, row)});
    const Var symmetric = where(b, isMirrored, transposed(b, stack), stack);
    // With enough added to the diagonal no eigenvalue is negative, so that they are the singular values: by Gershgorin's
    // circles the largest sum of a row is.
    const Var sums = reduce(b, "sum", b.call(Op::Abs, {symmetric}), {2}, false);
    const Var shift = reduce(b, "max", sums, {1}, true); // [batch, 1]
    const Var identity = identityMatrix(b, n, n, b.failed() ? types::Float64 : b.dtype(a));
    const Lengths lengths = lengthsOf(b, add(b, symmetric, mul(b, identity, unsqueeze(b, shift, {2}))), n, n);
    const Var values = reverse(b, sub(b, lengths.values, shift), 1), vectors = reverse(b, lengths.right, 2);
    return {unstacked(b, values, outer), unstacked(b, vectors, outer)};
}

Var composed(Builder& b, Var left, Var values, Var right) {
    if (!needRank(b, values, 1))
        return {};
    return matmul(b, mul(b, left, unsqueeze(b, values, {b.rank(values) - 1})), right, false, true);
}

} // namespace lathe::frontend
