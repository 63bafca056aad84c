// SPDX-License-Identifier: Apache-2.0
//
// Systems of equations, determinants and factors of matrices. They are computed in float64 and rounded once.
#include "frontend/common/matrices.h"
#include "frontend/common/reflections.h"
#include "frontend/common/singular_values.h"
#include "frontend/common/triangles.h"
#include "frontend/tensorflow/operands.h"
#include "frontend/tensorflow/ops.h"
#include "relay/attrs.h"

namespace lathe::frontend::tensorflow {
namespace {

/// Operand i with its matrices transposed if the attribute says so.
Var turnedBy(NodeReader& node, Builder& b, size_t i, const char* attribute) {
    const Var x = cast(b, node.in(i), types::Float64);
    return node.integer(attribute, 0) != 0 ? transposed(b, x) : x;
}

/// Gives what was computed in float64, in the type of operand 0.
void giveRounded(NodeReader& node, Builder& b, const std::vector<Var>& results) {
    const Var x = node.in(0);
    for (size_t i = 0; i < results.size() && !b.failed(); ++i)
        node.set(i, cast(b, results[i], b.dtype(x)));
}

} // namespace

void convertMatrixDeterminant(NodeReader& node, Builder& b) {
    node.set(0, b.call(Op::Det, {node.in(0)}));
}

void convertLogMatrixDeterminant(NodeReader& node, Builder& b) {
    const Determinant result = determinant(b, eliminated(b, cast(b, node.in(0), types::Float64)));
    giveRounded(node, b, {result.sign, result.logarithm});
}

void convertMatrixInverse(NodeReader& node, Builder& b) {
    giveRounded(node, b, {inverted(b, turnedBy(node, b, 0, "adjoint"))});
}

void convertMatrixSolve(NodeReader& node, Builder& b) {
    giveRounded(node, b, {solved(b, turnedBy(node, b, 0, "adjoint"), cast(b, node.in(1), types::Float64))});
}

void convertMatrixTriangularSolve(NodeReader& node, Builder& b) {
    const bool isLower = node.integer("lower", 1) != 0, isTurned = node.integer("adjoint", 0) != 0;
    const Var matrices = turnedBy(node, b, 0, "adjoint"), right = cast(b, node.in(1), types::Float64);
    giveRounded(node, b, {solvedTriangle(b, matrices, right, {.upper = isLower == isTurned, .unit = false})});
}

void convertCholesky(NodeReader& node, Builder& b) {
    giveRounded(node, b, {choleskyFactor(b, cast(b, node.in(0), types::Float64)).lower});
}

void convertQr(NodeReader& node, Builder& b) {
    const Var x = cast(b, node.in(0), types::Float64);
    const Reflections result = reflected(b, x);
    if (!node.needRank(x, 2))
        return;
    const Expr rows = dim(b, x, -2), least = arith::simplify(arith::min(rows, dim(b, x, -1)));
    const Expr count = node.integer("full_matrices", 0) != 0 ? rows : least;
    giveRounded(node, b, {orthogonalColumns(b, result, count), triangularFactor(b, result, count)});
}

void convertSelfAdjointEigV2(NodeReader& node, Builder& b) {
    const Eigenvalues result = symmetricEigenvalues(b, cast(b, node.in(0), types::Float64));
    giveRounded(node, b, {result.values, result.vectors});
}

void convertSvd(NodeReader& node, Builder& b) {
    const Var x = cast(b, node.in(0), types::Float64);
    if (node.integer("compute_uv", 1) == 0)
        return giveRounded(node, b, {singularValuesOnly(b, x)});
    const SingularValues result = singularValues(b, x, node.integer("full_matrices", 0) != 0);
    giveRounded(node, b, {result.values, result.left, result.right});
}

} // namespace lathe::frontend::tensorflow
