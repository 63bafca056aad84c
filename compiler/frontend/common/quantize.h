// SPDX-License-Identifier: Apache-2.0
//
// Quantized operators, composed: integers are widened, products are exact in int32, results are scaled, rounded half to even
// and saturated.
#pragma once

#include "frontend/common/emit.h"

namespace lathe::frontend {

/// real = (quantized - zero) * scale. Scale and zero are scalars, or have one value a slice of `axis`, or one a block along
/// `axis`: of `block` elements, or where that is 0 of as many as their own dim asks for.
struct Quantization {
    Var scale, zero; // zero may be absent
    int64_t axis = 0, block = 0;
};

/// x / scale in `work`, as dtype.
Var quantize(Builder& b, Var x, const Quantization& by, DataType dtype, DataType work, bool saturate);
Var dequantize(Builder& b, Var x, const Quantization& by, DataType dtype);

/// Rounded, moved by the zero point, saturated. x is float and divided by the scale already.
Var toQuantized(Builder& b, Var x, Var zero, DataType dtype, bool saturate);
/// A sum of products by their scale and moved by the zero point.
Var requantize(Builder& b, Var sum, Var factor, Var zero);
/// x as int32 without its zero point. A constant of 8 bits is moved in a narrow type: then its widening is a cast alone,
/// which products do as they read.
Var centered(Builder& b, Var x, Var zero);

// ---- scales and zero points as they broadcast; absent ones stay so
Var asScalarIfOne(Builder& b, Var x);
/// A parameter of a matrix: one a row (of the left operand) is a column, one a column stays a row.
Var ofMatrix(Builder& b, Var parameter, bool rows);
/// One value a result channel of the weights, or a scalar.
Var ofChannels(Builder& b, Var parameter, int64_t axis, int64_t rank);

} // namespace lathe::frontend
