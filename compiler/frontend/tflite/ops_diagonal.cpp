// SPDX-License-Identifier: Apache-2.0
//
// Diagonals of matrices.
#include "frontend/common/diagonal.h"
#include "frontend/tflite/operands.h"
#include "frontend/tflite/ops.h"
#include "frontend/tflite/stored_zero.h"

namespace lathe::frontend::tflite {

void convertMatrixDiag(NodeReader& node, Builder& b) {
    Movement m(node, {0});
    const Var x = m.in(0);
    if (node.needRank(x, 1))
        m.give(0, diagonalMatrix(b, x, storedZero(node, 0, x)));
}

void convertMatrixSetDiag(NodeReader& node, Builder& b) {
    Movement m(node, {0, 1});
    const Var x = m.in(0), diagonal = m.in(1);
    if (node.needRank(x, 2) && node.needRank(diagonal, 1))
        m.give(0, withDiagonal(b, x, diagonal));
}

} // namespace lathe::frontend::tflite
