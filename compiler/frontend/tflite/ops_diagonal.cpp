// SPDX-License-Identifier: Apache-2.0
//
// Diagonals of matrices.
#include "frontend/tflite/operands.h"
#include "frontend/tflite/ops.h"
#include "frontend/tflite/stored_zero.h"

namespace lathe::frontend::tflite {
namespace {

/// Bools: where row and column of a matrix are the same.
Var onDiagonal(Builder& b, const Expr& rows, const Expr& columns) {
    const Dims shape = {rows, columns};
    return equal(b, iota(b, shape, 0, types::Int64), iota(b, shape, 1, types::Int64));
}

} // namespace

void convertMatrixDiag(NodeReader& node, Builder& b) {
    Movement m(node, {0});
    const Var x = m.in(0);
    if (!node.needRank(x, 1))
        return;
    const Expr size = dim(b, x, -1);
    m.give(0, where(b, onDiagonal(b, size, size), unsqueeze(b, x, {b.rank(x)}), storedZero(node, 0, x)));
}

void convertMatrixSetDiag(NodeReader& node, Builder& b) {
    Movement m(node, {0, 1});
    const Var x = m.in(0), diagonal = m.in(1);
    if (!node.needRank(x, 2) || !node.needRank(diagonal, 1))
        return;
    const Expr rows = dim(b, x, -2), columns = dim(b, x, -1);
    // As long as the shorter side: one element a row, or one a column.
    const Expr length = dim(b, diagonal, -1);
    const bool ofRows = arith::provablyEqual(length, rows) || !arith::provablyEqual(length, columns);
    const int64_t last = b.rank(diagonal);
    m.give(0, where(b, onDiagonal(b, rows, columns), unsqueeze(b, diagonal, {ofRows ? last : last - 1}), x));
}

} // namespace lathe::frontend::tflite
