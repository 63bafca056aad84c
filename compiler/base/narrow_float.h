// SPDX-License-Identifier: Apache-2.0
//
// Values and bits of the floating types that C++ lacks: float16, bfloat16, float8*, float4. Constants, the
// interpreter and comparers of tensors share these. A double holds each value of all of them exactly.
#pragma once

#include "base/data_type.h"

namespace lathe {

enum class Overflow : uint8_t {
    Saturate, // float8 and float4: beyond the greatest finite value gives that value, infinities too
    Special,  // infinity where the type has it, otherwise NaN; float4 has neither and saturates
};

/// How float8_e8m0, which has neither sign nor mantissa, gets its exponent from the rest of the value.
enum class E8M0Rounding : uint8_t { Nearest, Up, Down };

/// Bits of `value` in `type` (any float type), rounded half to even. float16 and bfloat16 overflow to infinity in
/// either mode. float8_e8m0 takes the absolute value; infinities become NaN (ONNX's to_float8e8m0).
uint64_t floatToBits(double value, DataType type, Overflow overflow = Overflow::Saturate,
                     E8M0Rounding rounding = E8M0Rounding::Nearest);

/// The value of bits in `type`.
double bitsToFloat(uint64_t bits, DataType type);

/// The nearest value of `type`; a NaN becomes the quiet, positive one.
double roundToType(double value, DataType type, Overflow overflow = Overflow::Saturate,
                   E8M0Rounding rounding = E8M0Rounding::Nearest);

/// The greatest finite value.
double greatestFinite(DataType type);
bool hasInfinity(DataType type);

} // namespace lathe
