// SPDX-License-Identifier: Apache-2.0
//
// The matrix product as NumPy defines it, and formats after it.
#pragma once

#include "frontend/common/emit.h"

namespace lathe::frontend {

/// x · y; vectors are rows on the left and columns on the right.
Var matrixProduct(Builder& b, Var x, Var y);

} // namespace lathe::frontend
