// SPDX-License-Identifier: Apache-2.0
#include "frontend/common/diagonal.h"

namespace lathe::frontend {
namespace {

/// Bools: where row and column of a matrix are the same.
Var onDiagonal(Builder& b, const Expr& rows, const Expr& columns) {
    const Dims shape = {rows, columns};
    return equal(b, iota(b, shape, 0, types::Int64), iota(b, shape, 1, types::Int64));
}

} // namespace

Var diagonalMatrix(Builder& b, Var x, Var elsewhere) {
    if (b.failed())
        return {};
    const Expr size = dim(b, x, -1);
    return where(b, onDiagonal(b, size, size), unsqueeze(b, x, {b.rank(x)}), elsewhere);
}

Var withDiagonal(Builder& b, Var x, Var diagonal) {
    if (b.failed())
        return {};
    const Expr rows = dim(b, x, -2), columns = dim(b, x, -1);
    // As long as the shorter side: one element a row, or one a column.
    const Expr length = dim(b, diagonal, -1);
    const bool ofRows = arith::provablyEqual(length, rows) || !arith::provablyEqual(length, columns);
    const int64_t last = b.rank(diagonal);
    return where(b, onDiagonal(b, rows, columns), unsqueeze(b, diagonal, {ofRows ? last : last - 1}), x);
}

} // namespace lathe::frontend
