// SPDX-License-Identifier: Apache-2.0
//
// Singular values and vectors by Hestenes's method, Jacobi's rotations from one side, and eigenvalues of symmetric
// matrices by them. Matrices are [.., rows, columns], of floats; their dims must be known. All compute in their
// operands' type and are exact to some units in the last place of the largest value.
#pragma once

#include "frontend/common/emit.h"

namespace lathe::frontend {

/// A = left · diag(values) · rightᵀ. A: [.., m, n]; k = min(m, n).
struct SingularValues {
    Var left;   // [.., m, k]: orthogonal columns
    Var values; // [.., k], the largest first
    Var right;  // [.., n, k]
};
/// isComplete: left is [.., m, m] and right [.., n, n].
SingularValues singularValues(Builder& b, Var a, bool isComplete = false);
/// The values alone.
Var singularValuesOnly(Builder& b, Var a);

/// A = vectors · diag(values) · vectorsᵀ of a symmetric A, of which only the lower half is looked at, or the upper one.
struct Eigenvalues {
    Var values;  // [.., n], the smallest first
    Var vectors; // [.., n, n], in columns
};
Eigenvalues symmetricEigenvalues(Builder& b, Var a, bool upper = false);

/// left · diag(values) · rightᵀ.
Var composed(Builder& b, Var left, Var values, Var right);

} // namespace lathe::frontend
