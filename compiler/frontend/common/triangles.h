// SPDX-License-Identifier: Apache-2.0
//
// Systems of linear equations by triangular factors: Gauss's elimination with pivots, Cholesky's factors, and what is
// solved, inverted and measured by them. Matrices are [.., rows, columns], of floats; each computes in its operands'
// type, as many steps as a matrix has columns. Algorithms: G. Golub and C. Van Loan, "Matrix Computations", 3.1, 3.4
// and 4.2.
#pragma once

#include "frontend/common/emit.h"

namespace lathe::frontend {

/// Row rows[i] of A is row i of L U. A: [.., m, n]; k = min(m, n).
struct Elimination {
    Var factors; // [.., m, n]: U on and above the diagonal, L below it, whose diagonal is of ones
    Var rows;    // int64[.., m]
    Var pivots;  // int64[.., k]: which row changed its place with row i, in turn
    Var sign;    // [..]: -1 if rows are an odd permutation, else 1
};
/// A column of zeros is left as it is: then U has a 0 on its diagonal.
Elimination eliminated(Builder& b, Var a);

/// What half a triangular matrix is: zeros elsewhere, and ones on the diagonal if it is `unit`.
struct Triangle {
    bool upper = false, unit = false;
};
/// X of T X = right, whose outer dims broadcast. The other half of T is not looked at.
Var solvedTriangle(Builder& b, Var triangular, Var right, Triangle kind);

/// The order of rows that LAPACK's pivots say, from 1: with which row each changed its place, in turn. pivots: [.., k];
/// int64[.., m].
Var rowsOfPivots(Builder& b, Var pivots, const Expr& rows);

/// X of A X = right, whose outer dims broadcast; right: [.., n, k]. Infinite or NaN where A is singular.
Var solvedBy(Builder& b, const Elimination& elimination, Var right);
Var solved(Builder& b, Var a, Var right);
Var inverted(Builder& b, Var a);

/// The first column, from 1, that an elimination found to be zeros; 0 if there is none: int64[..].
Var firstZeroPivot(Builder& b, const Elimination& elimination);

/// The determinant as its sign, or 0, and the logarithm of its size.
struct Determinant {
    Var sign, logarithm; // [..]
};
Determinant determinant(Builder& b, const Elimination& elimination);

/// L of A = L Lᵀ, of a symmetric A of which only the lower half is looked at; NaN from the first column on where A is
/// not positive definite.
struct CholeskyFactor {
    Var lower;  // [.., n, n]
    Var failed; // int64[..]: how many columns from 1 there were when A was found not to be positive definite; 0: it is
};
CholeskyFactor choleskyFactor(Builder& b, Var a);

} // namespace lathe::frontend
