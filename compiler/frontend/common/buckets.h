// SPDX-License-Identifier: Apache-2.0
//
// Numbers by the boundaries that they lie between.
#pragma once

#include "frontend/common/emit.h"

namespace lathe::frontend {

/// How many of the boundaries, which are float32, are not above each of x: int32. Compared as C++ compares them with x;
/// NaN is above all.
Var bucketsOf(Builder& b, Var x, const std::vector<double>& boundaries);

/// How many of the values along the last dim of `sorted` stand before each of x, int64: those that are less, or, if
/// `countsEqual`, not greater. NaN stands behind all. sorted: a vector, or with as many dims as x.
Var placesAmong(Builder& b, Var sorted, Var x, bool countsEqual);

} // namespace lathe::frontend
