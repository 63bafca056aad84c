// SPDX-License-Identifier: Apache-2.0
//
// Orthogonal factors by Householder's reflections, as LAPACK keeps them (geqrf, orgqr, ormqr), so that signs are those
// that other libraries have: H(k) = I - tau(k) v(k) v(k)ᵀ, v(k) 0 above row k and 1 in it. Matrices are [.., rows,
// columns], of floats. Algorithm: G. Golub and C. Van Loan, "Matrix Computations", 5.1 and 5.2.
#pragma once

#include "frontend/common/emit.h"

namespace lathe::frontend {

/// Of A = H(0) H(1) … R. A: [.., m, n]; k = min(m, n).
struct Reflections {
    Var columns; // [.., m, n]: R on and above the diagonal, below it what v(k) has below row k
    Var factors; // [.., k]: tau
};
Reflections reflected(Builder& b, Var a);

/// H(0) H(1) … x, or if `inverse` … H(1) H(0) x. x: [.., m, any].
Var timesReflections(Builder& b, const Reflections& reflections, Var x, bool inverse = false);

/// The first `count` columns of H(0) H(1) …
Var orthogonalColumns(Builder& b, const Reflections& reflections, const Expr& count);

/// R alone, its first `count` rows.
Var triangularFactor(Builder& b, const Reflections& reflections, const Expr& count);

} // namespace lathe::frontend
