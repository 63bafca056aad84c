// SPDX-License-Identifier: Apache-2.0
//
// Conversions between float32 and the bits of narrow floats as expressions on integers; any number of lanes.
#pragma once

#include "arith/expr.h"
#include "base/narrow_float.h"

namespace lathe::tir {

/// Unsigned integer of the width of a narrow float's storage.
DataType bitsType(DataType narrow);
/// bits (of bitsType) -> the exact float32 value.
arith::Expr narrowToFloat32(const arith::Expr& bits, DataType narrow);
/// float32 -> bits, rounded half to even.
arith::Expr float32ToNarrow(const arith::Expr& value, DataType narrow, Overflow overflow, E8M0Rounding rounding);
/// float64 -> float32, rounded to odd: a later rounding to at most 22 bits is as if from the float64.
arith::Expr roundToOdd(const arith::Expr& value);

} // namespace lathe::tir
