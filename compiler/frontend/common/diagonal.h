// SPDX-License-Identifier: Apache-2.0
//
// Diagonals of matrices.
#pragma once

#include "frontend/common/emit.h"

namespace lathe::frontend {

/// Matrices whose diagonals x, [..., n], holds, with `elsewhere` around them.
Var diagonalMatrix(Builder& b, Var x, Var elsewhere);
/// Matrices x with other diagonals.
Var withDiagonal(Builder& b, Var x, Var diagonal);

} // namespace lathe::frontend
