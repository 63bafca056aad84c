// SPDX-License-Identifier: Apache-2.0
//
// Numbers by the boundaries that they lie between.
#pragma once

#include "frontend/common/emit.h"

namespace lathe::frontend {

/// How many of the boundaries, which are float32, are not above each of x: int32. Compared as C++ compares them with x.
Var bucketsOf(Builder& b, Var x, const std::vector<double>& boundaries);

/// For each row of sorted numbers [rows, n] and each of x [rows, m] how many of the numbers are below it, or not above it:
/// int64[rows, m].
Var placesAmong(Builder& b, Var sorted, Var x, bool countsEqual);

} // namespace lathe::frontend
